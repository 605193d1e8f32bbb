#pragma once
/// @file
/// Parses JSON with simdjson, if noun is built with it: by simdjson_parser.cpp, and otherwise by no_simdjson.cpp, which
/// leaves every text to nlohmann.

#include <string_view>

#include <noun/detail/json_parser.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reports the value of a text to `events`. Recursive up to 1,024 levels; deeper text is refused.
/// @returns  false, and no events, if nlohmann is to read the text.
bool read_by_simdjson(std::string_view text, detail::JsonEvents& events);

}}}  // namespace noun::wire
