// The least time in which requests can be done under a limit, by formula. Time runs from sending the first request to
// receiving the last response. Each way takes half of a round trip.
#pragma once

#include <cstdint>

#include <noun/time.hpp>

namespace laboratory {

using noun::Duration;

/// The work to do.
struct Work {
  std::int64_t requests = 0;   ///< at least 1
  std::int64_t in_flight = 1;  ///< maximum at a time; at least 1
  Duration exchange = {};      ///< duration of a round trip
};

/// A fixed window at the start of the work.
struct OpenWindow {
  std::int64_t limit = 0;  ///< of each window
  std::int64_t left = 0;   ///< of this one
  Duration resets_in = {};
  Duration period = {};
};

/// Without a limit.
Duration best_without_limit(const Work& work);
/// In consecutive fixed windows. For windows that open with their first request, the work itself has opened the first
/// one.
Duration best_in_windows(const Work& work, const OpenWindow& window);
/// In a sliding log that is empty at the start.
Duration best_in_log(const Work& work, std::int64_t limit, Duration period);
/// In a token bucket with `tokens` at the start, and a refill of `limit` tokens per period.
Duration best_in_bucket(const Work& work, std::int64_t tokens, std::int64_t limit, Duration period);

}  // namespace laboratory
