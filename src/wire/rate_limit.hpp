#pragma once
/// @file
/// The rate-limit fields of one answer: from their text to numbers and times. What follows from them is the quota
/// ledger's to decide, not ours.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// What one answer says about one quota; what it does not say, or not readably, is empty.
struct ToldQuota {
  std::string name = {};                           ///< empty for the first
  std::optional<std::int64_t> limit = {};          ///< at least 1
  std::optional<std::int64_t> remaining = {};      ///< at least 0
  std::optional<ResetReading> reset = {};
  std::optional<Duration> window = {};             ///< how long its windows are; greater than zero
  std::optional<double> refill_per_second = {};    ///< of a token bucket; greater than zero
};

/// What one answer says about its quotas.
struct RateLimitReading : ToldQuota {
  /// Further quotas, of which the request needed a permit as well; their names are not empty and differ.
  std::vector<ToldQuota> more = {};
  /// Which of the service's buckets the answer was counted on; empty if it does not say.
  std::string bucket = {};
  /// A rejection concerns all of the service's buckets.
  bool everywhere = false;
  std::optional<Duration> retry_after = {};
  std::optional<std::chrono::sys_seconds> date = {};
  /// There was a reset, but it could not be believed: too far ahead, or of no known form.
  bool implausible_reset = false;
};

/// Reads the fields that the dialect names; each unreadable one is dropped on its own.
/// @param now  the wall clock at receipt; stands in for a missing Date.
RateLimitReading read_rate_limit(const Headers& headers, const Dialect& dialect, WallTime now);

}  // namespace noun::inline v0::wire
