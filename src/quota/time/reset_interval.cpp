#include "quota/time/reset_interval.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Resets that are farther away are not used to infer anything.
constexpr std::chrono::hours near_enough(24 * 40);

Duration grain_of(Duration reported) noexcept {
  return reported % seconds(1) == Duration::zero() ? Duration(seconds(1)) : milliseconds(1);
}

ResetInterval interval_of_duration(Duration in, Instant sent, Instant received) noexcept {
  const Duration grain = grain_of(in);
  const Duration drift = drift_over(in);
  return {.earliest = after(sent, in - grain - drift),
          .latest = after(after(received, in), drift),
          .grain = grain,
          .in = in};
}

// Servers may report any year that fits.
Duration saturating_difference(Duration left, Duration right) noexcept {
  if (right < Duration::zero() && left > Duration::max() + right) return Duration::max();
  if (right > Duration::zero() && left < Duration::min() + right) return Duration::min();
  return left - right;
}

Duration difference(Instant left, Instant right) noexcept {
  return saturating_difference(left.time_since_epoch(), right.time_since_epoch());
}

Duration since_epoch(WallTime at) noexcept { return std::chrono::duration_cast<Duration>(at.time_since_epoch()); }

}  // namespace

InstantSpan ResetInterval::without_clock_doubt() const noexcept {
  if (!at) return {after(earliest, by_local_clock ? -grain : Duration::zero()), latest};
  const Instant value{since_epoch(*at)};
  return {after(value, -grain), value};
}

std::optional<DurationSpan> ResetInterval::ahead_of(std::optional<std::chrono::sys_seconds> date) const noexcept {
  if (in) return DurationSpan{*in - grain, *in};
  if (!at || !date) return std::nullopt;
  const seconds ahead = std::chrono::ceil<seconds>(*at) - *date;
  if (ahead < seconds(0) || ahead > near_enough) return std::nullopt;  // no clock shows such a Date
  return DurationSpan{ahead - seconds(2), ahead};
}

bool ResetInterval::is_near(Instant sent, Instant received) const noexcept {
  return latest > sent && earliest > after(sent, -near_enough) && latest < after(received, near_enough);
}

ResetInterval interval_of(const wire::ResetReading& reported, const ServerClock& clock, Instant sent, Now received) {
  if (reported.in) return interval_of_duration(*reported.in, sent, received.steady);
  const WallTime at = reported.at.value_or(received.wall);
  const Duration grain = grain_of(since_epoch(at));
  if (!clock.known()) {
    const Instant when = after(received.steady, saturating_difference(since_epoch(at), since_epoch(received.wall)));
    return {.earliest = when, .latest = when, .grain = grain, .by_local_clock = true};
  }
  const Duration fraction = since_epoch(at) % seconds(1);
  ResetInterval reset{
      .at = at, .grain = grain, .tick_offset = fraction < Duration::zero() ? fraction + seconds(1) : fraction};
  refresh(reset, clock);
  return reset;
}

void refresh(ResetInterval& reset, const ServerClock& clock) noexcept {
  if (!reset.at) return;
  const InstantSpan when = clock.when(*reset.at);
  reset.earliest = when.earliest;
  reset.latest = when.latest;
}

Duration certain_gap(const ResetInterval& known, const ResetInterval& reported) noexcept {
  if (known.at && reported.at) return saturating_difference(since_epoch(*reported.at), since_epoch(*known.at));
  const InstantSpan before = known.if_rounded_up();
  const InstantSpan now = reported.if_rounded_up();
  if (now.earliest > before.latest) return difference(now.earliest, before.latest);
  if (now.latest < before.earliest) return difference(now.latest, before.earliest);
  return Duration::zero();
}

Duration jitter_of(const ResetInterval& known, const ResetInterval& reported) noexcept {
  const bool both_at = known.at && reported.at;
  const bool by_local_clock = known.by_local_clock && reported.by_local_clock;
  return both_at || by_local_clock ? std::max(known.grain, reported.grain) : Duration(milliseconds(100));
}

void tighten(ResetInterval& known, const ResetInterval& reported, Contradiction contradiction) noexcept {
  const Duration gap = certain_gap(known, reported);
  const bool later = contradiction == Contradiction::take_later;
  if (later ? gap > Duration::zero() : gap < Duration::zero()) known = reported;
  if (gap == Duration::zero() && known.at && reported.in && reported.grain < known.grain) known = reported;
  if (gap != Duration::zero() || known.at || reported.at) return;
  known.earliest = std::max(known.earliest, reported.earliest);
  known.latest = std::min(known.latest, reported.latest);
}

}}}  // namespace noun::quota
