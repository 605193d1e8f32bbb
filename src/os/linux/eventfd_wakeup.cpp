#include "os/wakeup.hpp"

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace noun { inline namespace v0 {

bool Wakeup::open() noexcept {
  readable_ = SocketDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return static_cast<bool>(readable_);
}

void Wakeup::drain() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto size = ::read(*readable_, &count, sizeof count);
}

void Wakeup::raise(int handle) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = ::write(handle, &one, sizeof one);
}

}}  // namespace noun
