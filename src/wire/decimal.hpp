#pragma once
/// @file
/// Decimal numbers with a fraction as text.

#include <optional>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reads a text that consists of one number, such as `12`, `0.5` or `1e3`; finite, and not negative.
/// @returns  nothing for a text with any other character, and for a number that a double cannot represent.
NOUN_API std::optional<double> read_decimal(std::string_view text) noexcept;

/// The same, where the standard library has no std::from_chars() of a double: libc++ before version 20.
std::optional<double> read_decimal_with_strtod(std::string_view text) noexcept;

}}}  // namespace noun::wire
