#pragma once
/// @file
/// A clock for tests: time moves only by waiting or by explicit calls.

#include <chrono>
#include <mutex>
#include <vector>

#include <noun/clock.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// Virtual time. A wait returns at once and moves the clock to its end. Safe to use from many threads, but then the
/// order of the moves is unspecified, and a blocking call that waits for the response of another thread's call moves the
/// clock, too, up to its longest wait; so does a download or a stream. Other calls of one client in the background,
/// noun::future() or get_all(), know of each other: no time passes while one of them is sent.
class NOUN_API ManualClock final : public Clock {
 public:
  /// Starts at 2026-01-20T12:00:00Z.
  ManualClock();
  /// @param wall  the initial time of the wall clock.
  explicit ManualClock(WallTime wall);
  ~ManualClock() override;

  Now now() noexcept override;
  void wait(Instant until, const WakeTicket& ticket, const StopToken& stop) override;
  void wake(const WakeCounter& counter) noexcept override;

  /// Moves both clocks forward; a negative duration moves nothing.
  void advance(Duration span) noexcept;
  /// Moves only the wall clock, as a user or NTP does; may be negative.
  void step_wall_clock(Duration span) noexcept;
  /// The durations of all waits so far, in order.
  std::vector<Duration> waits() const;
  /// The sum of all waits.
  Duration waited() const;

 private:
  mutable std::mutex mutex_;
  Now now_;
  std::vector<Duration> waits_;
};

}}}  // namespace noun::testing
