#pragma once
/// @file
/// A sleep that other threads can end.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include <noun/time.hpp>

#include "os/own_process.hpp"
#include "os/sockets.hpp"
#include "os/steady_now.hpp"
#include "os/wakeup.hpp"

namespace noun { inline namespace v0 {

/// One thread sleeps and takes; any thread raises.
class Interrupt {
 public:
  void raise() noexcept {
    raised_ = true;
    Wakeup::raise(handle_);
  }
  /// Whether it was raised and not taken.
  bool is_raised() const noexcept { return raised_; }
  bool take() noexcept { return raised_.exchange(false); }

  /// Sleeps until raise(), until the descriptor is readable (-1: none), for `at_most`, or until `until`. May return
  /// earlier.
  /// @returns  false at `until`.
  bool sleep(int descriptor, Instant until, Duration at_most = std::chrono::hours(1)) noexcept {
    using std::chrono::milliseconds;
    const auto now = steady_now();
    if (now >= until) return false;
    prepare();
    // If descriptors ran out, it looks for raise() often.
    if (handle_ < 0) at_most = std::min<Duration>(at_most, milliseconds(10));
    const auto span = std::chrono::ceil<milliseconds>(std::min<Duration>(until - now, at_most));
    const std::array watched = {current_.descriptor(), descriptor};
    const int ready = raised_ ? -1 : wait_until_readable(watched, span);
    if (ready >= 0 && ready == current_.descriptor()) current_.drain();
    return true;
  }

 private:
  void prepare() noexcept {
    if (owner_.is_current() && handle_ >= 0) return;
    // A child of fork() shares the descriptor of its parent. It is closed late: raise() may be about to write to it.
    inherited_ = std::exchange(current_, {});
    current_.open();
    owner_ = {};
    handle_ = current_.handle();
  }

  std::atomic<bool> raised_ = false;
  std::atomic<int> handle_ = -1;
  Wakeup current_;
  Wakeup inherited_;
  OwnProcess owner_;
};

}}  // namespace noun
