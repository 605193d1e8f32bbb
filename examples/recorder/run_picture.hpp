#pragma once
// A run as one picture: the requests over time, the quota as the service told it, the holds with their reasons, what
// was rejected and what failed.

#include <string>
#include <vector>

#include "run_log.hpp"

namespace recorder {

/// An SVG document that needs nothing beside itself: no script, no font. Under a megabyte, however long the run was.
std::string draw_run(std::vector<Step> steps);

}  // namespace recorder
