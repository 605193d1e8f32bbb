#pragma once
/// @file
/// Reads error bodies: RFC 9457 problem details, and the server's message in any of the common shapes.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <noun/error.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Whether a Content-Type is that of JSON: `application/json`, `text/json`, or one that ends in `+json`.
NOUN_API bool names_json(std::string_view content_type);

/// Reads problem details from a body of type application/problem+json, or of type application/json with the same shape
/// (an integer `status`, and a string `type`, `title` or `detail`). A member of the wrong type counts as absent.
/// @returns  nothing if the body has no problem details.
/// @source RFC 9457, section 3.
std::optional<Problem> parse_problem(std::string_view content_type, std::string_view body);

/// The parts of an error body; a missing part is empty.
struct ErrorWords {
  std::string message;
  std::string detail;               ///< what the body says beyond the message
  std::string code;                 ///< the server's own code for the error
  std::vector<std::string> fields;  ///< `title can't be blank`, `email: Enter a valid address.`, or a bare name
};

/// Reads an error body to a bounded depth. Throws only std::bad_alloc.
ErrorWords error_words(const nlohmann::json& body);

/// Hides the secrets in a text.
using Scrub = std::function<std::string(std::string_view text)>;

/// The server's error message as one printable line of at most 300 bytes. For HTML, text and malformed JSON an excerpt
/// of at most 200 bytes. Empty if there is no message.
/// @param scrub  applied after JSON was decoded and before anything is cut, and once more to what is shown.
std::string server_message(std::string_view content_type, std::string_view body, const Scrub& scrub);

}}}  // namespace noun::wire
