#include "peak_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace soak {
namespace {

/// A value in KiB of /proc/self/status, proc(5).
std::size_t status_field(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word; status.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (std::size_t size = 0; word == name && status >> size) return size;
  return 0;
}

}  // namespace

PeakMemory::PeakMemory() {
  // Resets the peak to the current resident memory.
  std::ofstream("/proc/self/clear_refs") << "5";
  at_begin_ = status_field("VmRSS:");
}

std::size_t PeakMemory::growth() const {
  const auto peak = status_field("VmHWM:");
  return peak - std::min(peak, at_begin_);
}

}  // namespace soak
