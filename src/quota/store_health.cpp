#include "quota/store_health.hpp"

#include <chrono>

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr Duration first_retry = std::chrono::milliseconds(20);
constexpr Duration longest_retry = std::chrono::seconds(5);
/// A store that fails so often in a row is unavailable, after a swap.
constexpr int most_failures = 3;
/// A process that the others do not know yet would spend what they hold: it waits for a store that is restarted, or slow.
constexpr Duration waits_to_join = std::chrono::seconds(1);
/// A store that is so often quick in a row is not slow any more.
constexpr int most_quick = 3;
/// How long an operation of a slow store may take.
constexpr Duration patience = std::chrono::seconds(1);
constexpr Duration reading_time = std::chrono::microseconds(250);
constexpr std::uint32_t most_collisions = 16;
constexpr std::uint32_t most_vain_reads = 4;

}  // namespace

void StoreHealth::on_response(Duration took) noexcept {
  if (took <= slow_after_)
    quick_to_go_ = std::max(quick_to_go_ - 1, 0);
  else if (is_slow() || is_failing())
    quick_to_go_ = most_quick;
}

void StoreHealth::on_available() noexcept {
  take(StoreEvent::carried_out);
  swap_failed_ = false;
  failures_ = 0;
  retry_pause_ = {};
}

bool StoreHealth::on_failure(Instant now, bool is_swap) noexcept {
  swap_failed_ = swap_failed_ || is_swap;
  retry_pause_ = std::clamp<Duration>(2 * retry_pause_, first_retry, longest_retry);
  // Processes that lost the store together do not come back together.
  constexpr Duration::rep most_spread = 256;
  const auto spread = static_cast<Duration::rep>(process_ % most_spread);
  retry_at_ = after(now, retry_pause_ + retry_pause_ * spread / (4 * most_spread));
  if (!is_failing()) failing_since_ = now;
  // Calls have waited for a slow store long enough.
  failures_ = is_slow() ? most_failures : std::min(failures_ + 1, most_failures);
  quick_to_go_ = 0;
  const bool many = failures_ == most_failures;
  const bool joins = !joined_ && now < after(failing_since_, waits_to_join);
  take(many && !joins ? StoreEvent::failed_too_often : StoreEvent::failed);
  return many;
}

/// No call waits for the operations of an unavailable store. If one is carried out, the store is only slow.
Duration StoreHealth::limit(Instant now, bool leaving) const noexcept {
  Duration most = slow_after_;
  if (is_slow() || (!is_available() && !leaving))
    most = patience;
  else if (is_failing() && !joined_ && !leaving)
    most = after(failing_since_, waits_to_join) - now;
  return std::max(most, slow_after_);
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
