#pragma once
/// @file
/// Notifies drivers that sleep for many calls at once that one of the calls may proceed. A thread that waits for a
/// single call is woken by the clock.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

#include <noun/wake.hpp>

namespace noun { inline namespace v0 {

/// Maps each counter to the one sleeper that listens to it. Safe to use from many threads.
class WakeBoard {
 public:
  /// A driver that sleeps.
  class Sleeper {
   public:
    /// The counter has risen. Called under the board's lock: it may only wake the driver.
    virtual void on_woken(const WakeCounter& counter) noexcept = 0;

   protected:
    ~Sleeper() = default;
  };

  /// Notifies the sleeper about this counter until leave(). Check the counter once more after this call. Throws
  /// std::bad_alloc.
  void listen(const WakeCounter& counter, Sleeper& sleeper);
  void leave(const WakeCounter& counter) noexcept;
  /// Notifies the listener of this counter that it has risen. Without listeners it costs one atomic operation.
  void ring(const WakeCounter& counter) noexcept;

 private:
  friend WakeBoard& wake_board();

  std::mutex mutex_;
  std::unordered_map<const WakeCounter*, Sleeper*> sleepers_;
  std::atomic<std::size_t> count_ = 0;
};

/// The board of this process. A child of fork() starts with an empty one.
WakeBoard& wake_board();

}}  // namespace noun
