#pragma once
/// @file
/// Reads the query parameters of a URL, or sets one of them; the rest of the URL stays unchanged. Expands URL templates.

#include <optional>
#include <string>
#include <string_view>

#include <noun/http.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// A parameter as the query has it, percent-encoded. Without an equals sign the value is the empty text after the name.
struct WrittenParameter {
  std::string_view name;
  std::string_view value;
};

/// Removes the first parameter of a query that is not empty, and returns it.
NOUN_API WrittenParameter take_parameter(std::string_view& query) noexcept;

/// `url` with the query parameter `name` set to `value`; other parameters and their order stay unchanged.
NOUN_API std::string with_parameter(std::string_view url, std::string_view name, std::string_view value);
/// The value of the query parameter `name` in `url`, still percent-encoded.
NOUN_API std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name);
/// All query parameters of `url`, decoded, in their order. One with an invalid percent-encoding is left out.
NOUN_API Query decoded_query(std::string_view url);
/// A URL template without values for its variables: expressions such as `{&sort}` are left out. One without an operator
/// stays: it may be a value, such as a set in `tags={1,2}`. Linear in the length of the text.
/// @source RFC 6570, sections 2.2 and 3.2.1.
std::string without_expressions(std::string_view url);

}}}  // namespace noun::wire
