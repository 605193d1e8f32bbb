#pragma once
/// @file
/// How a simulated service writes its rate limit into an answer's header fields, also where it does not tell the truth.

#include <chrono>
#include <cstdint>

#include <noun/headers.hpp>
#include <noun/simulated_limit.hpp>
#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// How a service writes its reset.
enum class ServiceReset {
  epoch,               ///< since 1970-01-01T00:00:00Z on the service's clock, whole seconds, rounded up
  delta,               ///< from the answer on, whole seconds, rounded up
  absent,              ///< not at all
  epoch_down,          ///< as epoch, rounded down
  delta_down,          ///< as delta, rounded down
  delta_fraction,      ///< as delta, with three digits behind the point, rounded up
  epoch_milliseconds,  ///< as epoch, whole milliseconds, rounded up
  rfc3339,             ///< `2026-01-20T12:01:00Z`, rounded up
  http_date,           ///< `Tue, 20 Jan 2026 12:01:00 GMT`, rounded up
};

/// What is wrong with the reset that a service tells.
enum class ResetLie {
  none,       ///< nothing but its rounding
  hour_late,  ///< an hour too late
  now,        ///< always this instant
  chance,     ///< any instant within the next hour, by the seed
};

/// A service's conventions for the fields of its limit.
struct LimitFieldOptions {
  ServiceReset reset = ServiceReset::epoch;  ///< the form of X-RateLimit-Reset
  bool counts = true;                        ///< whether there are X-RateLimit-Limit, -Remaining and -Reset
  bool retry_after = true;                   ///< whether a rejection has Retry-After: whole seconds, rounded up
  /// Whether successes have Retry-After, too: seconds until the reset, with three decimals, rounded up.
  bool waits = false;
  bool date = true;               ///< whether there is a Date: whole seconds, rounded down
  ResetLie lie = ResetLie::none;  ///< what is wrong with the reset
  std::uint64_t seed = 1;         ///< of the chance
};

/// The fields of one answer: Date, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset and Retry-After.
/// @param verdict  what became of the request.
/// @param at       the service's clock when it counted the request.
/// @param options  how the service spells it.
/// @threadsafety  touches nothing but its arguments.
NOUN_API Headers limit_fields(const LimitVerdict& verdict, WallTime at, const LimitFieldOptions& options = {});

}}}  // namespace noun::testing
