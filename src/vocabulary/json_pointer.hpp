#pragma once
/// @file
/// Writes JSON pointers (RFC 6901).

#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// The pointer to the member of that name: `/a~1b` for `a/b`.
/// @source RFC 6901, section 3.
inline std::string pointer_to(std::string_view name) {
  std::string pointer = "/";
  for (const char c : name)
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  return pointer;
}

}}}  // namespace noun::detail
