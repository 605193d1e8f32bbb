// The table of shapes: the result of each with 500 and with 3100 requests at a limit of 600 per minute.
#pragma once

#include <string>
#include <vector>

#include "laboratory/shapes.hpp"

namespace laboratory {

struct ShapeRow {
  std::string name;
  double few = 0;             ///< time ÷ least time, 500 requests
  double many = 0;            ///< the same, 3100 requests
  std::int64_t rejected = 0;  ///< of 3100
  double expected_few = 0;
  double expected_many = 0;
  std::int64_t expected_rejected = 0;
};

/// Windows of 60 s that start with the work, round trips of 0.2 s, and 10 requests in flight in each client. Uneven
/// work gives 70 % of it to the first of four clients.
std::vector<ShapeRow> shapes_table();

}  // namespace laboratory
