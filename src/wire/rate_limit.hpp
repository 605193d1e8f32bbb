#pragma once
/// @file
/// The rate-limit fields of one answer: from their text to numbers and times. What follows from them is the quota
/// ledger's to decide, not ours.

#include <chrono>
#include <cstdint>
#include <optional>

#include <noun/dialect.hpp>
#include <noun/headers.hpp>
#include <noun/time.hpp>

namespace noun::inline v0::wire {

/// When the quota is renewed; exactly one of the two is set.
struct ResetReading {
  /// From the receipt of the answer; never negative.
  std::optional<Duration> in;
  /// On the server's clock; may be in the past.
  std::optional<WallTime> at;
};

/// What one answer says about the quota; what it does not say, or not readably, is empty.
struct RateLimitReading {
  std::optional<std::int64_t> limit;      ///< at least 1
  std::optional<std::int64_t> remaining;  ///< at least 0
  std::optional<ResetReading> reset;
  std::optional<Duration> retry_after;
  std::optional<std::chrono::sys_seconds> date;
  /// There was a reset, but it could not be believed: too far ahead, or of no known form.
  bool implausible_reset = false;
};

/// Reads the fields that `names` names; each unreadable one is dropped on its own. Where none of them is there, the
/// structured fields RateLimit and RateLimit-Policy; of several limits the one of which the least is left.
/// @param now             the wall clock at receipt; stands in for a missing Date.
/// @param farthest_reset  a reset further ahead than this is not believed.
RateLimitReading read_rate_limit(const Headers& headers, const RateLimitHeaders& names, WallTime now,
                                 Duration farthest_reset = std::chrono::hours(24));

}  // namespace noun::inline v0::wire
