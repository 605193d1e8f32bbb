#include "os/wakeup.hpp"

#include <array>

#include "system_sockets.hpp"

namespace noun { inline namespace v0 {

/// A UDP socket that sends to itself: only sockets can be waited for together with sockets. It receives from nobody else.
bool Wakeup::open() noexcept {
  SocketDescriptor own(new_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  int size = sizeof address;
  const int socket = *own;
  const BOOL alone = TRUE;
  const auto* const set = reinterpret_cast<const char*>(&alone);
  if (!own || ::setsockopt(socket, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, set, sizeof alone) != 0 ||
      ::bind(socket, plain, size) != 0 || ::getsockname(socket, plain, &size) != 0 ||
      ::connect(socket, plain, size) != 0 || !make_non_blocking(*own))
    return false;
  readable_ = std::move(own);
  return true;
}

void Wakeup::drain() const noexcept {
  char byte = 0;
  while (::recv(*readable_, &byte, 1, 0) >= 0) {
  }
}

/// If there is no room for the byte, the socket is readable already.
void Wakeup::raise(int handle) noexcept { ::send(handle, "", 1, 0); }

}}  // namespace noun
