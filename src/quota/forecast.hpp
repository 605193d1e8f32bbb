#pragma once
/// @file
/// How long a number of requests has to wait for a quota. Arithmetic only.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

/// What a number of requests needs.
struct Forecast {
  /// How often the quota has to be renewed; 0 where they fit into what is left.
  std::optional<std::size_t> renewals = {};
  /// Until the last of those renewals; zero without one.
  std::optional<Duration> wait = {};
};

/// Of a quota with windows.
/// @param requests   at least 0.
/// @param left       of the window, in-flight requests taken off.
/// @param limit      of the next windows.
/// @param resets_in  until the next window begins.
/// @param period     how long windows are, if that is known.
Forecast forecast_windows(std::int64_t requests, std::int64_t left, std::optional<std::int64_t> limit,
                          std::optional<Duration> resets_in, std::optional<Duration> period) noexcept;

/// What two quotas need of which a request needs a permit each: the longer wait; nothing of what one of them does not
/// know.
Forecast both(const Forecast& left, const Forecast& right) noexcept;

}}}  // namespace noun::quota
