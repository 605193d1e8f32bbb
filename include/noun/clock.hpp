#pragma once
/// @file
/// Where time comes from and how a call waits. Implement it to run noun on a time of your own; tests take
/// noun::testing::ManualClock.

#include <memory>
#include <stop_token>

#include <noun/time.hpp>
#include <noun/version.hpp>
#include <noun/wake.hpp>

namespace noun { inline namespace v0 {

/// A pair of clocks and the only way noun sleeps. Used by many threads at once.
class NOUN_API Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock();

  /// One look at both clocks. The steady one never goes back.
  virtual Now now() noexcept = 0;
  /// Returns at `until`, or as soon as stop is requested or the ticket is overtaken; it may return earlier.
  virtual void wait(Instant until, const WakeTicket& ticket, const std::stop_token& stop) = 0;
  /// Makes the waiters whose ticket has this counter look at it again; the counter has risen before.
  virtual void wake(const WakeCounter& counter) noexcept = 0;
};

/// The machine's steady and wall clocks; one for the process.
NOUN_API std::shared_ptr<Clock> system_clock();

}}  // namespace noun
