#include "quota/time/server_clock.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

constexpr std::chrono::seconds farthest_date{7'900'000'000};  // 250 years; nanoseconds overflow at 292

}  // namespace

bool ServerClock::observe(std::chrono::sys_seconds date, Instant sent, Instant received) noexcept {
  const auto since_epoch = date.time_since_epoch();
  if (since_epoch > farthest_date || since_epoch < -farthest_date) return false;
  const InstantSpan reported{sent - since_epoch - std::chrono::seconds(1), received - since_epoch};
  const Duration drift = drift_over(received - seen_);
  const bool contradicts =
      known_ && (reported.latest < epoch_.earliest - drift || reported.earliest > epoch_.latest + drift);
  const bool starts = !known_ || contradicts;
  if (!starts && reported.latest >= epoch_.latest + drift && reported.earliest <= epoch_.earliest - drift) return false;
  if (starts)
    epoch_ = reported;
  else
    epoch_ = {std::max(reported.earliest, epoch_.earliest - drift), std::min(reported.latest, epoch_.latest + drift)};
  seen_ = received;
  known_ = true;
  return contradicts;
}

InstantSpan ServerClock::when(WallTime at) const noexcept {
  const Duration since_epoch = std::chrono::duration_cast<Duration>(at.time_since_epoch());
  const Instant earliest = after(epoch_.earliest, since_epoch);
  const Instant latest = after(epoch_.latest, since_epoch);
  const Instant waited_to = std::min(latest, after(seen_, std::chrono::hours(48)));  // the sum must not overflow
  const Duration drift = waited_to > seen_ ? drift_over(waited_to - seen_) : Duration::zero();
  return {after(earliest, -drift), after(latest, drift)};
}

}}}  // namespace noun::quota
