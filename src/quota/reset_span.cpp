#include "quota/reset_span.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ResetSpan span_of_delta(Duration in, Instant sent, Instant received) noexcept {
  const Duration grain = grain_of(in);
  const Duration drift = drift_over(in);
  return {.earliest = after(sent, in - grain - drift), .latest = after(after(received, in), drift), .grain = grain};
}

// Servers may tell any year that fits.
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

Duration grain_of(Duration told) noexcept {
  return told % seconds(1) == Duration::zero() ? Duration(seconds(1)) : milliseconds(1);
}

ResetSpan span_of(const wire::ResetReading& told, const ServerClock& clock, Instant sent, Now received) {
  if (told.in) return span_of_delta(*told.in, sent, received.steady);
  const WallTime at = told.at.value_or(received.wall);
  const Duration grain = grain_of(since_epoch(at));
  if (!clock.known()) {
    const Instant when = after(received.steady, saturating_difference(since_epoch(at), since_epoch(received.wall)));
    return {.earliest = when, .latest = when, .grain = grain, .by_local_clock = true};
  }
  const Duration fraction = since_epoch(at) % seconds(1);
  ResetSpan span{
      .at = at, .grain = grain, .tick_offset = fraction < Duration::zero() ? fraction + seconds(1) : fraction};
  refresh(span, clock);
  return span;
}

void refresh(ResetSpan& span, const ServerClock& clock) noexcept {
  if (!span.at) return;
  const InstantSpan when = clock.when(*span.at);
  span.earliest = when.earliest;
  span.latest = when.latest;
}

Duration certain_gap(const ResetSpan& known, const ResetSpan& told) noexcept {
  if (known.at && told.at) return saturating_difference(since_epoch(*told.at), since_epoch(*known.at));
  if (told.earliest > known.latest) return difference(told.earliest, known.latest);
  if (told.latest < known.earliest) return difference(told.latest, known.earliest);
  return Duration::zero();
}

Duration jitter_of(const ResetSpan& known, const ResetSpan& told) noexcept {
  const bool both_at = known.at && told.at;
  const bool by_local_clock = known.by_local_clock && told.by_local_clock;
  return both_at || by_local_clock ? std::max(known.grain, told.grain) : Duration(milliseconds(100));
}

void tighten(ResetSpan& known, const ResetSpan& told, Contradiction contradiction) noexcept {
  const Duration gap = certain_gap(known, told);
  const bool later = contradiction == Contradiction::take_later;
  if (later ? gap > Duration::zero() : gap < Duration::zero()) known = told;
  if (gap != Duration::zero() || known.at || told.at) return;
  known.earliest = std::max(known.earliest, told.earliest);
  known.latest = std::min(known.latest, told.latest);
}

}}  // namespace noun
