// Parses the target of a request into percent-decoded path segments and query parameters.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atlas {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Target {
  std::string path;                   ///< as sent, still encoded: for messages
  std::vector<std::string> segments;  ///< split, then decoded: "a%2Fb" is one; "/" is one empty segment
  Parameters query;                   ///< decoded, in order; '+' is a space
};

/// Parses "/path?query" or "http://host/path?query".
/// Throws HttpError 400 if a % is not followed by two hexadecimal digits.
/// @source RFC 9112, section 3.2; RFC 3986, section 2.1.
Target parse_target(std::string_view text);

/// The path of a target, still encoded.
std::string_view path_of(std::string_view target);

/// Encodes every byte outside the unreserved set of RFC 3986 as %XX.
std::string percent_encode(std::string_view text);

/// "/a/b" for {"a", "b"}, each encoded as one segment; "" for none.
std::string join_path(const std::vector<std::string>& segments);

/// The parts of a base path: {"v1"} for "/v1", "v1" and "/v1/"; none for "".
std::vector<std::string> split_prefix(std::string_view prefix);

/// Throws the HttpError with status 404.
[[noreturn]] void throw_not_found(const Target& target);

}  // namespace atlas
