#pragma once
/// @file
/// Where drivers that sleep for many calls at once hear that a decision may have changed. The waiters of a clock sleep
/// for one call each and are woken by it.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include <noun/wake.hpp>

namespace noun { inline namespace v0 {

/// Who listens for which counter. Safe to use from many threads.
class WakeBoard {
 public:
  /// Somebody who sleeps.
  class Sleeper {
   public:
    /// A counter has risen. Called under the board's lock: it wakes, and does nothing else.
    virtual void on_risen() noexcept = 0;

   protected:
    ~Sleeper() = default;
  };

  /// The sleeper hears of this counter until it leaves; then it looks at the counter once more. Throws std::bad_alloc.
  void listen(const WakeCounter& counter, Sleeper& sleeper);
  void leave(const WakeCounter& counter, Sleeper& sleeper) noexcept;
  /// Tells those who listen for it that this counter has risen. Costs one atomic operation where nobody does.
  void ring(const WakeCounter& counter) noexcept;

 private:
  friend WakeBoard& wake_board();
  struct Entry {
    const WakeCounter* counter;
    Sleeper* sleeper;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::atomic<std::size_t> count_ = 0;
};

/// The board of this process. A child of fork() begins with an empty one: its parent's drivers do not sleep in it.
WakeBoard& wake_board();

}}  // namespace noun
