#pragma once
// Parses the values of the command line. An error names the option and says what to do. It does not repeat the value,
// which may be a secret.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <noun/time.hpp>

namespace noun_export {

/// An invalid command line, as a sentence.
class Misuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All functions throw Misuse.
/// BASE_URL, without a trailing slash.
std::string base_url_of(std::string_view word);
/// PATH, with a leading slash.
std::string path_of(std::string_view word);
/// A JSON pointer: both `id` and `/id` are `/id`.
std::string pointer_of(std::string_view option, std::string_view word);
/// A whole number from `least` to `most`.
std::int64_t number_of(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most);
/// A duration such as 500ms, 90s, 15m or 2h.
noun::Duration time_of(std::string_view option, std::string_view word);
/// The name of an environment variable.
std::string variable_of(std::string_view option, std::string_view word);
/// The place of shared quotas: a directory, or the URL of a Redis server without a user and password.
/// @param from_env  the option that reads a place from the environment.
std::string place_of(std::string_view option, std::string_view from_env, std::string_view word);
/// The name of a header field.
std::string field_name_of(std::string_view option, std::string_view word);
/// `Name: value`, without a credential.
std::pair<std::string, std::string> header_of(std::string_view word);
/// The name of a query parameter.
std::string parameter_name_of(std::string_view option, std::string_view word);
/// `name=value`, without a credential.
std::pair<std::string, std::string> parameter_of(std::string_view word);
/// `name=pointer`: the name of a query parameter and a JSON pointer.
std::pair<std::string, std::string> resume_with_of(std::string_view option, std::string_view word);

}  // namespace noun_export
