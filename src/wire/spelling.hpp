#pragma once
/// @file
/// Finds a word in text that may have been escaped.

#include <cstddef>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// How many bytes at the start of `text` spell `word`, letter by letter, in upper or lower case; 0 if they do not. A
/// letter is literal, JSON-escaped (`\/`, `\u002F`; RFC 8259, section 7), percent-encoded any number of times (`%2F`,
/// `%252F`; RFC 3986, section 2.1), or a character reference of HTML (`&#x2F;`, `&amp;`). A `+` is also a space.
std::size_t length_of_spelling(std::string_view text, std::string_view word);

}}}  // namespace noun::wire
