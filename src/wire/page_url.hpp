#pragma once
/// @file
/// Reads or sets one query parameter of a page's URL; the rest of the URL stays unchanged.

#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// `url` with the query parameter `name` set to `value`; other parameters and their order stay unchanged.
std::string with_parameter(std::string_view url, std::string_view name, std::string_view value);
/// The value of the query parameter `name` in `url`, still percent-encoded.
std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name);

}}}  // namespace noun::wire
