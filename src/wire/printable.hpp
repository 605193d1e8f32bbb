#pragma once
/// @file
/// Makes bytes from a server safe to print. It does not hide secrets.

#include <cstddef>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The start of `bytes` as one printable line. Keeps UTF-8; white space is collapsed into single spaces, a control
/// character becomes `.`, an invalid byte U+FFFD. `…` at the end marks a cut.
/// @param max  the maximum size of the result in bytes, including the `…`; a character is never split.
NOUN_API std::string printable_excerpt(std::string_view bytes, std::size_t max);

/// The text as one printable line if it has no more than `max` bytes, or else its size, as words: a text of a server of
/// which secrets are hidden later. The start of a secret would not be recognized.
NOUN_API std::string printable_or_size(std::string_view text, std::size_t max);

/// A path between quotes, cut after 200 bytes.
NOUN_API std::string quoted_path(std::string_view path);

/// The same as printable_excerpt(), of any length.
std::string printable(std::string bytes);

}}}  // namespace noun::wire
