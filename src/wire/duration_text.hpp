#pragma once
/// @file
/// Durations as text: decimal numbers of a unit, and Go duration text. For dates see http_date.

#include <optional>
#include <string_view>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reads `1*DIGIT [ "." 1*DIGIT ]` units: no sign, no exponent, no space.
/// @param unit  at least 1 ns, at most an hour.
/// @returns     rounded up to the nanosecond, so that no wait is shortened; Duration::max() if the value does not fit.
std::optional<Duration> parse_decimal_duration(std::string_view text, Duration unit);

/// Reads duration text as Go's `time.Duration` prints it: `6m0s`, `120ms`, `1h2m3.5s`.
///
///     duration = 1*( decimal unit )
///     unit     = "ns" / "us" / "µs" / "ms" / "s" / "m" / "h"
///
/// @returns  rounded up and limited as in parse_decimal_duration(); nothing for a number without a unit.
std::optional<Duration> parse_duration_text(std::string_view text);

}}}  // namespace noun::wire
