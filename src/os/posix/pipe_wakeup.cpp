#include "os/wakeup.hpp"

#include <array>

#include <fcntl.h>
#include <unistd.h>

namespace noun { inline namespace v0 {

bool Wakeup::open() noexcept {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe(ends.data()) != 0) return false;
  readable_ = SocketDescriptor(ends[0]);
  writable_ = SocketDescriptor(ends[1]);
  for (const int end : ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  return true;
}

void Wakeup::drain() const noexcept {
  std::array<char, 64> bytes;
  while (::read(*readable_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
  }
}

/// With a pipe that is full, the other end is readable already.
void Wakeup::raise(int handle) noexcept { [[maybe_unused]] const auto size = ::write(handle, "", 1); }

}}  // namespace noun
