#pragma once
// Text of a service, for a terminal.

#include <string>
#include <string_view>

namespace noun_export {

/// One line that cannot move a cursor: a space for each control, a question mark for each byte that is no UTF-8.
std::string printable(std::string_view text);

}  // namespace noun_export
