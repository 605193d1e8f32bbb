#pragma once
/// @file
/// The parts of detail::beyond_limits().

#include <optional>
#include <string_view>

#include <noun/json.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// The fault of a text that is nested deeper than Limits::json_depth.
DecodeFault too_deep(std::string_view subject, const Limits& limits);
/// The fault of a text with more values than Limits::json_values; nothing if it has not.
std::optional<DecodeFault> too_many_values(std::string_view subject, std::string_view json_text, const Limits& limits);

}}}  // namespace noun::detail
