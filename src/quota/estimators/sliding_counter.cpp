#include "quota/estimators/sliding_counter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// So much of the previous window must still be counted before a response tells one from an empty window.
constexpr std::int64_t least_carried = 2;
/// How exactly the weighted count must be known, as a part of the previous window's.
constexpr double narrow_part = 0.125;
/// A server counts in whole requests, and rounds the weighted count up or down.
constexpr double rounding_error = 1;
/// A reset that is reported as a duration tells windows apart only if they are longer than its rounding and a slow
/// response together: so long at least, and so many times its resolution.
constexpr Duration least_by_durations = std::chrono::seconds(2);
constexpr int least_grains = 3;
/// Longer windows are not taken for a sliding counter's.
constexpr Duration longest_counted = std::chrono::hours(24 * 100);

/// From one reset to a later one, or somewhat more.
Duration distance(const ResetInterval& from, const ResetInterval& to) noexcept {
  if (from.at && to.at) return certain_gap(from, to);
  const DurationSpan span{to.earliest - from.latest, to.latest - from.earliest};
  return the_round_one_in(span).value_or(span.up_to);
}

}  // namespace

void SlidingCounter::on_response(const Observation& seen, const Account&) {
  const bool counted = seen.outcome == Outcome::served;
  if (counted && !seen.remaining) level_.miss(seen.cost);
  if ((!counted && seen.outcome != Outcome::rejected) || !seen.limit || !seen.remaining || !seen.near_reset()) return;
  // Remaining rises within a window: only the reset tells whether it is another one.
  const Duration gap = window_ ? certain_gap(window_->end, *seen.reset) : Duration::max();
  const Duration jitter = window_ ? jitter_of(window_->end, *seen.reset) : Duration::zero();
  const bool here = gap >= -jitter;
  // By what was known before this response: the next window refills at another rate.
  const auto refilled_by = [&](Instant at) {
    return is_known() ? refilled(level_.at(), std::max(at, level_.at())) : 0.0;
  };
  const double since = refilled_by(seen.received_at);
  // It was rejected although a permit was there.
  const bool is_wrong = !counted && *seen.remaining == 0 && level_.with(refilled_by(seen.sent_at)) >= 0;
  refuted_ = refuted_ || (is_known() && is_wrong);
  if (gap > jitter) open(seen);
  if (counted && here) window_->served += seen.cost;
  if (counted && !here) window_->served_before += seen.cost;
  if (here) compare(seen);
  if (!fits_) {
    level_ = {};
    return;
  }
  level_.on_response(seen, PermitLevel::Refill{.since = since, .during = refilled(seen.sent_at, seen.received_at)});
}

void SlidingCounter::open(const Observation& seen) noexcept {
  const std::int64_t sent_before = seen.sent.cost - seen.in_flight.cost - seen.cost;
  const bool counted = seen.outcome == Outcome::served;
  if (window_) {
    const Duration length = distance(window_->end, *seen.reset);
    if (const auto reported = seen.window.value_or(Duration::zero()); reported > Duration::zero())
      period_ = reported;
    else if (period_ == Duration::zero() || length < period_)
      period_ = length;
    // A clock of the server that was set moves a reset by any time.
    period_ = std::min(period_, longest_counted);
    const bool follows = length < period_ + period_ / 2;
    before_ = follows ? Count{window_->served, seen.sent.cost - window_->sent_before} : Count{};
    expected_before_ = follows && window_->expected;
  }
  window_ = Window{
      .end = *seen.reset, .sent_before = sent_before, .served_before = seen.served.cost - (counted ? seen.cost : 0)};
}

/// A window that starts empty counts no more than we sent in it.
void SlidingCounter::compare(const Observation& seen) noexcept {
  if (window_->ruled_out || period_ <= Duration::zero() || before_.least < least_carried) return;
  tighten(window_->end, *seen.reset, Contradiction::take_later);
  const bool counted = seen.outcome == Outcome::served;
  const auto part = [&](Duration ahead) { return std::clamp(seconds_of(ahead) / seconds_of(period_), 0.0, 1.0); };
  const InstantSpan ends = window_->end.if_rounded_up();
  const bool certainly_here = window_->end.at ? seen.reset->at == window_->end.at : seen.received_at < ends.earliest;
  const Duration least_period = std::max(least_by_durations, least_grains * window_->end.grain);
  const bool is_long_enough = window_->end.at || period_ >= least_period;
  if (!certainly_here || !is_long_enough || !seen.alone()) return;
  // A reset that is farther away than a window is long is no end of a window.
  if (ends.earliest - seen.received_at > period_) return rule_out();
  const double least_part = part(ends.earliest - seen.received_at);
  const double most_part = part(ends.latest - seen.sent_at);
  const Count own{
      std::max<std::int64_t>(seen.served_before.cost - window_->served_before, 0) + (counted ? seen.cost : 0),
      std::max<std::int64_t>(seen.sent.cost - window_->sent_before, 0)};
  const auto used = seen.used();
  const double least = as_double(before_.least) * least_part - rounding_error;
  const double most = as_double(before_.most) * most_part + rounding_error;
  const Count carried{used - own.most, used - own.least};
  if (as_double(carried.most) < least) return rule_out();
  const bool is_expected = carried.least >= least_carried && as_double(carried.least) <= most;
  // Two windows in a row tell as much as an exact reset.
  const bool is_certain = most_part - least_part <= narrow_part || expected_before_;
  window_->expected = window_->expected || is_expected;
  // What other clients use is never less than before.
  const bool fell = carried.most <= window_->carried - least_carried;
  window_->carried = std::max(window_->carried, carried.least);
  fits_ = fits_ || fell || (is_expected && is_certain);
}

double SlidingCounter::refilled(Instant from, Instant to) const noexcept {
  const Instant end = window_->end.latest;
  const auto in = [&](Instant begin, Instant until, std::int64_t count) {
    return begin < until ? as_double(count) * seconds_of(until - begin) / seconds_of(period_) : 0.0;
  };
  return in(from, std::min(to, end), before_.least) +
         in(std::max(from, end), std::min(to, after(end, period_)), window_->served);
}

std::optional<Claim> SlidingCounter::claim(Instant now, const PermitRequest& request, const Account&) const noexcept {
  if (!is_known()) return std::nullopt;
  const auto at = when(request.wanted());
  if (at) return Claim{std::max(*at, now)};
  // After another period nothing is known of what is counted then.
  const Instant last = after(window_->end.latest, period_);
  return now < last ? std::optional(Claim{last}) : std::nullopt;
}

std::optional<Instant> SlidingCounter::when(std::int64_t permits) const noexcept {
  const auto missing = [&](Instant from) {
    return as_double(permits) - level_.permits() - refilled(level_.at(), from);
  };
  const auto reached = [&](Instant from, std::int64_t count) {
    const double wait = std::min(missing(from) * seconds_of(period_) / as_double(count), 1e9);
    return after(from, std::chrono::ceil<Duration>(std::chrono::duration<double>(wait)) + Duration(1));
  };
  if (missing(level_.at()) <= 0) return level_.at();
  const Instant end = std::max(window_->end.latest, level_.at());
  if (missing(end) <= 0) return reached(level_.at(), before_.least);
  if (missing(after(window_->end.latest, period_)) <= 0) return reached(end, window_->served);
  return std::nullopt;
}

bool SlidingCounter::is_whole() const noexcept {
  const auto is_usual = [](Instant at) {
    constexpr auto far = Instant(Duration::max() / 4);
    return at > Instant(-far.time_since_epoch()) && at < far;
  };
  const bool has_period = period_ > Duration::zero() || (period_ == Duration::zero() && !fits_);
  return level_.is_whole() && is_count(before_.least) && is_count(before_.most) && has_period &&
         period_ <= longest_counted && (window_ || !fits_) &&
         (!window_ ||
          (is_count(window_->served) && is_count(std::abs(window_->sent_before)) && is_count(window_->served_before) &&
           is_count(window_->carried) && is_usual(window_->end.earliest) && is_usual(window_->end.latest)));
}

}}}  // namespace noun::quota
