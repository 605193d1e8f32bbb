#pragma once
/// @file
/// Writes JSON text. In an edit all other bytes stay unchanged, so no number loses precision and no key moves.

#include <optional>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Whether the text is JSON: of any depth, and with integers of any size.
NOUN_API bool is_json_text(std::string_view text);

/// The text as a JSON string with quotes. Invalid UTF-8 is replaced by U+FFFD.
std::string json_quoted(std::string_view text);

/// `text` with `value` at `pointer` (RFC 6901; empty is the root). Replaces the value that is there. Creates missing
/// objects on the way, also in place of null. An empty text counts as an empty object.
/// @returns  nothing if `text` or `value` is not JSON, or if the pointer leads into a scalar or to a missing array
///           element.
std::optional<std::string> with_json_at(std::string_view text, std::string_view pointer, std::string_view value);

}}}  // namespace noun::wire
