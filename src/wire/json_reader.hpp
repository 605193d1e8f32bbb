#pragma once
/// @file
/// Parses JSON text (RFC 8259).

#include <string_view>

#include <noun/detail/json_events.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Reports the value of a text to `events`. Not recursive, so deep nesting is harmless. Views that `events` gets are
/// valid during the event.
/// @returns  false, after any events, if the text is not JSON, begins with a byte order mark, or has a number that no
///           event can report: an integer beyond 64 bits, or one that a double cannot represent, as 1e999 and 1e-400.
bool read_json(std::string_view text, detail::JsonEvents& events);

}}}  // namespace noun::wire
