#pragma once
// One export, from the first request to the last line.

#include <stop_token>

#include "export_arguments.hpp"
#include "export_end.hpp"
#include "export_screen.hpp"

namespace noun_export {

/// Runs it, and says what came of it.
/// @throws FileError  where a file cannot be read or written.
Ending run_export(const Arguments& arguments, Screen& screen, const std::stop_token& stop);

}  // namespace noun_export
