#pragma once
/// @file
/// The query parameters of a page's URL: one is read or set, and the rest stays as it is.

#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// `url` with the query parameter `name` set to `value`; other parameters and their order stay byte for byte.
std::string with_parameter(std::string_view url, std::string_view name, std::string_view value);
/// The value of the query parameter `name` of `url`, as written there.
std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name);

}}}  // namespace noun::wire
