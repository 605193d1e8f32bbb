#pragma once
/// @file
/// What a JSON error body says, whatever its shape: the keys under which services put their message, their code and
/// the fields at fault. How the words become a line is not decided here.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The parts of an error body; what it does not say is empty.
struct ErrorWords {
  std::string message;
  std::string detail;               ///< more than the message says
  std::string code;                 ///< the service's own name for the error
  std::vector<std::string> fields;  ///< `title can't be blank`, `email: Enter a valid address.`, or a bare name
};

/// Reads an error body. Never throws but for memory, and looks only a few levels deep.
ErrorWords error_words(const nlohmann::json& body);

}}}  // namespace noun::wire
