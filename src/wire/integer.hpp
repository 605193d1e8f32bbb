#pragma once
/// @file
/// A text that is a decimal integer, and nothing else.

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// @returns  nothing for a text with anything before, in or behind the digits (a minus sign of a signed type is read),
///           and for a number that does not fit.
template <std::integral Integer>
std::optional<Integer> read_integer(std::string_view text) noexcept {
  Integer value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}}}  // namespace noun::wire
