#pragma once
// Words of the command line as what they stand for. What is wrong with one is a sentence that names the option and says
// what to do; it does not repeat a value, which may be a secret in the wrong place.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <noun/time.hpp>

namespace noun_export {

/// What does not make sense on the command line, as a sentence.
class Misuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All throw Misuse.
/// BASE_URL, without its trailing slash.
std::string base_url_of(std::string_view word);
/// PATH, with a slash in front.
std::string path_of(std::string_view word);
/// `id` and `/id` are `/id`.
std::string pointer_of(std::string_view option, std::string_view word);
/// A whole number within these.
std::int64_t number_of(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most);
/// 500ms, 90s, 15m, 2h.
noun::Duration time_of(std::string_view option, std::string_view word);
/// The name of an environment variable.
std::string variable_of(std::string_view option, std::string_view word);
/// The name of a header field.
std::string field_name_of(std::string_view option, std::string_view word);
/// `Name: value`, without a credential.
std::pair<std::string, std::string> header_of(std::string_view word);
/// `name=value`, without a credential.
std::pair<std::string, std::string> parameter_of(std::string_view word);

}  // namespace noun_export
