// The target of a request, taken apart: path segments and query parameters, percent-decoded one by one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atlas {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Target {
  std::string path;                   ///< as sent, still encoded: for messages
  std::vector<std::string> segments;  ///< decoded after splitting, so "a%2Fb" is one; "/" is one empty segment
  Parameters query;                   ///< decoded, in order; '+' is a space
};

/// Takes apart "/path?query" or "http://host/path?query".
/// Throws Refusal 400 when a % is not followed by two hexadecimal digits.
/// @source RFC 9112, section 3.2; RFC 3986, section 2.1.
Target parse_target(std::string_view text);

/// The path of a target, still encoded.
std::string_view path_of(std::string_view target);

/// Every byte outside the unreserved set of RFC 3986 as %XX.
std::string percent_encode(std::string_view text);

/// "/a/b" for {"a", "b"}, each encoded as one segment; "" for none.
std::string join_path(const std::vector<std::string>& segments);

/// The parts of a base path: {"v1"} for "/v1", "v1" and "/v1/"; none for "".
std::vector<std::string> split_prefix(std::string_view prefix);

}  // namespace atlas
