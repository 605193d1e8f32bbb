// Processes that share one quota, against their bars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laboratory {

struct HerdRow {
  std::string name;
  std::int64_t rejected = 0;
  std::int64_t most_rejected = 0;
  double ratio = 0;  ///< time ÷ least time
  double most_ratio = 0;
  double operations = 0;   ///< of the store, for each request
  double utilisation = 0;  ///< of the windows
  double fairness = 0;     ///< Jain's index
  std::string fault;       ///< what misses its bar, or empty
};

/// @param quick  without the rows that take longer than a second.
std::vector<HerdRow> herd_table(bool quick);

}  // namespace laboratory
