#include "quota/estimators/period_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// In longer windows a second matters little.
constexpr Duration longest_searched = seconds(15);
/// A request sent up to this long after a tried length still tests that length.
constexpr Duration soon_after = milliseconds(100);
/// The least gain that is worth a try.
constexpr Duration worth_trying = milliseconds(20);
/// How far the two clocks may drift apart during a window.
constexpr Duration clock_drift = milliseconds(5);

}  // namespace

/// Bounds the period by a reported reset. The reset is exact or rounded up, unless a rejection at a reset has shown
/// that it is rounded down.
void PeriodSearch::bound(const Observation& seen) noexcept {
  const ResetInterval& reset = *seen.reset;
  const bool rounded_down = seen.ends_by && *seen.ends_by > reset.latest;
  if (rounded_down && !std::exchange(rounded_down_, true)) {
    refuted_ = false;
    possible_ = {{}, Duration::max()};
  }
  const Instant earliest = rounded_down ? reset.earliest : reset.if_rounded_up().earliest;
  const Instant latest = rounded_down ? after(reset.latest, reset.grain) : reset.latest;
  possible_.over = std::max(possible_.over, earliest - clock_drift - (moves_ ? seen.received_at : first_->received));
  possible_.up_to = std::min(possible_.up_to, latest + clock_drift - (moves_ ? seen.sent_at : first_->sent));
  if (seen.ends_by) reset_ = *seen.ends_by;
  if (!is_possible(found_.value_or(possible_.up_to))) found_.reset();
}

void PeriodSearch::on_response(const Observation& seen, const RequestLog& log) noexcept {
  last_ = std::max(last_, seen.received_at);
  const auto reset = seen.near_reset();
  // A duration is exact for the request that opens the window, so there is nothing to search.
  if (!reset || !reset->at || reset->grain < seconds(1)) return;
  divisor_ = std::gcd(divisor_, std::chrono::ceil<seconds>(reset->at->time_since_epoch()).count());
  const std::int64_t ours = first_ ? log.received_since(first_->received) : 0;
  const bool counts_first = first_ && seen.sent_at > first_->received && seen.used() >= ours;
  const bool only_ours = seen.used() == ours && seen.perhaps_after.requests == 0 && seen.news != WindowNews::stale;
  if (counts_first && only_ours && *reset->at >= first_->reset + reset->grain) {
    if (!std::exchange(moves_, true)) possible_ = {{}, Duration::max()};
    return bound(seen);
  }
  if (extends_) return;
  if (seen.news == WindowNews::opened || (windows_ == 0 && seen.used() == 1)) {
    windows_ = std::min(windows_ + 1, 2);
    if (first_) on_end(seen);
    first_.reset();
    if (seen.used() != 1 || seen.perhaps_after.requests > 0) return;
    first_ = First{seen.sent_at, seen.received_at, *reset->at};
    bound(seen);
    return;
  }
  if (!first_ || seen.news != WindowNews::same || seen.sent_at <= first_->received) return;
  if (counts_first) {
    over_ = std::max(over_, seen.sent_at - first_->received);
    if (found_ && *found_ <= over_) found_.reset();
    bound(seen);
  } else if (seen.alone()) {
    on_end(seen);  // no window has ended, but the first request is no longer counted
  }
}

/// The first request is no longer counted. From the reset on, that is expected.
void PeriodSearch::on_end(const Observation& seen) noexcept {
  if (seen.sent_at >= reset_) return;
  const Duration length = std::chrono::floor<seconds>(seen.sent_at - first_->received);
  if (seen.received_at - first_->sent <= over_) over_ = Duration::zero();
  const Duration waited = seen.sent_at - first_->received - length;
  const Duration took = seen.received_at - seen.sent_at;
  const bool in_time = waited <= soon_after && took <= 2 * (first_->received - first_->sent) + soon_after / 2;
  if (!in_time || length <= over_ || !is_possible(length)) return;
  if (!found_ || length < *found_) found_ = length;
}

void PeriodSearch::on_refuted() noexcept {
  found_ = extends_ ? std::nullopt : guess();
  refuted_ = true;
  extends_ = false;
}

void PeriodSearch::on_rejected(const Observation& seen) noexcept {
  const auto reset = seen.near_reset();
  extends_ = extends_ || (refuted_ && found_ && reset && reset->at && reset->earliest > reset_);
  if (!extends_) found_.reset();
  last_ = std::max(last_, seen.received_at);
}

/// The longest length that admits a request before the reset.
std::optional<Duration> PeriodSearch::to_try() const noexcept {
  if (!first_ || found_ || refuted_ || windows_ < 2) return std::nullopt;
  const Duration most = std::min({reset_ - worth_trying - first_->received, possible_.up_to, longest_searched});
  const Duration length = std::chrono::floor<seconds>(most);
  if (length <= over_ || !is_possible(length) || length < seconds(1)) return std::nullopt;
  return length;
}

bool PeriodSearch::may_be_aligned(Duration tried) const noexcept {
  return divisor_ % (std::chrono::floor<seconds>(tried) / seconds(1) + 1) == 0;
}

std::optional<Duration> PeriodSearch::guess() const noexcept {
  if (found_) return found_;
  const auto length = to_try();
  return length && !may_be_aligned(*length) ? length : std::nullopt;
}

std::optional<Instant> PeriodSearch::due(Instant now, std::int64_t room) const noexcept {
  const auto length = to_try();
  if (!length || room > 1 || !may_be_aligned(*length)) return std::nullopt;
  const Instant at = first_->received + *length;
  return at >= now ? std::optional(at) : std::nullopt;
}

}}}  // namespace noun::quota
