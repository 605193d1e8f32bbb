#pragma once
/// @file
/// The rate-limit fields of one answer: from their text to numbers and times. What follows from them is the quota
/// ledger's to decide, not ours.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/headers.hpp>
#include <noun/time.hpp>

#include "wire/told_quota.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// What one answer says about its quotas.
struct RateLimitReading : ToldQuota {
  /// Further quotas, of which the request needed a permit as well: at most 16. Their names differ and are 1 to 64
  /// printable ASCII characters.
  std::vector<ToldQuota> more = {};
  /// Which of the server's partitions the response was counted on: at most 64 printable ASCII characters; empty if it does
  /// not say.
  std::string partition = {};
  /// A rejection concerns all of the server's partitions.
  bool everywhere = false;
  /// From receipt; never negative.
  std::optional<Duration> retry_after = {};
  std::optional<std::chrono::sys_seconds> date = {};
  /// A quota is without a reset because the one told could not be believed: too far ahead, or of no known form.
  bool implausible_reset = false;
};

/// Reads the fields that the dialect names; each unreadable one is dropped on its own.
/// @param now  the wall clock at receipt; stands in for a missing Date.
RateLimitReading read_rate_limit(const Headers& headers, const Dialect& dialect, WallTime now);

}}}  // namespace noun::wire
