#include "quota/forecast.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace quota {

Forecast forecast_windows(std::int64_t requests, std::int64_t left, std::optional<std::int64_t> limit,
                          std::optional<Duration> resets_in, std::optional<Duration> period) noexcept {
  const std::int64_t over = requests - std::max<std::int64_t>(left, 0);
  if (over <= 0) return {.renewals = 0, .wait = Duration::zero()};
  if (!limit || *limit < 1) return {};
  const std::int64_t windows = (over - 1) / *limit + 1;
  Forecast forecast{.renewals = static_cast<std::size_t>(windows)};
  if (!resets_in || (windows > 1 && !period)) return forecast;
  const std::int64_t more = windows - 1;
  const Duration each = period.value_or(Duration::zero());
  const bool fits = more == 0 || each <= (Duration::max() - *resets_in) / more;
  forecast.wait = fits ? *resets_in + more * each : Duration::max();
  return forecast;
}

Forecast both(const Forecast& left, const Forecast& right) noexcept {
  Forecast both;
  if (left.renewals && right.renewals) both.renewals = std::max(*left.renewals, *right.renewals);
  if (left.wait && right.wait) both.wait = std::max(*left.wait, *right.wait);
  return both;
}

}}}  // namespace noun::quota
