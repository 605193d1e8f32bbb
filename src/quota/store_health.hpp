#pragma once
/// @file
/// What one process knows of the store of a shared quota: whether it is available, whether it is slow, when it may be
/// tried again, how long an operation may take, and how often to turn to it. src/ARCHITECTURE.md shows the table of its
/// states; a test compares them.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <noun/time.hpp>

#include "vocabulary/state_table.hpp"

namespace noun { inline namespace v0 { namespace quota {

enum class StoreState : std::uint8_t { available, failing, unavailable, end_of_values };

enum class StoreEvent : std::uint8_t {
  carried_out,       ///< an operation, and no swap failed before it, or it is a swap
  failed,            ///< an operation
  failed_too_often,  ///< the same, after others in a row, and after the time in which calls wait for a first one
  end_of_values
};

constexpr StateTable<StoreState, StoreEvent> store_table = [] {
  using enum StoreState;
  return StateTable<StoreState, StoreEvent>{{
      //                carried_out  failed  failed_too_often
      /* available   */ {available, failing, unavailable},
      /* failing     */ {available, failing, unavailable},
      /* unavailable */ {available, unavailable, unavailable},
  }};
}();

class StoreHealth {
 public:
  /// @param process     its number.
  /// @param slow_after  how long an operation may take before the store is slow.
  StoreHealth(std::uint64_t process, Duration slow_after) noexcept : process_(process), slow_after_(slow_after) {}

  /// An operation was carried out, and took so long. Call it before what follows from the operation.
  void on_response(Duration took) noexcept;
  /// What was stored was read. It ends no failures of swaps.
  void on_read() noexcept {
    if (!swap_failed_) on_available();
  }
  void on_swap() noexcept {
    on_available();
    joined_ = true;
  }
  void on_available() noexcept;
  /// An operation failed.
  /// @param is_swap  it was one.
  /// @returns        whether so many failed in a row that a process that leaves does not try again.
  bool on_failure(Instant now, bool is_swap) noexcept;
  void retry_at_once() noexcept { retry_at_ = Instant::min(); }

  bool is_available() const noexcept { return state_ != StoreState::unavailable; }
  /// Whether an operation was carried out, but took longer than others may.
  bool is_slow() const noexcept { return quick_to_go_ > 0; }
  bool is_failing() const noexcept { return state_ != StoreState::available; }
  Instant retry_at() const noexcept { return retry_at_; }
  /// How long the next operation may take.
  Duration limit(Instant now, bool leaving) const noexcept;

 private:
  void take(StoreEvent event) noexcept {
    state_ = store_table[static_cast<std::size_t>(state_)][static_cast<std::size_t>(event)];
  }

  std::uint64_t process_;
  Duration slow_after_;
  StoreState state_ = StoreState::available;
  int failures_ = 0;  // in a row
  Instant failing_since_ = Instant::max();
  bool swap_failed_ = false;
  bool joined_ = false;  // a swap was carried out
  int quick_to_go_ = 0;  // operations in a row until the slow store is not slow any more
  Instant retry_at_ = Instant::min();
  Duration retry_pause_ = {};
};

/// How often one of many processes turns to the store.
class StorePace {
 public:
  /// @param process  its number.
  /// @param longest  the longest wait for a read or a swap.
  StorePace(std::uint64_t process, Duration longest) noexcept : process_(process), longest_(longest) {}

  void on_swap() noexcept {
    collisions_ -= std::min(collisions_, 1U);
    vain_reads_ = 0;
  }
  /// Another process swapped while this one did.
  /// @param took  a swap.
  void on_collision(Instant now, Duration took, std::size_t processes) noexcept;
  /// A change concerned others, as far as is known.
  void on_vain_read() noexcept;
  void on_useful_read() noexcept { vain_reads_ = 0; }

  /// When the next swap may be.
  Instant swap_after() const noexcept { return swap_after_; }
  Duration between_reads(std::size_t processes) const noexcept;

 private:
  std::uint64_t process_;
  Duration longest_;
  std::uint32_t collisions_ = 0;  // recent ones
  Instant swap_after_ = Instant::min();
  std::uint32_t vain_reads_ = 0;  // in a row
};

}}}  // namespace noun::quota
