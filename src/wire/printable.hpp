#pragma once
/// @file
/// Bytes from a server made fit to be shown. What may be shown at all (secrets) is not decided here.

#include <cstddef>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// The first bytes as one printable line: UTF-8 is kept, a control character becomes `.`, a broken byte U+FFFD, and
/// `…` says that there is more.
/// @param max  the most bytes of the result, the `…` included; it never ends within a character.
std::string printable_excerpt(std::string_view bytes, std::size_t max);

}}}  // namespace noun::wire
