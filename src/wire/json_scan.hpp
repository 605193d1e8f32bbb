#pragma once
/// @file
/// JSON as bytes (RFC 8259): where things are, without building anything. It finds; it does not validate scalars, and
/// it decodes one text at most. Linear in the text, never recursive, so that no document is too deep for it.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace noun { inline namespace v0 { namespace wire {

/// Whether the bytes are UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
/// @source RFC 3629, section 4.
bool valid_utf8(std::string_view text);

/// The deepest nesting of arrays and objects, outside strings: 0 for a scalar, 1 for `[]`.
/// @param enough  where to stop counting: the answer is never more than `enough`.
std::size_t json_depth(std::string_view text, std::size_t enough = std::numeric_limits<std::size_t>::max());

/// A reference token of a JSON pointer without its escapes.
/// @source RFC 6901, section 4.
std::string unescaped_token(std::string_view token);

/// Where a document stops being one, and why.
struct JsonScanError {
  std::size_t offset = 0;  ///< in bytes, from the start of the text
  std::string what;        ///< a clause: `array expected, object found`
};

/// The elements of an array, each as the bytes of its value, valid as long as the text; or an error and no elements.
struct JsonElements {
  std::vector<std::string_view> elements;
  std::optional<JsonScanError> error;
  bool absent = false;  ///< the pointer leads to nothing
};

/// Splits the array at `pointer` (RFC 6901; empty is the root) into its elements. A last token `*` is the first member
/// that is an array. A byte order mark is skipped. The whole document must balance; what is inside an element is left
/// to the element's own decoder.
/// @returns  no elements and no error where a non-empty pointer leads to null or to nothing.
JsonElements json_elements(std::string_view text, std::string_view pointer);

/// The bytes of the value at `pointer`, the first of equal keys; nothing when there is none, or when the text before it
/// does not scan.
std::optional<std::string_view> json_at(std::string_view text, std::string_view pointer);

/// The text that the string at `pointer` stands for; nothing where there is no string, or one with a broken escape or
/// broken UTF-8.
std::optional<std::string> json_text_at(std::string_view text, std::string_view pointer);

}}}  // namespace noun::wire
