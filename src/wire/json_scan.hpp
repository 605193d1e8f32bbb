#pragma once
/// @file
/// Finds values in JSON text (RFC 8259) without parsing it: as views of its bytes, which no parser gives. Scalars are not
/// validated. Linear in the length of the text and not recursive, so deep nesting is harmless.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// How large the tree of a JSON text would be; of malformed text at least what is before the fault.
struct JsonShape {
  std::size_t depth = 0;   ///< the deepest nesting of arrays and objects: 0 for a scalar, 1 for `[]`
  std::size_t values = 1;  ///< arrays, objects and scalars
};
NOUN_API JsonShape json_shape(std::string_view text) noexcept;

/// The position at which a text stops being JSON, and the reason.
struct JsonScanError {
  std::size_t offset = 0;  ///< in bytes, from the start of the text
  std::string what;        ///< a clause: `array expected, object found`
};

/// The elements of an array, or the names and values of an object in turn, each as a view of its bytes in the text; or
/// an error and no elements.
struct JsonElements {
  std::vector<std::string_view> elements;
  std::optional<JsonScanError> error;
  bool absent = false;  ///< the pointer leads to no value
};

/// Splits the array at `pointer` (RFC 6901; empty is the root), or with `opening` `{` the object, into its elements. A
/// last token `*` means the first member that begins with `opening`. A byte order mark is skipped. All brackets of the
/// document must match; the content of an element is checked only when the element is decoded.
/// @param max_depth  how deep arrays and objects of the document may be nested.
/// @returns          no elements and no error if a non-empty pointer leads to null or to no value.
JsonElements json_elements(std::string_view text, std::string_view pointer,
                           std::size_t max_depth = std::numeric_limits<std::size_t>::max(), char opening = '[');

/// The value at `pointer`, as the only element. All brackets of the document must match, so a cut document is an error.
JsonElements json_value(std::string_view text, std::string_view pointer);

/// The bytes of the value at `pointer`; of equal keys the first. Nothing if there is no value, or if the text before it
/// is malformed.
std::optional<std::string_view> json_at(std::string_view text, std::string_view pointer);

/// The members of the object that the text is, in their order, by their decoded names; none if it is no object.
std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view text);

/// The decoded string at `pointer`; nothing if there is no string, or one with an invalid escape or invalid UTF-8.
NOUN_API std::optional<std::string> json_text_at(std::string_view text, std::string_view pointer);

/// The scalar at `pointer` as text: a string as json_text_at() decodes it, a number, `true` or `false` as it is written.
/// Nothing for null, an array, an object, no value, or an empty pointer.
std::optional<std::string> json_scalar_at(std::string_view text, std::string_view pointer);

}}}  // namespace noun::wire
