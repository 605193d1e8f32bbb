#include <fcntl.h>

#include "system_sockets.hpp"

namespace noun { inline namespace v0 {

const int without_sigpipe = 0;
#ifdef __APPLE__
const int keep_alive_idle = TCP_KEEPALIVE;
#else
const int keep_alive_idle = TCP_KEEPIDLE;
#endif

int new_socket(int family, int type, int protocol) noexcept {
  const int socket = ::socket(family, type, protocol);
  if (socket < 0) return socket;
  // A program that is started in between inherits it.
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
  return socket;
}

}}  // namespace noun
