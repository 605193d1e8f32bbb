#pragma once
/// @file
/// A clock for tests: time stands still until somebody waits or moves it.

#include <chrono>
#include <mutex>
#include <vector>

#include <noun/clock.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// Virtual time. A wait returns at once, with the clock moved to the instant that it waited for. Safe to use from many
/// threads, but then the order in which they move it is chance.
class NOUN_API ManualClock final : public Clock {
 public:
  /// Starts at 2026-01-20T12:00:00Z.
  ManualClock();
  /// @param wall  what the wall clock shows at first.
  explicit ManualClock(WallTime wall);
  ~ManualClock() override;

  Now now() noexcept override;
  void wait(Instant until, const WakeTicket& ticket, const std::stop_token& stop) override;
  void wake(const WakeCounter& counter) noexcept override;

  /// Moves both clocks on; a negative span moves nothing.
  void advance(Duration span) noexcept;
  /// Moves the wall clock alone, as a user or NTP does; may be negative.
  void step_wall_clock(Duration span) noexcept;
  /// How long each wait so far was, in order.
  std::vector<Duration> waits() const;
  /// The sum of all waits.
  Duration waited() const;

 private:
  mutable std::mutex mutex_;
  Now now_;
  std::vector<Duration> waits_;
};

}}}  // namespace noun::testing
