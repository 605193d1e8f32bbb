#include "quota/estimators/sliding_window.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

/// Spans of several responses must agree on an interval this narrow: it contains one length only.
constexpr Duration narrow = std::chrono::milliseconds(150);
/// The span since the start of a window grows with time: it does not match a length for this long.
constexpr Duration long_enough = std::chrono::milliseconds(200);
constexpr Duration blur_of_reset = std::chrono::milliseconds(50);
/// The server may have counted our requests in another order than their responses were received.
constexpr Duration order_blur = std::chrono::milliseconds(50);
/// How narrow the span of one response must be, as a part of the reported length.
constexpr int parts_of_a_length = 16;
/// After so many times the period per permit, a sliding counter too has freed a permit, whatever its rounding.
constexpr std::int64_t until_a_counter_frees = 3;

/// How long each request is counted, if the server counts exactly the last `used` of ours.
DurationSpan span_of_last(std::int64_t used, const Observation& seen, const RequestLog& log) noexcept {
  DurationSpan span{std::chrono::minutes(60), std::chrono::minutes(60)};  // the server counts more than we sent
  if (used <= log.size()) span.over = seen.sent_at - log.nth_last(used).received;
  if (used < log.size()) span.up_to = seen.received_at - log.nth_last(used + 1).sent;
  return span;
}

/// Whether the next permit may be freed at once, by the reset. If permits are freed one by one, it is.
bool frees_soon(const Observation& seen) noexcept {
  const auto reset = seen.near_reset();
  if (!reset) return true;
  // In an aligned window of two seconds, one second is left after one has passed.
  const Duration blur = reset->at && reset->grain >= seconds(1) ? -blur_of_reset : blur_of_reset;
  return reset->if_rounded_up().earliest < after(seen.received_at, blur);
}

}  // namespace

void SlidingWindow::on_response(const Observation& seen, const Account& account) {
  if (seen.outcome != Outcome::served) return;
  if (seen.window) reported_ = seen.window;
  if (!seen.remaining || !seen.limit || contradicted_) return;
  explained_ = false;
  if (*seen.limit > RequestLog::most_kept || seen.used() < 1 || *seen.remaining < 0) return;
  limit_ = *seen.limit;
  const RequestLog& log = account.log();
  if (log.size() > limit_ && log.nth_last(1).received <= seen.received_at)
    closest_ = std::min(closest_, seen.received_at - log.nth_last(limit_ + 1).sent);
  if (const auto reset = seen.near_reset(); reset && reset->grain >= seconds(1))
    if (const auto ahead = reset->ahead_of(seen.date)) {
      compare_counts(seen, log);
      if (seen.used() == 1 && seen.alone()) first_ahead_ = ahead;
      before_ = Count{seen.sent_at, seen.received_at, seen.used()};
    }
  compare_spans(seen, log);
  if (tentative_until_)
    settle(seen, log);
  else
    compare_opening(seen, log);
  if (period_ && seen.used() + limit_ / 8 + 1 < log.within(after(seen.received_at, -*period_), seen.sent_at)) {
    contradicted_ = true;
    period_.reset();
  }
  if (const auto known = period())
    explained_ = seen.used() - seen.in_flight.cost <= log.received_since(after(seen.sent_at, -*known));
}

/// More remains than before, although more is used than we sent since: no window has ended, and the oldest requests are
/// no longer counted.
void SlidingWindow::compare_counts(const Observation& seen, const RequestLog& log) noexcept {
  const std::int64_t since = before_ ? log.received_since(after(before_->sent, Duration(1))) : log.size();
  if (before_ && first_ahead_ && seen.alone() && seen.sent_at >= before_->received) {
    const std::int64_t rose = before_->used + 1 - seen.used();
    // For a token bucket that was full, the reset is at least the time per permit.
    const Duration each = first_ahead_->over;
    const bool too_many = each > Duration::zero() && rose - 1 > (seen.received_at - before_->sent) / each;
    if (rose >= 2 && seen.used() > perhaps_since_ + 1 && too_many) {
      const DurationSpan span = span_of_last(seen.used(), seen, log);
      if (const auto period = the_round_one_in({std::max(first_ahead_->over, span.over - order_blur),
                                                std::min(first_ahead_->up_to, span.up_to + order_blur)}))
        period_ = period;
    }
  }
  // After the end of a window, the next one counts no more than we sent since.
  if (seen.used() <= since) {
    ++perhaps_since_;
    perhaps_at_ = seen.received_at;
  } else if (seen.sent_at >= perhaps_at_) {
    perhaps_since_ = 0;
  }
}

/// If exactly the last of our requests are counted, they show for how long: within a few responses if many are freed
/// one by one.
void SlidingWindow::compare_spans(const Observation& seen, const RequestLog& log) noexcept {
  if (!seen.alone() || seen.used() < 2 || seen.used() >= log.size()) return;
  const DurationSpan span = span_of_last(seen.used(), seen, log);
  const DurationSpan both{std::max(spans_.over, span.over), std::min(spans_.up_to, span.up_to)};
  const bool agrees = agree_since_ && both.over < both.up_to;
  // A window has ended, but what was counted in it still is.
  const bool outlived = seen.news == WindowNews::opened && 2 * seen.used() > limit_;
  if (!agrees) {
    agree_since_.reset();
    if (span.up_to - span.over > narrow || !(outlived || frees_soon(seen))) return;
  }
  spans_ = agrees ? both : span;
  if (!agrees) agree_since_ = seen.sent_at;
  const Duration length = std::chrono::floor<seconds>(spans_.up_to);
  const bool one = length > spans_.over && length >= seconds(1) && spans_.up_to - spans_.over <= narrow;
  outlived_ = outlived || (agrees && outlived_);
  if (one && ((agrees && outlived_) || seen.sent_at - *agree_since_ >= long_enough)) period_ = length;
}

/// A reset that has just moved begins a window. If it already counts our earlier requests, they are counted for the time
/// up to the new reset. One response shows it: if nothing remains, no request is sent before that reset.
void SlidingWindow::compare_opening(const Observation& seen, const RequestLog& log) noexcept {
  if (period_ || seen.news != WindowNews::opened || !seen.alone()) return;
  if (2 * seen.used() <= limit_ || seen.used() < 2 || seen.used() >= log.size()) return;
  const auto reset = seen.near_reset();
  const auto ahead = reset ? reset->ahead_of(seen.date) : std::nullopt;
  if (!ahead) return;
  const DurationSpan span = span_of_last(seen.used(), seen, log);
  const Duration length = std::chrono::floor<seconds>(std::min(span.up_to, ahead->up_to));
  const bool fits = length > span.over && length > ahead->over && length >= seconds(1);
  if (!fits || span.up_to - span.over > length / parts_of_a_length) return;
  period_ = length;
  tentative_until_ = after(seen.received_at, length * std::min(until_a_counter_frees, limit_) / limit_);
}

void SlidingWindow::settle(const Observation& seen, const RequestLog& log) noexcept {
  if (!seen.alone()) return;
  const DurationSpan span = span_of_last(seen.used(), seen, log);
  const bool fits = period_ && *period_ > span.over && *period_ <= span.up_to;
  if (!fits) period_.reset();
  if (!fits || seen.sent_at >= *tentative_until_) tentative_until_.reset();
}

std::optional<Claim> SlidingWindow::claim(Instant now, const PermitRequest& request,
                                          const Account& account) const noexcept {
  const auto known = explained_ ? period() : std::nullopt;
  if (!known) return std::nullopt;
  if (limit_ < request.wanted()) return Claim{.earliest = after(now, recheck_interval)};
  if (const auto freed = account.log().freed_at(account.last_of(limit_, request.wanted()), *known))
    return Claim{std::max(*freed, tentative_until_.value_or(*freed))};
  // Requests in flight may already be counted; their responses will soon show it.
  const bool wait = account.in_flight().requests > 0;
  return wait ? Claim{.earliest = after(now, recheck_interval), .reason = WaitReason::concurrency}
              : Claim{.earliest = now};
}

}}}  // namespace noun::quota
