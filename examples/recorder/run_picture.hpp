#pragma once
// A run as one picture: requests over time, the reported quota, waits with their reasons, rejections and faults.

#include <string>
#include <vector>

#include "run_log.hpp"

namespace recorder {

/// Draws an SVG document without scripts, fonts or other files. It is smaller than a megabyte for a run of any length.
std::string draw_run(std::vector<Step> steps);

}  // namespace recorder
