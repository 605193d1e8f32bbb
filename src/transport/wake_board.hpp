#pragma once
/// @file
/// Where drivers that sleep for many calls at once are notified that one of them may go on. The waiters of a clock sleep
/// for one call each and are woken by it.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

#include <noun/wake.hpp>

namespace noun { inline namespace v0 {

/// Who listens to which counter: one sleeper for each. Safe to use from many threads.
class WakeBoard {
 public:
  /// Somebody who sleeps.
  class Sleeper {
   public:
    /// The counter has risen. Called under the board's lock: it wakes, and does nothing else.
    virtual void on_risen(const WakeCounter& counter) noexcept = 0;

   protected:
    ~Sleeper() = default;
  };

  /// The sleeper is notified of this counter until it leaves; then it looks at the counter once more. Throws
  /// std::bad_alloc.
  void listen(const WakeCounter& counter, Sleeper& sleeper);
  void leave(const WakeCounter& counter) noexcept;
  /// Notifies the one that listens to this counter that it has risen. Costs one atomic operation where nobody does.
  void ring(const WakeCounter& counter) noexcept;

 private:
  friend WakeBoard& wake_board();

  std::mutex mutex_;
  std::unordered_map<const WakeCounter*, Sleeper*> sleepers_;
  std::atomic<std::size_t> count_ = 0;
};

/// The board of this process. A child of fork() begins with an empty one: its parent's drivers do not sleep in it.
WakeBoard& wake_board();

}}  // namespace noun
