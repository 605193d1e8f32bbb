#include "decision/backoff.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 {

Duration backoff(const RetryPolicy& policy, int attempt, double spread) noexcept {
  auto delay = policy.initial_backoff;
  for (int doubled = 1; doubled < attempt && delay < policy.max_backoff; ++doubled)
    delay = delay > policy.max_backoff / 2 ? policy.max_backoff : delay * 2;
  delay = std::min(delay, policy.max_backoff);
  const auto stretch = static_cast<double>(delay.count()) * policy.jitter * spread;
  const auto room = static_cast<double>((Duration::max() - delay).count());
  return delay + Duration(static_cast<Duration::rep>(std::min(stretch, room * 0.5)));
}

RejectionWait wait_after_rejection(const Rejection& rejection) noexcept {
  const auto& [retry_after, freed_in, default_wait, count, again, spread, retry] = rejection;
  if (retry_after && !again) return {*retry_after, true};
  RetryPolicy policy = retry;
  policy.initial_backoff = std::max<Duration>(retry.initial_backoff, std::chrono::seconds(1));
  if (default_wait > Duration::zero()) policy.initial_backoff = default_wait;
  policy.max_backoff = std::max(retry.max_backoff, default_wait);
  const Duration own = backoff(policy, count, spread);
  if (retry_after && *retry_after >= own) return {*retry_after, true};
  const bool is_asked = retry_after && *retry_after > Duration::zero();
  if (is_asked || !freed_in) return {own, false};
  return {count == 1 ? *freed_in : std::max(*freed_in, own), false};
}

}}  // namespace noun
