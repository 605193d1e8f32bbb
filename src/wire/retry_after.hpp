#pragma once
/// @file
/// The Retry-After field: from its text to a wait.

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// How long the server asks to wait, from the receipt of the response.
/// @param values  the field's values, one per line. Of several waits that can be read the longest counts.
/// @param date    the response's Date, the reference for dates.
/// @param now     used if Date is missing, and to distinguish an epoch time from a number of seconds.
/// @returns       0 for a date in the past; Duration::max() if the wait does not fit; nothing if no value can be read.
/// @source RFC 9110, section 10.2.3. Decimals, RFC 3339 and epoch times are accepted in addition.
std::optional<Duration> parse_retry_after(const std::vector<std::string_view>& values,
                                          std::optional<std::chrono::sys_seconds> date, WallTime now);

}}}  // namespace noun::wire
