#pragma once
// The command line of noun-quota.

#include <optional>
#include <string>
#include <vector>

namespace noun_quota {

struct Arguments {
  std::string place = {};      ///< a directory, or a URL of Redis
  std::string place_env = {};  ///< the environment variable with that
  std::string prefix = "noun";
  bool json = false;

  friend bool operator==(const Arguments&, const Arguments&) = default;
};

/// A parsed command line: arguments, or a text to print and an exit status (0 for --help and --version).
struct Parsed {
  Arguments arguments = {};
  std::optional<int> status = {};
  std::string text = {};
};

/// @param words  the arguments without the program's name.
Parsed parse_arguments(const std::vector<std::string>& words);

}  // namespace noun_quota
