#pragma once
/// @file
/// The program of benchmark/fleet_worker_main.cpp: how to start it, and what it prints.

#include <cstddef>
#include <string>
#include <vector>

#include "integration/nginx.hpp"

namespace integration {

/// What a fleet_worker has counted.
struct FleetCounts {
  std::size_t sent = 0;
  std::size_t rejected = 0;
  std::size_t failed = 0;
  std::size_t reads = 0;  ///< of the store
  std::size_t swaps = 0;
  std::string first_error = {};

  FleetCounts& operator+=(const FleetCounts& other);
};

/// The command line of a fleet_worker with these arguments.
std::vector<std::string> fleet_worker(std::vector<std::string> arguments);

/// Reads all that a fleet_worker has printed.
/// @throws std::runtime_error  with it, if there are no counts.
FleetCounts counts_of(const std::string& output);

}  // namespace integration
