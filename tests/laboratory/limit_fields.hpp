#pragma once
/// @file
/// The rate-limit header fields of a simulated server, including wrong ones.

#include <chrono>
#include <cstdint>

#include <noun/http.hpp>
#include <noun/time.hpp>

#include "laboratory/simulated_limit.hpp"

namespace laboratory {

using noun::Headers;

/// The form in which a server writes the reset.
enum class WrittenReset {
  epoch,               ///< since 1970-01-01T00:00:00Z on the server's clock, whole seconds, rounded up
  delta,               ///< from the response, whole seconds, rounded up
  absent,              ///< no reset
  epoch_down,          ///< as epoch, rounded down
  delta_down,          ///< as delta, rounded down
  delta_fraction,      ///< as delta, with three decimals, rounded up
  epoch_milliseconds,  ///< as epoch, whole milliseconds, rounded up
  rfc3339,             ///< `2026-01-20T12:01:00Z`, rounded up
  http_date,           ///< `Tue, 20 Jan 2026 12:01:00 GMT`, rounded up
};

/// How the reported reset is wrong.
enum class ResetLie {
  none,       ///< correct except for rounding
  hour_late,  ///< an hour too late
  now,        ///< always the current instant
  chance,     ///< a random instant within the next hour, determined by the seed
};

/// The options of the fields that report a limit.
struct LimitFieldOptions {
  WrittenReset reset = WrittenReset::epoch;  ///< the form of X-RateLimit-Reset
  bool counts = true;                        ///< whether there are X-RateLimit-Limit, -Remaining and -Reset
  bool retry_after = true;                   ///< whether a rejection has Retry-After: whole seconds, rounded up
  /// Whether successes have Retry-After too: seconds until the reset, with three decimals, rounded up.
  bool waits = false;
  bool date = true;               ///< whether there is a Date: whole seconds, rounded down
  ResetLie lie = ResetLie::none;  ///< how the reset is wrong
  std::uint64_t seed = 1;         ///< of the random choices
};

/// The fields of one response: Date, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset and Retry-After.
/// @param verdict  the result of counting the request.
/// @param at       the server's clock when it counted the request.
/// @param options  the form of the fields.
/// @threadsafety  uses nothing but its arguments.
Headers limit_fields(const LimitVerdict& verdict, WallTime at, const LimitFieldOptions& options = {});

}  // namespace laboratory
