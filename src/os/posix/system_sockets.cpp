#include "system_sockets.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "os/descriptor.hpp"
#include "os/sockets.hpp"

namespace noun { inline namespace v0 {

void close_socket(int descriptor) noexcept { ::close(descriptor); }

bool make_non_blocking(int socket) noexcept {
  const int flags = ::fcntl(socket, F_GETFL);
  return flags >= 0 && ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0;
}

void keep_alive(int socket, const KeepAlive& how) noexcept {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  ::setsockopt(socket, IPPROTO_TCP, keep_alive_idle, &how.idle, sizeof how.idle);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &how.between, sizeof how.between);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &how.tries, sizeof how.tries);
}

std::string socket_error_text(int error) { return socket_error(error).message(); }

}}  // namespace noun
