#pragma once
/// @file
/// The fields Deprecation and Sunset: that a resource is, or will be, given up.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <noun/http.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// What a response reports about the end of its resource.
struct Deprecation {
  bool deprecated = false;                                     ///< now, or at `since`
  std::optional<std::chrono::sys_seconds> since = {};          ///< past or future; nothing if it is not reported
  std::optional<std::chrono::sys_seconds> unavailable_at = {};  ///< when it may stop responding (Sunset)
  /// Where the server says more: absolute; empty for nowhere.
  std::string link = {};
};

/// Reads Deprecation and Sunset, and the Link with the relation type `deprecation`, or else `sunset`.
/// @param url  of the response, to resolve the Link.
/// @param now  for the century of a date.
/// @returns    nothing if neither field can be read.
/// @source RFC 9745; an HTTP-date and `true` in Deprecation are of its drafts. RFC 8594.
std::optional<Deprecation> read_deprecation(const Headers& headers, std::string_view url, WallTime now);

}}}  // namespace noun::wire
