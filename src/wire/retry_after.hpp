#pragma once
/// @file
/// The Retry-After field: from its text to a wait. Whether to wait is not decided here.

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// How long the service asks to wait, from the receipt of the answer.
/// @param values  the field's values, one per line; of several numbers the largest counts, of different dates none.
/// @param date    the answer's own Date, which dates are measured against.
/// @param now     stands in for a missing Date, and tells an epoch stamp from a number of seconds.
/// @returns       0 for a date in the past; Duration::max() for more than fits; nothing for what cannot be read.
/// @source RFC 9110, section 10.2.3; beyond it decimals, RFC 3339 and epoch stamps are read.
std::optional<Duration> parse_retry_after(const std::vector<std::string_view>& values,
                                          std::optional<std::chrono::sys_seconds> date, WallTime now);

}}}  // namespace noun::wire
