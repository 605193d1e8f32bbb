#include "decision/retry.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {

bool may_repeat(Verdict verdict, Method method, bool has_key) noexcept {
  switch (verdict) {
    case Verdict::limited:
    case Verdict::unprocessed:
    case Verdict::misdirected:
    case Verdict::still_running: return true;
    case Verdict::maybe_processed: return is_idempotent(method) || has_key;
    default: return false;
  }
}

bool BudgetAccount::take() noexcept {
  const std::lock_guard lock(mutex_);
  // 0.1 added ten times is slightly less than 1.
  if (tokens_ < 1 - 1e-9) return false;
  tokens_ = std::max(0.0, tokens_ - 1);
  return true;
}

void BudgetAccount::success() noexcept {
  const std::lock_guard lock(mutex_);
  tokens_ = std::min(budget_.capacity, tokens_ + budget_.per_success);
}

Rejection RejectionHistory::add(Instant now, std::optional<Duration> retry_after, Duration held) noexcept {
  if (!since_) {
    since_ = now;
    held_before_ = held;
  }
  const bool again = count_.has_value();
  count_ = count_.value_or(0) + (again || !retry_after ? 1 : 0);
  return {.retry_after = retry_after, .count = std::max(*count_, 1), .again = again};
}

Instant give_up_at(const RetryPolicy& policy, const RetryHistory& history, Instant now) noexcept {
  return after(after(history.first_fault.value_or(now), policy.give_up_after), history.held_since);
}

RetryDecision decide_retry(const RetryPolicy& policy, BudgetAccount& budget, const RetryHistory& history,
                           bool repeatable, const RequestedWait& requested, double spread, Instant now,
                           Instant deadline) noexcept {
  if (!repeatable) return {.stop = StopReason::not_repeatable};
  if (history.faults + history.at_once >= policy.max_attempts) return {.stop = StopReason::attempts};
  RetryDecision decision{.wait = backoff(policy, history.faults, spread)};
  const bool is_exact = requested.retry_after || history.progressed;
  if (const auto asked = requested.asked(); asked && (is_exact || *asked >= decision.wait)) {
    decision.wait = *asked;
    decision.reason = WaitReason::retry_after;
  }
  const auto again = after(now, decision.wait);
  if (again >= deadline || again > give_up_at(policy, history, now)) {
    decision.stop = StopReason::time;
    return decision;
  }
  if (!history.progressed && !budget.take()) decision.stop = StopReason::budget;
  return decision;
}

}}  // namespace noun
