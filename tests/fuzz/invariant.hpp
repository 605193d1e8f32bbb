#pragma once
/// @file
/// What the fuzzers share: the check of an invariant, and readings of the input.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>
#include <vector>

namespace noun_fuzz {

/// Ends the process unless the invariant holds: libFuzzer keeps the input.
inline void require(bool holds, const char* invariant,
                    const std::source_location& at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: does not hold: %s\n", at.file_name(), static_cast<unsigned>(at.line()), invariant);
  std::abort();
}

/// The input, without a copy: the address sanitizer sees a read past its end.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Removes the text up to `separator`, or all of it, and returns it.
inline std::string_view take_part(std::string_view& text, char separator = '\n') {
  const auto part = text.substr(0, text.find(separator));
  text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
  return part;
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_part(text));
  return lines;
}

}  // namespace noun_fuzz
