#pragma once
/// @file
/// The fields RateLimit and RateLimit-Policy in all forms that their drafts have defined. The separate fields
/// (RateLimit-Limit, ...) are read in rate_limit.
/// @source draft-ietf-httpapi-ratelimit-headers, revisions 04 to 11; for the names `a` and `w` of a limit
///         github.com/ietf-wg-httpapi/ratelimit-headers, pull request 164.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The state of one quota: how much of it is left.
struct ReportedLimit {
  std::string name = {};       ///< empty before revision 08
  std::string partition = {};  ///< the bytes of `pk`; quotas with the same name and different partitions are different
  std::optional<std::int64_t> limit = {};      ///< revision 07 only
  std::optional<std::int64_t> remaining = {};  ///< at least 0
  std::optional<Duration> resets_in = {};      ///< whole seconds from receipt; not negative
  std::optional<std::int64_t> cost = {};       ///< of the request; at least 0

  friend bool operator==(const ReportedLimit&, const ReportedLimit&) = default;
};

/// One quota policy: how much it allows in which window.
struct ReportedPolicy {
  std::string name = {};
  std::string partition = {};
  std::int64_t quota = 0;               ///< at least 0
  std::optional<Duration> window = {};  ///< whole seconds; greater than zero
  std::string unit = {};                ///< `qu`

  /// Whether the quota is a number of requests.
  bool counts_requests() const noexcept { return unit.empty() || unit == "requests" || unit == "request"; }

  friend bool operator==(const ReportedPolicy&, const ReportedPolicy&) = default;
};

/// Reads RateLimit: a list of named limits (revisions 08 and later), or one limit as a dictionary (07).
/// @param lines  the field's values, one per line.
/// @returns      nothing if any part of the field is malformed, as the drafts require.
std::optional<std::vector<ReportedLimit>> parse_rate_limit_field(const std::vector<std::string_view>& lines);

/// Reads RateLimit-Policy: a list of named policies (revisions 08 and later) or of bare quotas (04 to 07).
/// @param lines  the field's values, one per line.
/// @returns      nothing if any part of the field is malformed.
std::optional<std::vector<ReportedPolicy>> parse_rate_limit_policy(const std::vector<std::string_view>& lines);

}}}  // namespace noun::wire
