#pragma once
/// @file
/// A waiting call, and the driver that wakes it.

#include <cstdint>
#include <memory>

#include <noun/wake.hpp>

namespace noun { inline namespace v0 { namespace quota {

/// A driver that sleeps for many calls at once.
class Sleeper {
 public:
  /// The call should continue. From any thread; without a lock of the gate.
  virtual void on_woken(std::uint64_t call) noexcept = 0;

 protected:
  ~Sleeper() = default;
};

/// A waiting call. Its members other than the counter belong to the gate that wakes it.
struct Wakeable {
  /// Rises when the call should continue.
  WakeCounter wakes{0};
  /// Its driver, and its number there; none if a thread waits for `wakes`.
  std::weak_ptr<Sleeper> sleeper = {};
  std::uint64_t number = 0;
  /// It is in the gate's list of calls to wake.
  bool in_woken = false;
};

}}}  // namespace noun::quota
