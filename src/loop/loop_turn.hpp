#pragma once
/// @file
/// Which thread runs a loop: its own, or one that waits for a call and has borrowed the loop, so that the result need
/// not cross to it.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The turn of one loop: one thread has it at a time.
/// @threadsafety  safe.
class LoopTurn {
 public:
  LoopTurn() = default;
  LoopTurn(const LoopTurn&) = delete;
  LoopTurn& operator=(const LoopTurn&) = delete;

  /// For the loop's own thread: waits until it has the turn.
  void take() noexcept;
  /// For the loop's own thread, once is_borrowed(): gives the turn away and waits until it has it again. That is when
  /// nobody has borrowed the loop for 2 ms, or at once if need() was called or there are calls that nobody waits for.
  void lend() noexcept;
  /// For the loop's own thread: gives the turn away for good.
  void leave() noexcept;

  /// For another thread: waits for the turn. Returns false at once if a third one has borrowed the loop.
  /// @param wake  makes the loop's own thread call lend().
  template <class Wake>
  bool borrow(Wake wake) noexcept {
    std::unique_lock lock(mutex_);
    if (borrowed_) {
      is_needed_ = true;
      return false;
    }
    borrowed_ = true;
    if (is_own_) wake();
    changed_.wait(lock, [this] { return !is_own_; });
    thread_ = std::this_thread::get_id();
    return true;
  }
  void give_back() noexcept;
  bool is_borrowed() const noexcept { return borrowed_.load(); }

  /// The loop's own thread goes on as soon as nobody borrows the loop.
  void need() noexcept;
  /// A call was added or has ended for which nobody borrows the loop.
  void add_call() noexcept;
  void remove_call() noexcept { --calls_; }

  /// Whether the caller has the turn.
  bool is_here() const noexcept { return thread_.load() == std::this_thread::get_id(); }

 private:
  void take(std::unique_lock<std::mutex>& lock) noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::thread::id> thread_ = {};
  bool is_own_ = false;
  std::atomic<bool> borrowed_ = false;
  std::uint64_t returns_ = 0;
  /// Whether the loop's own thread waits for the next return.
  bool awaits_return_ = false;
  bool is_needed_ = false;
  std::atomic<std::size_t> calls_ = 0;
};

}}  // namespace noun
