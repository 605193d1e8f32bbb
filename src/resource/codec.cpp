#include <noun/json.hpp>

#include <algorithm>

#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

bool nested_deeper(std::string_view json_text, std::size_t limit) noexcept {
  // Text with few brackets cannot be deep, and counting them is much faster than scanning.
  const auto opening =
      std::count(json_text.begin(), json_text.end(), '[') + std::count(json_text.begin(), json_text.end(), '{');
  return static_cast<std::size_t>(opening) > limit && wire::json_depth(json_text, limit + 1) > limit;
}

std::string_view integer_beyond_64_bits(std::string_view json_text) noexcept {
  return wire::json_integer_beyond_64_bits(json_text);
}

bool is_utf8(std::string_view text) noexcept { return wire::valid_utf8(text); }

}}}  // namespace noun::detail
