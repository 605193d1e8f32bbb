#pragma once
/// @file
/// Forecast of how long a number of requests waits for a quota. Arithmetic only.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

/// The forecast for a number of requests.
struct Forecast {
  /// How often the quota has to be renewed; 0 if the requests fit into what remains.
  std::optional<std::size_t> renewals = {};
  /// Time until the last of those renewals; zero if there is none.
  std::optional<Duration> wait = {};
};

/// Forecast for a quota with windows.
/// @param requests   at least 0.
/// @param left       remaining in this window, less the requests in flight.
/// @param limit      of the next windows.
/// @param resets_in  time until the next window starts.
/// @param period     length of a window, if known.
inline Forecast forecast_windows(std::int64_t requests, std::int64_t left, std::optional<std::int64_t> limit,
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

/// Forecast for requests that need a permit of both quotas: the longer wait. A value is empty if either forecast lacks
/// it.
inline Forecast both(const Forecast& left, const Forecast& right) noexcept {
  Forecast both;
  if (left.renewals && right.renewals) both.renewals = std::max(*left.renewals, *right.renewals);
  if (left.wait && right.wait) both.wait = std::max(*left.wait, *right.wait);
  return both;
}

}}}  // namespace noun::quota
