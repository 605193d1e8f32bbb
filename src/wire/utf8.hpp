#pragma once
/// @file
/// UTF-8 (RFC 3629).

#include <cstddef>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// U+FEFF, which may be the first character of a text and then is not part of it.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A decoded character: its code point and its length in bytes; length 0 if the bytes are not a valid character.
struct Utf8Character {
  char32_t code_point = 0;
  std::size_t length = 0;
};

/// Decodes the first character of `text`, which must not be empty.
///
///     UTF8-2 = %xC2-DF UTF8-tail
///     UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) / %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
///     UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) / %xF4 %x80-8F 2( UTF8-tail )
///
/// @source RFC 3629, section 4.
Utf8Character first_character(std::string_view text) noexcept;

/// Whether the bytes are valid UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
/// @source RFC 3629, section 4.
NOUN_API bool valid_utf8(std::string_view text) noexcept;

/// Appends a character.
/// @param code_point  at most U+10FFFF, and no surrogate.
void append_character(std::string& text, char32_t code_point);

}}}  // namespace noun::wire
