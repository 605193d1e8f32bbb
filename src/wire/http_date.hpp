#pragma once
/// @file
/// Dates in HTTP fields: HTTP-date (RFC 9110, section 5.6.7), RFC 3339, and the text of a JavaScript Date. Reading is
/// lenient, because servers write dates inexactly.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reads an HTTP-date in any of its three forms. Also reads: any case, `UTC` or a numeric zone, a one-digit day, dashes
/// with a four-digit year, a missing or wrong day name. A missing zone means GMT.
/// @param now  decides the century of a two-digit year: more than 50 years ahead is the past century.
/// @returns    nothing for other text, such as hour 24, February 30, or text after the date.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text, WallTime now);

/// Reads an HTTP-date as RFC 9110 writes it, in one of its three forms and in any case.
/// @param now  as above.
std::optional<std::chrono::sys_seconds> parse_http_date_exactly(std::string_view text, WallTime now);

/// Reads the text of a JavaScript Date: `Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Time)`. The zone's name
/// may be missing and is not checked.
/// @returns  nothing for other text.
/// @source   ECMA-262, section 21.4.4.41.4 (ToDateString).
std::optional<std::chrono::sys_seconds> parse_javascript_date(std::string_view text);

/// The date as IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. The year is clamped to 0 to 9999.
NOUN_API std::string format_http_date(std::chrono::sys_seconds when);

/// The date-time as RFC 3339 writes it, in UTC: `1994-11-06T08:49:37Z`. The year is clamped to 0 to 9999.
NOUN_API std::string format_rfc3339(std::chrono::sys_seconds when);

/// The same of any instant, with no fraction or 3, 6 or 9 digits of one: `1994-11-06T08:49:37.250Z`.
NOUN_API std::string format_rfc3339_exactly(WallTime when);

/// Reads an RFC 3339 date-time (section 5.6) with offset and fraction. Also reads: no seconds, a space instead of `T`,
/// no zone (UTC), an offset without a colon.
/// @returns  nothing for malformed text, and for a time that WallTime cannot represent (before 1678 or after 2261).
NOUN_API std::optional<WallTime> parse_rfc3339(std::string_view text);

/// Reads an RFC 3339 date-time as section 5.6 writes it, with `T` and `Z` in any case.
/// @returns  nothing for other text, for a leap second, for a fraction below a nanosecond, and for a time that WallTime
///           cannot represent.
std::optional<WallTime> parse_rfc3339_exactly(std::string_view text);

}}}  // namespace noun::wire
