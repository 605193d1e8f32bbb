#pragma once
/// @file
/// The ways in which others write a word that they repeat. What to do where it is found is not decided here.

#include <cstddef>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// How many bytes at the beginning of `text` spell `word`: letter by letter as it is, as a JSON string may escape it
/// (`\/`, `\u002F`; RFC 8259, section 7), or percent-encoded (RFC 3986, section 2.1); 0 if they do not.
std::size_t length_of_spelling(std::string_view text, std::string_view word);

}}}  // namespace noun::wire
