#include "quota/store_pace.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr Duration reading_time = std::chrono::microseconds(250);
constexpr std::uint32_t most_collisions = 16;
constexpr std::uint32_t most_vain_reads = 4;

}  // namespace

void StorePace::on_swap() noexcept {
  collisions_ -= std::min(collisions_, 1U);
  vain_reads_ = 0;
}

/// As on a shared wire: the more collisions, the longer is the time in which this process picks an instant.
void StorePace::on_collision(Instant now, Duration took, std::size_t processes) noexcept {
  collisions_ = std::min(collisions_ + 1, most_collisions);
  const std::uint64_t spread = ((process_ + collisions_) * 0x9E37'79B9'7F4A'7C15U) >> 32U;
  const std::uint64_t slots = std::min<std::uint64_t>(std::uint64_t{1} << collisions_, 2 * processes + 1);
  swap_after_ = after(now, std::min<Duration>(static_cast<std::int64_t>(spread % slots) * took, longest_));
}

void StorePace::on_vain_read() noexcept { vain_reads_ = std::min(vain_reads_ + 1, most_vain_reads); }

Duration StorePace::between_reads(std::size_t processes) const noexcept {
  return std::min<Duration>(static_cast<std::int64_t>(processes << vain_reads_) * reading_time, longest_);
}

}}}  // namespace noun::quota
