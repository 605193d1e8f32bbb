// How long it takes to break off what is in flight.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace paging_speed {

/// One way of breaking off, measured many times, in milliseconds.
struct Stopping {
  std::string name;
  std::vector<double> returned;  ///< until the program goes on
  std::vector<double> closed;    ///< until the service has seen the last of the connections close
};

/// With so many requests in flight to a service that answers none of them.
std::vector<Stopping> measure_stopping(std::size_t in_flight, std::size_t repetitions);

}  // namespace paging_speed
