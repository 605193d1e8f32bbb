// The least time in which requests can be done under a limit, by formula. Time runs from the first request's sending to
// the last answer; the way to the service and the way back take half of an exchange each.
#pragma once

#include <cstdint>

#include <noun/time.hpp>

namespace laboratory {

using noun::Duration;

/// What is to be done.
struct Work {
  std::int64_t requests = 0;   ///< at least 1
  std::int64_t in_flight = 1;  ///< at once, at the most; at least 1
  Duration exchange = {};      ///< what a request and its answer take
};

/// A fixed window as the work begins.
struct OpenWindow {
  std::int64_t limit = 0;  ///< of each window
  std::int64_t left = 0;   ///< of this one
  Duration resets_in = {};
  Duration period = {};
};

/// Where nothing limits.
Duration best_without_limit(const Work& work);
/// In fixed windows that follow each other; for windows that begin with their first request the first one has been
/// opened by the work itself.
Duration best_in_windows(const Work& work, const OpenWindow& window);
/// In a log of the last period that is empty at first.
Duration best_in_log(const Work& work, std::int64_t limit, Duration period);
/// In a bucket with `tokens` in it at first, to which `limit` flow back in a period.
Duration best_in_bucket(const Work& work, std::int64_t tokens, std::int64_t limit, Duration period);

}  // namespace laboratory
