#pragma once
/// @file
/// Entity tags (ETag).

#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// Whether two entity tags are equal, weak or not.
/// @source RFC 9110, section 8.8.3.2, weak comparison.
constexpr bool weakly_equal(std::string_view left, std::string_view right) noexcept {
  constexpr std::string_view weak = "W/";
  if (left.starts_with(weak)) left.remove_prefix(weak.size());
  if (right.starts_with(weak)) right.remove_prefix(weak.size());
  return left == right;
}

}}}  // namespace noun::wire
