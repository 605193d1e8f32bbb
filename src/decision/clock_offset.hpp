#pragma once
/// @file
/// How far the clock of a server is ahead of the client's: it rejects signatures that have another time than its own.

#include <atomic>
#include <optional>

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

/// The time in the credentials of one call.
class SigningTime {
 public:
  /// Sets that of the next attempt.
  /// @param offset  of the client; null if its credentials have no time.
  WallTime take(WallTime now, const ClockOffset* offset) noexcept {
    ahead_ = offset != nullptr ? offset->ahead() : Duration::zero();
    return at_ = now + ahead_;
  }
  /// Whether an attempt was rejected because of its time, as far as the Date shows: the offset is corrected. It is given
  /// up if the repeated attempt is rejected too: the Date may be wrong.
  /// @param may_repeat  whether the attempt may be made again.
  bool is_rejected(ClockOffset& offset, const Headers& response, WallTime now, bool may_repeat);
  /// An attempt after a correction was not rejected.
  void confirm() noexcept { earlier_.reset(); }

 private:
  WallTime at_ = {};
  Duration ahead_ = {};
  /// The offset that the call has replaced, until the repeated attempt shows whether that was right.
  std::optional<Duration> earlier_;
};

}}  // namespace noun
