#pragma once
/// @file
/// Finds a word in text that may have been escaped.

#include <cstddef>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// How many bytes at the start of `text` spell `word`, letter by letter: literal, JSON-escaped (`\/`, `\u002F`; RFC
/// 8259, section 7) or percent-encoded (RFC 3986, section 2.1); 0 if they do not.
std::size_t length_of_spelling(std::string_view text, std::string_view word);

}}}  // namespace noun::wire
