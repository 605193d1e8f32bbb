#include "system_sockets.hpp"

namespace noun { inline namespace v0 {

const int without_sigpipe = MSG_NOSIGNAL;
const int keep_alive_idle = TCP_KEEPIDLE;

int new_socket(int family, int type, int protocol) noexcept { return ::socket(family, type | SOCK_CLOEXEC, protocol); }

}}  // namespace noun
