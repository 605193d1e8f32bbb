#pragma once
/// @file
/// The text of a JSON error body, in any of the common shapes: message, code and invalid fields. problem.hpp makes one
/// line of it.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The parts of an error body; a missing part is empty.
struct ErrorWords {
  std::string message;
  std::string detail;               ///< what the body says beyond the message
  std::string code;                 ///< the server's own code for the error
  std::vector<std::string> fields;  ///< `title can't be blank`, `email: Enter a valid address.`, or a bare name
};

/// Reads an error body to a bounded depth. Throws only std::bad_alloc.
ErrorWords error_words(const nlohmann::json& body);

}}}  // namespace noun::wire
