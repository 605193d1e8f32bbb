#pragma once
// Runs an export.

#include <noun/stop.hpp>

#include "export_arguments.hpp"
#include "export_end.hpp"
#include "progress_screen.hpp"

namespace noun_export {

/// Runs the export and prints its result.
/// @throws FileError  if a file cannot be read or written.
Ending run_export(const Arguments& arguments, progress::Screen& screen, const noun::StopToken& stop);

}  // namespace noun_export
