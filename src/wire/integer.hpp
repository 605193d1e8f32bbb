#pragma once
/// @file
/// Integers as text.

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// Reads a text that consists of one integer, decimal unless `base` is another; a signed type allows a minus sign.
/// @returns  nothing for a text with any other character, and for a number that does not fit.
template <std::integral Integer>
std::optional<Integer> read_integer(std::string_view text, int base = 10) noexcept {
  Integer value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}}}  // namespace noun::wire
