#pragma once
/// @file
/// Spans of time as services write them: decimal numbers of a unit, and duration text. Instants live in http_date.

#include <optional>
#include <string_view>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reads `1*DIGIT [ "." 1*DIGIT ]` units: no sign, no exponent, no space.
/// @param unit  at least 1 ns, at most an hour.
/// @returns     rounded up to the nanosecond, so that no wait is ever shortened; Duration::max() for more than fits.
std::optional<Duration> parse_decimal_duration(std::string_view text, Duration unit);

/// Reads duration text as Go's `time.Duration` prints it: `6m0s`, `120ms`, `1h2m3.5s`.
///
///     duration = 1*( decimal unit )
///     unit     = "ns" / "us" / "µs" / "ms" / "s" / "m" / "h"
///
/// @returns  as above; nothing for a number without a unit.
std::optional<Duration> parse_duration_text(std::string_view text);

}}}  // namespace noun::wire
