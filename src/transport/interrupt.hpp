#pragma once
/// @file
/// Ends the wait of a thread that sleeps in poll().

#include <atomic>
#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/descriptor.hpp"

namespace noun { inline namespace v0 {

/// A flag, and a descriptor that becomes readable when it is raised. One thread waits; any thread raises.
class Interrupt {
 public:
  void raise() noexcept {
    raised_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto size = ::write(wakes_, &one, sizeof one);
  }
  /// Returns whether it was raised, and resets it.
  bool take() noexcept {
    std::uint64_t drained = 0;
    [[maybe_unused]] const auto size = ::read(descriptor(), &drained, sizeof drained);
    return raised_.exchange(false);
  }
  /// For poll(): -1 if descriptors ran out, and then take() has to be called every few milliseconds.
  int descriptor() noexcept {
    if (owner_ == ::getpid() && wakes_ >= 0) return wakes_;
    // A child of fork() shares the counter of its parent. It is closed late: raise() may be about to write to it.
    inherited_ = std::exchange(current_, Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
    owner_ = ::getpid();
    wakes_ = *current_;
    return wakes_;
  }

 private:
  std::atomic<bool> raised_ = false;
  std::atomic<int> wakes_ = -1;
  Descriptor current_;
  Descriptor inherited_;
  pid_t owner_ = -1;
};

}}  // namespace noun
