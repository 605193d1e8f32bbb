#pragma once
/// @file
/// Finds values in JSON text (RFC 8259) without parsing it into a tree. Scalars are not validated. Linear in the length
/// of the text and not recursive, so deep nesting is harmless.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// Whether the bytes are valid UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
/// @source RFC 3629, section 4.
bool valid_utf8(std::string_view text);

/// The deepest nesting of arrays and objects: 0 for a scalar, 1 for `[]`.
/// @param enough  where to stop counting: the result is never more than `enough`.
NOUN_API std::size_t json_depth(std::string_view text, std::size_t enough = std::numeric_limits<std::size_t>::max());

/// The number of arrays, objects and scalars in valid JSON text; in malformed text at least those before the fault.
std::size_t json_values(std::string_view text) noexcept;

/// The first integer of valid JSON text that neither std::int64_t nor std::uint64_t can hold; empty if there is none. A
/// number with a fraction or an exponent is not an integer.
std::string_view json_integer_beyond_64_bits(std::string_view text) noexcept;

/// A reference token of a JSON pointer, unescaped.
/// @source RFC 6901, section 4.
std::string unescaped_token(std::string_view token);

/// The position at which a text stops being JSON, and the reason.
struct JsonScanError {
  std::size_t offset = 0;  ///< in bytes, from the start of the text
  std::string what;        ///< a clause: `array expected, object found`
};

/// The elements of an array, each as a view of its bytes in the text; or an error and no elements.
struct JsonElements {
  std::vector<std::string_view> elements;
  std::optional<JsonScanError> error;
  bool absent = false;    ///< the pointer leads to no value
  bool too_deep = false;  ///< arrays and objects are nested deeper than allowed; the rest may not have been read
};

/// Splits the array at `pointer` (RFC 6901; empty is the root) into its elements. A last token `*` means the first
/// member that is an array. A byte order mark is skipped. All brackets of the document must match; the content of an
/// element is checked only when the element is decoded.
/// @param max_depth  how deep arrays and objects of the document may be nested.
/// @returns          no elements and no error if a non-empty pointer leads to null or to no value.
JsonElements json_elements(std::string_view text, std::string_view pointer,
                           std::size_t max_depth = std::numeric_limits<std::size_t>::max());

/// The members of the object at `pointer`, each as an array of its name and its value: `["a",1]`, as views of `pairs`.
/// A last token `*` means the first member that is an object. Otherwise as json_elements().
/// @param pairs  replaced by the text of the arrays, one after the other.
JsonElements json_pairs(std::string_view text, std::string_view pointer, std::string& pairs,
                        std::size_t max_depth = std::numeric_limits<std::size_t>::max());

/// A value of a document, as a view of its bytes; or an error; or neither if the pointer leads to no value.
struct JsonValue {
  std::optional<std::string_view> value;
  std::optional<JsonScanError> error;
};

/// Finds the value at `pointer` (RFC 6901). All brackets of the document must match, so a cut document is an error.
JsonValue json_value(std::string_view text, std::string_view pointer);

/// The bytes of the value at `pointer`; of equal keys the first. Nothing if there is no value, or if the text before it
/// is malformed.
std::optional<std::string_view> json_at(std::string_view text, std::string_view pointer);

/// A member of an object.
struct JsonMember {
  std::string name;
  std::string_view value;
};

/// The members of the object that the text is, in their order. Those that have a readable name, up to where the text is
/// malformed; none if it is no object.
std::vector<JsonMember> json_members(std::string_view text);

/// The decoded string at `pointer`; nothing if there is no string, or one with an invalid escape or invalid UTF-8.
std::optional<std::string> json_text_at(std::string_view text, std::string_view pointer);

}}}  // namespace noun::wire
