#pragma once
/// @file
/// How far the clock of a server is ahead of the client's: it rejects signatures that have another time than its own.

#include <atomic>

#include <noun/http.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// Whether a response of this status may reject credentials because of the time in them. APIs of AWS respond 400 or 403.
constexpr bool may_reject_time(int status) noexcept { return status == 400 || status == 401 || status == 403; }

/// The offset that the calls of a client share: zero until a rejection shows another one. Safe to use from many threads.
class ClockOffset {
 public:
  /// The time by the server's clock.
  WallTime corrected(WallTime now) const noexcept { return now + ahead(); }
  Duration ahead() const noexcept { return Duration(ahead_.load(std::memory_order_relaxed)); }
  /// Compares the time in rejected credentials with the Date of the response. If they differ by more than four minutes,
  /// the offset becomes that of the Date, unless another call has set it: servers accept signatures of some minutes,
  /// those of AWS of five.
  /// @returns  whether they differ.
  bool correct(const Headers& response, WallTime now, WallTime signed_at);
  /// Sets an earlier offset instead of one that did not help, unless another call has set another one.
  void restore(Duration earlier, Duration tried) noexcept {
    auto expected = tried.count();
    ahead_.compare_exchange_strong(expected, earlier.count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<Duration::rep> ahead_ = 0;
};

}}  // namespace noun
