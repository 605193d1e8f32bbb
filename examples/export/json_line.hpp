#pragma once
// Items as lines of JSON, as the server sent them: only white space and the escapes of strings may change. Numbers are
// not rounded, and members keep their order.

#include <optional>
#include <string>
#include <string_view>

#include <noun/json.hpp>

namespace noun_export {

/// An item, or a part of one, without line breaks.
struct JsonLine {
  std::string text;
};

/// The value at `pointer` in `json`, on one line: numbers digit for digit, members in their order.
/// @param json     JSON text; noun has already checked its depth.
/// @param pointer  a JSON pointer (RFC 6901); empty for the whole text.
/// @param fault    set to a clause that says what is wrong, if there is no line.
/// @returns        nullopt if `json` is not JSON, or has no value there.
std::optional<JsonLine> line_at(std::string_view json, std::string_view pointer, std::string& fault);

}  // namespace noun_export

template <>
struct noun::Codec<noun_export::JsonLine> {
  /// See noun::Codec.
  static noun::Result<noun_export::JsonLine> decode(std::string_view text);
};
