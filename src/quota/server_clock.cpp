#include "quota/server_clock.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {
namespace {

constexpr std::chrono::seconds farthest_date{7'900'000'000};  // 250 years; nanoseconds overflow at 292

}  // namespace

bool ServerClock::observe(std::chrono::sys_seconds date, Instant sent, Instant received) noexcept {
  const auto since_epoch = date.time_since_epoch();
  if (since_epoch > farthest_date || since_epoch < -farthest_date) return false;
  const Duration low = Duration(since_epoch) - received.time_since_epoch();
  const Duration high = Duration(since_epoch) + std::chrono::seconds(1) - sent.time_since_epoch();
  const Duration drift = drift_over(received - seen_);
  const bool contradicts = known_ && (low > high_ + drift || high < low_ - drift);
  const bool starts = !known_ || contradicts;
  if (!starts && low <= low_ - drift && high >= high_ + drift) return false;  // nothing new
  low_ = starts ? low : std::max(low, low_ - drift);
  high_ = starts ? high : std::min(high, high_ + drift);
  seen_ = received;
  known_ = true;
  return contradicts;
}

InstantSpan ServerClock::when(WallTime at) const noexcept {
  const Instant on_their_clock{std::chrono::duration_cast<Duration>(at.time_since_epoch())};
  const Instant earliest = after(on_their_clock, -high_);
  const Instant latest = after(on_their_clock, -low_);
  const Instant waited_to = std::min(latest, after(seen_, std::chrono::hours(48)));  // the sum must not overflow
  const Duration drift = waited_to > seen_ ? drift_over(waited_to - seen_) : Duration::zero();
  return {after(earliest, -drift), after(latest, drift)};
}

}}  // namespace noun
