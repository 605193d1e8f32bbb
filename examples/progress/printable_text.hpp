#pragma once
// Makes text from a server safe for a terminal.

#include <string>
#include <string_view>

namespace progress {

/// One line without control characters and marks that change the direction of text: a space replaces each of them, a
/// question mark each byte that is not UTF-8.
std::string printable(std::string_view text);

}  // namespace progress
