#pragma once
/// @file
/// Forecast of how long a number of requests waits for a quota. Arithmetic only.

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
Forecast forecast_windows(std::int64_t requests, std::int64_t left, std::optional<std::int64_t> limit,
                          std::optional<Duration> resets_in, std::optional<Duration> period) noexcept;

/// Forecast for requests that need a permit of both quotas: the longer wait. A value is empty if either forecast lacks
/// it.
Forecast both(const Forecast& left, const Forecast& right) noexcept;

}}}  // namespace noun::quota
