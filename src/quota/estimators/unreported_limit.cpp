#include "quota/estimators/unreported_limit.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

constexpr std::int64_t longest_patience = 64;
/// If fewer requests were served, a single rejection may have another cause.
constexpr std::int64_t enough = 5;
/// A rejected try may delay its call by a second or more.
constexpr Duration wait_of_a_try = seconds(1);
constexpr Duration least_patience = seconds(5);
/// A limit of one request in a period up to this long is paced: it cannot be told from a bucket.
constexpr Duration longest_single = std::chrono::milliseconds(2500);
/// With so few requests in a period, the gaps are worth measuring in fractions of a second.
constexpr std::int64_t few = 2;

}  // namespace

void UnreportedLimit::on_response(const Observation& seen, const Account& account) {
  if (seen.remaining) reported_ = true;
  trying_ = seen.guessed && period_ && !reported_;
  if (reported_) return;
  if (pace_) {
    if (seen.outcome == Outcome::rejected) pace_->on_rejected(seen.sent_at, seen.received_at);
    if (seen.outcome == Outcome::served && seen.healthy) pace_->on_served(seen.sent_at, seen.received_at);
    if (pace_->is_refuted()) end_pace(seen.received_at);
    return;
  }
  if (seen.outcome == Outcome::rejected) on_rejected(seen, account);
  if (seen.outcome == Outcome::served && seen.healthy) on_served(seen, account);
}

void UnreportedLimit::on_served(const Observation& seen, const Account& account) {
  if (starts_pace(seen, account)) return;
  if (trying_) {
    const auto& log = account.log();
    const Instant replaced = log.nth_last(std::min(count_ + 1, log.size())).received;
    on_try(true, seen.sent_at - replaced, seen.received_at);
  }
  const bool again = rejected_at_ && seen.sent_at > *rejected_at_;
  if (again && !period_)
    learn(seen.received_at);
  else if (again)
    lower();
  if (again && count_ == 1 && capacity_ > 0 && period_ && *period_ <= longest_single)
    pace_.emplace(seen.sent_at, *period_, capacity_);
  if (again) rejected_at_.reset();
  if (again || (period_ && seen.sent_at >= after(*started_, *period_))) {
    if (!period_) over_ = {};
    started_ = seen.sent_at;
    served_ = 0;
  }
  ++served_;
}

/// Starts to pace if a permit was free again soon after the last one was used.
bool UnreportedLimit::starts_pace(const Observation& seen, const Account& account) noexcept {
  const bool tested = may_be_bucket() && (rejected_at_ ? seen.sent_at > *rejected_at_ : trying_);
  if (!tested) return false;
  const auto& log = account.log();
  const Instant emptied = rejected_at_.value_or(log.nth_last(std::min<std::int64_t>(2, log.size())).received);
  const Duration gap = seen.sent_at - emptied;
  if (gap <= Duration::zero() || gap > refill_wait() + refill_wait() / 2) return false;
  pace_.emplace(seen.sent_at, *period_ / count_, capacity_);
  return true;
}

/// Takes up the count per period again, which was known before.
void UnreportedLimit::end_pace(Instant now) noexcept {
  pace_.reset();
  refilled_at_once_ = true;
  capacity_ = 0;
  rejected_at_.reset();
  started_ = now;
  served_ = 0;
}

/// The count was served, and the period has passed since its first request.
void UnreportedLimit::learn(Instant now) noexcept {
  small_cycles_ = served_ < enough ? small_cycles_ + 1 : 0;
  const Duration length = now - *started_;
  capacity_ = std::max(capacity_, served_);
  if (length > longest_period || small_cycles_ == 1) return;
  count_ = std::clamp<std::int64_t>(served_, 1, RequestLog::most_kept);
  period_ = length;
  refilled_at_once_ = over_ > length / 4;
  growth_.next = after(now, std::max(length, least_patience) * growth_.patience);
}

void UnreportedLimit::on_rejected(const Observation& seen, const Account& account) {
  if (trying_ && may_be_bucket()) {
    refilled_at_once_ = true;
    const Instant first = account.log().nth_last(std::min(count_, account.log().size())).received;
    over_ = std::clamp(seen.sent_at - first, over_, *period_);
    return;
  }
  if (trying_) {
    const auto& log = account.log();
    const Instant first = log.size() > 0 ? log.nth_last(std::min(count_, log.size())).received : seen.sent_at;
    return on_try(false, seen.sent_at - first, seen.received_at);
  }
  const bool again = rejected_at_ && seen.sent_at > *rejected_at_;
  if (may_be_bucket() && again) refilled_at_once_ = true;
  if (may_be_bucket() && !rejected_at_ && served_ < count_) {
    count_ = std::max<std::int64_t>(served_, 1);
    period_ = std::clamp<Duration>(seen.sent_at - limited_at_.value_or(*started_), Duration(1), longest_period);
    if (2 * served_ <= capacity_) return void(pace_.emplace(seen.received_at, *period_ / count_, capacity_));
  }
  if (!rejected_at_ || again) limited_at_ = seen.sent_at;
  if (again) over_ = std::max(over_, seen.sent_at - *started_);
  // Servers round Retry-After up to whole seconds.
  if (seen.retry_after && !period_) over_ = std::max<Duration>(over_, *seen.retry_after - seconds(1));
  over_ = std::min(over_, longest_period);
  rejected_at_ = again ? seen.received_at : rejected_at_.value_or(seen.received_at);
}

/// @param span  time in which the known count of requests was served before this one.
void UnreportedLimit::on_try(bool served, Duration span, Instant now) noexcept {
  if (const auto length = shorter()) {
    const Duration tried = std::min(*period_, std::max(*length, span));
    (served ? *period_ : over_) = tried;
    return;
  }
  if (!served) {
    growth_.patience = std::min(growth_.patience * 2, longest_patience);
    growth_.step = 1;
    growth_.grown = 0;
    growth_.next = after(now, std::max(*period_, least_patience) * growth_.patience);
    return;
  }
  const bool more = span < *period_ && count_ < RequestLog::most_kept;
  if (more) {
    ++count_;
    if (++growth_.grown < growth_.step) return;
    growth_.patience = 1;
    growth_.step *= 2;
  }
  growth_.grown = 0;
  growth_.next = after(now, *period_);
}

/// The next period to try: the shortest usual one, since a period that is too short costs only its rejection; otherwise
/// whole seconds.
std::optional<Duration> UnreportedLimit::shorter() const noexcept {
  const Duration clearly = *period_ - least_lead();
  for (const Duration usual : round_periods)
    if (usual > over_ && usual < clearly) return usual;
  const Duration rest = *period_ - over_;
  Duration length = std::chrono::floor<seconds>(*period_);
  if (length >= clearly) length = std::chrono::floor<seconds>(*period_ - std::max<Duration>(seconds(1), rest / 3));
  if (length < seconds(1) && count_ <= few && rest > *period_ / 8) length = over_ + rest / 2;
  return length > over_ && length < clearly ? std::optional(length) : std::nullopt;
}

bool UnreportedLimit::is_whole() const noexcept {
  const bool learned = period_ && started_ && *period_ > Duration::zero() && *period_ <= longest_period && count_ > 0;
  return (learned || !period_) && (started_ || !rejected_at_) && growth_.patience > 0 &&
         growth_.patience <= longest_patience && over_ >= Duration::zero() && over_ <= longest_period &&
         count_ >= 0 && count_ <= RequestLog::most_kept && is_count(served_) && is_count(growth_.grown) &&
         is_count(growth_.step) && is_count(capacity_) && (!pace_ || pace_->is_whole());
}

std::optional<Instant> UnreportedLimit::admits_at(const PermitRequest& request, const Account& account) const noexcept {
  if (reported_ || !period_) return std::nullopt;
  if (pace_) return pace_->next();
  if (rejected_at_ && may_be_bucket()) return after(*rejected_at_, refill_wait());
  const std::int64_t last = std::max<std::int64_t>(account.last_of(count_, request.wanted()), 1);
  return account.log().freed_at(last, *period_).value_or(Instant::min());
}

std::optional<Claim> UnreportedLimit::claim(Instant now, const PermitRequest& request,
                                            const Account& account) const noexcept {
  const auto known = admits_at(request, account);
  if (!known) return std::nullopt;
  if (pace_) return Claim{.earliest = std::max(*known, now), .trust = Trust::proven};
  // Requests in flight may not be counted yet: their responses show when they were.
  if (request.wanted() + account.in_flight().cost > count_)
    return Claim{.earliest = after(now, recheck_interval), .trust = Trust::proven, .reason = WaitReason::concurrency};
  if (*known <= now) return Claim{.earliest = now, .trust = Trust::proven};
  if (may_be_bucket() && !rejected_at_) {
    const Instant refilled = after(account.log().nth_last(1).received, refill_wait());
    if (refilled < after(*known, -least_lead()))
      return Claim{.earliest = std::max(refilled, now), .conclusive = false};
  }
  const auto length = shorter();
  const Instant at = std::max(length ? after(*known, *length - *period_) : growth_.next, now);
  // A larger count is not tried near the end of a period: the call of a rejected try waits for a second.
  const bool in_time = length || at == now || after(at, wait_of_a_try) <= *known;
  if (in_time && at <= after(*known, -least_lead())) return Claim{.earliest = at, .conclusive = false};
  return Claim{.earliest = *known, .trust = Trust::proven};
}

}}}  // namespace noun::quota
