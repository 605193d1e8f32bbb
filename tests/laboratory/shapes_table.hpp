// The table of shapes: what each does with 500 and with 3100 requests at a limit of 600 a minute.
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

/// Windows of 60 s that begin with the work, 0.2 s an exchange, 10 in flight in each client. Uneven work is 70 % of it
/// for the first of four clients.
std::vector<ShapeRow> shapes_table();

}  // namespace laboratory
