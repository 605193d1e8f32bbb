#include "quota/estimators/reset_probe.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration widest_worth_keeping = milliseconds(40);
/// If the previous window was searched: another search costs the caller up to a second if this window is the last.
constexpr Duration widest_once_searched = milliseconds(100);
constexpr Duration shortest_step = milliseconds(5);
/// A process that is this late measures another fraction of a second.
constexpr Duration too_late = milliseconds(100);

}  // namespace

void ResetProbe::restart(const std::optional<InstantSpan>& before) noexcept {
  *this = {};
  if (before && before->width() < milliseconds(500)) before_ = before;
}

InstantSpan ResetProbe::guess(const ResetInterval& reset) const noexcept {
  InstantSpan guess{reset.earliest, reset.latest};
  if (!before_ || before_->earliest > reset.latest) return guess;
  // Most windows are whole seconds long: the previous one ended at the same fraction of a second.
  const Instant same_place = before_->earliest + (reset.latest - before_->earliest) / seconds(1) * seconds(1);
  guess.earliest = std::max(guess.earliest, same_place);
  return guess;
}

std::optional<ResetProbe::Measurement> ResetProbe::due(Instant now, const ResetInterval& reset, Duration exchange,
                                                       std::int64_t spare, bool once) const noexcept {
  if (planned_) return planned_;
  const Duration known_to = reset.latest - reset.earliest;
  if (reset.by_local_clock || reset.latest <= now || known_to > seconds(10)) return {};
  const Duration good_enough = std::max(before_ ? widest_once_searched : widest_worth_keeping, 4 * exchange);
  if (!started_ && guess(reset).width() <= good_enough) return {};
  if (known_to <= milliseconds(10) + 2 * exchange) return {};
  const Instant goal = next_goal(reset, exchange, spare);
  Instant last_tick = goal - reset.tick_offset;
  if (last_tick > reset.earliest) last_tick -= seconds(1);  // after the reset the permit would be lost
  if (last_tick < now) return {};
  const Instant at = last_tick - (last_tick - now) / seconds(1) * seconds(1);
  if (once && at > started_.value_or(now) + seconds(1)) return {};
  return Measurement{.at = at, .goal = goal};
}

std::optional<ResetProbe::Measurement> ResetProbe::planned(Instant now) const noexcept {
  return planned_ && now < after(planned_->at, too_late) ? planned_ : std::nullopt;
}

Instant ResetProbe::next_goal(const ResetInterval& reset, Duration exchange, std::int64_t spare) const noexcept {
  const Instant guessed = guess(reset).earliest;
  if (guessed > reset.earliest && guessed < reset.latest && tested_ < guessed) return guessed;
  const Instant from = tested_ < reset.latest ? std::max(reset.earliest, tested_) : reset.earliest;
  const Duration step = std::max({(reset.latest - from) / (spare + 1), shortest_step, exchange});
  if (from + step < reset.latest) return from + step;
  return reset.earliest + (reset.latest - reset.earliest) / 2;
}

}}}  // namespace noun::quota
