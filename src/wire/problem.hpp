#pragma once
/// @file
/// Reads error bodies: RFC 9457 problem details, and the server's message in other shapes.

#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reads problem details from a body of type application/problem+json, or of type application/json with the same shape
/// (an integer `status`, and a string `type`, `title` or `detail`). A member of the wrong type counts as absent.
/// @returns  nothing if the body has no problem details.
/// @source RFC 9457, section 3.
std::optional<Problem> parse_problem(std::string_view content_type, std::string_view body);

/// The server's error message as one printable line of at most 300 bytes. For HTML, text and malformed JSON an excerpt
/// of at most 200 bytes. Empty if there is no message.
std::string server_message(std::string_view content_type, std::string_view body);

}}}  // namespace noun::wire
