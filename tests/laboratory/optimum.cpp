#include "laboratory/optimum.hpp"

#include <algorithm>
#include <vector>

#include "laboratory/simulated_limit.hpp"

namespace laboratory {

Duration best_without_limit(const Work& work) { return divided_up(work.requests, work.in_flight) * work.exchange; }

Duration best_in_windows(const Work& work, const OpenWindow& window) {
  const auto exchange = std::max<std::int64_t>(work.exchange.count(), 1);
  const auto sendable = [&](Duration in) -> std::int64_t { return work.in_flight * in.count() / exchange; };
  const std::int64_t now = std::min(window.left, sendable(window.resets_in));
  if (work.requests <= now) return best_without_limit(work);
  const std::int64_t rest = work.requests - now;
  const std::int64_t of_each = std::min(window.limit, sendable(window.period));
  const std::int64_t windows = divided_up(rest, of_each);
  const std::int64_t last = rest - (windows - 1) * of_each;
  return window.resets_in + (windows - 1) * window.period - work.exchange / 2 +
         divided_up(last, work.in_flight) * work.exchange;
}

Duration best_in_log(const Work& work, std::int64_t limit, Duration period) {
  std::vector<Duration> sent;
  for (std::int64_t i = 0; i < work.requests; ++i) {
    Duration at = {};
    if (i >= work.in_flight) at = sent[static_cast<std::size_t>(i - work.in_flight)] + work.exchange;
    if (i >= limit) at = std::max(at, sent[static_cast<std::size_t>(i - limit)] + period);
    sent.push_back(at);
  }
  return sent.back() + work.exchange;
}

Duration best_in_bucket(const Work& work, std::int64_t tokens, std::int64_t limit, Duration period) {
  const Duration flow = std::max<std::int64_t>(work.requests - tokens, 0) * period / limit + work.exchange;
  return std::max(best_without_limit(work), flow);
}

}  // namespace laboratory
