// Parses the command line of noun-atlas. Prints nothing.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "atlas_options.hpp"

namespace atlas {

struct Arguments {
  Options options;
  bool help = false;
  bool until_stdin_closes = false;
};

/// Reads `--name value` and `--name=value`. The last of repeated options counts.
/// Throws std::runtime_error with one line for the user.
Arguments parse_arguments(const std::vector<std::string_view>& words);

/// What --help prints.
std::string help_text();

/// A number with a unit: "300ms", "10s", "1.5m", "-1h"; a bare "0" needs none. Rounded to milliseconds.
/// Throws std::runtime_error for any other text.
std::chrono::milliseconds parse_duration(std::string_view text);

}  // namespace atlas
