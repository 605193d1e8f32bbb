#pragma once
/// @file
/// JSON text with one value set: all else stays byte for byte, so that no number loses a digit and no key its place.

#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// The text as a JSON string, with its quotes; what is not UTF-8 in it is replaced.
std::string json_quoted(std::string_view text);

/// `text` with `value` at `pointer` (RFC 6901; empty is the root), in place of what is there. Objects that lack on the
/// way are made, also in place of null; an empty text is an empty object.
/// @returns  nothing where `text` or `value` is not JSON, and where the pointer leads into a scalar, or to an element
///           that an array does not have.
std::optional<std::string> with_json_at(std::string_view text, std::string_view pointer, std::string_view value);

}}}  // namespace noun::wire
