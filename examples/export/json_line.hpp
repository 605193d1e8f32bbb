#pragma once
// Items as lines of JSON, as the service wrote them: nothing but white space and the spelling of strings may differ, so
// that no number is rounded and no member is moved.

#include <optional>
#include <string>
#include <string_view>

#include <noun/json.hpp>

namespace noun_export {

/// One item, or a part of one, without a line break in it.
struct JsonLine {
  std::string text;
};

/// The value at `pointer` in `json`, on one line: numbers digit for digit, members in their order.
/// @param json     JSON text, as deep as the stack allows for: noun has looked at that before.
/// @param pointer  a JSON pointer (RFC 6901); empty is the whole.
/// @param fault    a clause that says what is wrong, where there is no line.
/// @returns        nothing where `json` is no JSON, or has nothing there.
std::optional<JsonLine> line_at(std::string_view json, std::string_view pointer, std::string& fault);

}  // namespace noun_export

template <>
struct noun::Codec<noun_export::JsonLine> {
  /// As noun::Codec says.
  static noun::Result<noun_export::JsonLine> decode(std::string_view text);
};
