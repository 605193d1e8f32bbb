#pragma once
/// @file
/// How often one of many processes turns to the store of a shared quota.

#include <cstddef>
#include <cstdint>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

class StorePace {
 public:
  /// @param process  its number.
  /// @param longest  the longest wait for a read or a swap.
  StorePace(std::uint64_t process, Duration longest) noexcept : process_(process), longest_(longest) {}

  void on_swap() noexcept;
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
