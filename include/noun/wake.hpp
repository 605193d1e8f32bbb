#pragma once
/// @file
/// How a decision tells a waiting call that it may be worth asking again: a counter that only rises.

#include <atomic>
#include <cstdint>

namespace noun { inline namespace v0 {

/// A counter that rises whenever a decision may have changed. Whoever raises it wakes the clock's waiters.
using WakeCounter = std::atomic<std::uint64_t>;

/// What a waiter saw of the counter when it was told to wait; with no counter there is nothing to wake it.
struct WakeTicket {
  const WakeCounter* counter = nullptr;  ///< null: nothing wakes the waiter
  std::uint64_t seen = 0;                ///< its value when the waiter was told to wait

  /// Whether the decision may have changed since.
  bool overtaken() const noexcept { return counter != nullptr && counter->load(std::memory_order_acquire) != seen; }
};

}}  // namespace noun
