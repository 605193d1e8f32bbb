#pragma once
/// @file
/// Dates as services write them: HTTP-date (RFC 9110, section 5.6.7), RFC 3339, and the text of a JavaScript Date. What
/// a date means for a wait is not decided here.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reads an HTTP-date in any of its three forms, and what services write instead of it: any case, `UTC` or a numeric
/// zone, a one-digit day, dashes with a four-digit year, no or the wrong day name. No zone means GMT.
/// @param now  decides the century of a two-digit year: more than 50 years ahead is the past century.
/// @returns    nothing for anything else: an hour of 24, a 30th of February, text behind the date.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text, WallTime now);

/// Reads the text that JavaScript makes of a Date: `Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Time)`. The
/// zone's name may be missing, and is not looked at.
/// @returns  nothing for anything else.
/// @source   ECMA-262, section 21.4.4.41.4 (ToDateString).
std::optional<std::chrono::sys_seconds> parse_javascript_date(std::string_view text);

/// The date as IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. The year is kept within 0 to 9999.
std::string format_http_date(std::chrono::sys_seconds when);

/// Reads an RFC 3339 date-time (section 5.6), with its offset and fraction. Lenient where services are: without
/// seconds, a space for the `T`, no zone (UTC), an offset without colon.
/// @returns  nothing when malformed, and when the clock's type cannot hold it (before 1678 or after 2261).
std::optional<WallTime> parse_rfc3339(std::string_view text);

}}}  // namespace noun::wire
