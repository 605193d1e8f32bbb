#pragma once
/// @file
/// Reads the rate-limit fields of one response as numbers and times, for the quota gate.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/http.hpp>
#include <noun/time.hpp>

#include "wire/reported_quota.hpp"

namespace noun { inline namespace v0 { namespace wire {

/// How many further quotas of a response are read.
constexpr std::size_t most_further_quotas = 16;

/// The quotas that one response reports. Their counts are at most `largest_count`.
struct RateLimitReading : ReportedQuota {
  /// Further quotas that also counted the request. Their names are unique and have 1 to 64 printable ASCII characters; a
  /// longer one of a structured field has a digest in place of its partition key, or of all of it.
  std::vector<ReportedQuota> more = {};
  /// The server's partition that counted the response: at most 64 printable ASCII characters; empty if not reported.
  std::string partition = {};
  /// Whether a rejection applies to all of the server's partitions.
  bool everywhere = false;
  /// Counted from receipt; never negative.
  std::optional<Duration> retry_after = {};
  std::optional<std::chrono::sys_seconds> date = {};
  /// Whether a reported reset was dropped: it was too far ahead, or of no known form.
  bool implausible_reset = false;
};

/// Reads the fields that the dialect names; an unreadable field is dropped without effect on the others. Of a response
/// that a cache has had for more than two seconds only the wait is read: its counts are of another time.
/// @param now  the wall clock at receipt; used if the Date field is missing.
RateLimitReading read_rate_limit(const Headers& headers, const Dialect& dialect, WallTime now);

}}}  // namespace noun::wire
