#pragma once
/// @file
/// The clock interface: reads the time and waits. Implement it to run noun with your own time; tests use
/// noun::testing::ManualClock.

#include <memory>

#include <noun/stop.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>
#include <noun/wake.hpp>

namespace noun { inline namespace v0 {

/// A steady and a wall clock. All waits of noun use it. Used by many threads at once.
class NOUN_API Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock();

  /// Reads both clocks. The steady one never goes back.
  virtual Now now() noexcept = 0;
  /// Waits until `until`, until stop is requested or until the ticket is overtaken; may return earlier.
  virtual void wait(Instant until, const WakeTicket& ticket, const StopToken& stop) = 0;
  /// Wakes the waiters whose ticket has this counter. The counter has risen before the call.
  virtual void wake(const WakeCounter& counter) noexcept = 0;
};

/// The system's steady and wall clocks; one object for the process.
/// @threadsafety  safe; the clock too.
NOUN_API std::shared_ptr<Clock> system_clock();

}}  // namespace noun
