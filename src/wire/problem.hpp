#pragma once
/// @file
/// Error bodies: the problem report of RFC 9457, and a service's own words in whatever shape it puts them. How an
/// Error is worded around them is not decided here.

#include <optional>
#include <string>
#include <string_view>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The problem report in the body: of type application/problem+json, or application/json of the same shape (an integer
/// `status`, and a text `type`, `title` or `detail`). A member of the wrong type counts as absent.
/// @returns  nothing when the body is not one.
/// @source RFC 9457, section 3.
std::optional<Problem> parse_problem(std::string_view content_type, std::string_view body);

/// What the service says went wrong, in one printable line of at most 300 bytes; for HTML, text and broken JSON an
/// excerpt of at most 200; empty when there is nothing to say.
std::string service_message(std::string_view content_type, std::string_view body);

}}}  // namespace noun::wire
