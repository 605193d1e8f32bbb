#pragma once
/// @file
/// Parses JSON text (RFC 8259).

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <noun/detail/json_events.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reports the value of a text to `events`. Not recursive, so deep nesting is harmless. Views that `events` gets are
/// valid during the event.
/// @returns  false, after any events, if the text is not JSON, begins with a byte order mark, or has a number that no
///           event can report: an integer beyond 64 bits, or one that a double cannot represent, as 1e999 and 1e-400.
bool read_json(std::string_view text, detail::JsonEvents& events);

/// As read_json(), by the parser of nlohmann: it skips a byte order mark, ends at a NUL byte, reads an integer beyond 64
/// bits as a double and 1e-400 as 0.
/// @returns  why the text is not JSON, as nlohmann's exception says it; nothing if it is.
std::optional<std::string> read_json_by_nlohmann(std::string_view text, detail::JsonEvents& events);

/// Whether nlohmann can parse the text.
bool parses_as_json(std::string_view text);

/// The text as nlohmann parses it; discarded if it is not JSON.
nlohmann::json parsed_json(std::string_view text);

}}}  // namespace noun::wire
