#include "integration/fleet_process.hpp"

#include <cstdio>
#include <stdexcept>

namespace integration {

FleetCounts& FleetCounts::operator+=(const FleetCounts& other) {
  sent += other.sent;
  rejected += other.rejected;
  failed += other.failed;
  reads += other.reads;
  swaps += other.swaps;
  if (first_error.empty()) first_error = other.first_error;
  return *this;
}

std::vector<std::string> fleet_worker(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), NOUN_FLEET_WORKER);
  return arguments;
}

FleetCounts counts_of(const std::string& output) {
  const auto at = output.find("sent ");
  FleetCounts all;
  int end = 0;
  if (at == std::string::npos ||
      std::sscanf(output.c_str() + at, "sent %zu rejected %zu failed %zu reads %zu swaps %zu %n", &all.sent,
                  &all.rejected, &all.failed, &all.reads, &all.swaps, &end) < 5)
    throw std::runtime_error("fleet_worker printed no counts: " + output);
  all.first_error = output.substr(at + static_cast<std::size_t>(end));
  return all;
}

}  // namespace integration
