#include "decision/backoff.hpp"

#include <algorithm>

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

}}  // namespace noun
