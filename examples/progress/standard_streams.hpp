#pragma once
// The standard streams of a program, which may be closed, full or stopped.

#include <string_view>

namespace progress {

/// Opens the null device for each standard stream that is closed: otherwise the next file or socket would be that
/// stream, and receive what is written to it. To write to a standard output that was closed stays an error. Call it
/// first.
/// @throws std::system_error  if the null device cannot be opened.
void open_closed_streams();

/// Writes to standard error in one call, so that lines of other programs are not mixed in. Errors are ignored.
void print_error(std::string_view text) noexcept;

}  // namespace progress
