#pragma once
/// @file
/// Percent-encoding (RFC 3986, section 2.1): data into URLs and back. How a URL is put together is not decided here.

#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// Appends `id` as one path segment: everything but the unreserved characters (RFC 3986, section 2.3) is encoded, so
/// that no id can end the segment, start a query or move up. An empty id, `.` and `..` stay what they are, since no
/// encoding makes them safe: the caller refuses them.
void append_segment(std::string& out, std::string_view id);

/// Appends the name or the value of a query parameter: everything but the unreserved characters is encoded, a space as
/// `%20`, which every service reads, where `+` is read by form decoders only.
void append_query(std::string& out, std::string_view text);

/// The bytes that `text` stands for; nothing when a `%` is not followed by two hexadecimal digits. `+` is itself.
std::optional<std::string> percent_decode(std::string_view text);

}}}  // namespace noun::wire
