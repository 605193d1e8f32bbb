#pragma once
/// @file
/// Wakes waiting calls: a counter that only rises.

#include <atomic>
#include <cstdint>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A counter that rises when a call that waits should look again. noun raises it, and then calls Clock::wake().
using WakeCounter = std::atomic<std::uint64_t>;

/// The counter's value when a wait was decided; without a counter nothing wakes the wait early.
struct WakeTicket {
  const WakeCounter* counter = nullptr;  ///< null: nothing wakes the waiter
  std::uint64_t seen = 0;                ///< its value when the wait was decided

  /// Whether the counter has risen since, so that the decision may have changed.
  bool overtaken() const noexcept { return counter != nullptr && counter->load(std::memory_order_acquire) != seen; }
};

}}  // namespace noun
