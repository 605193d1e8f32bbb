#pragma once
/// @file
/// JSON pointers (RFC 6901).

#include <cstddef>
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

/// The name, or the index, that a reference token of a pointer means: `a/b` for `a~1b`.
/// @source RFC 6901, section 4.
inline std::string name_of(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    name += escape ? (token[++i] == '1' ? '/' : '~') : token[i];
  }
  return name;
}

}}}  // namespace noun::detail
