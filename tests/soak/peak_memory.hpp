#pragma once
// The growth of this process's peak memory during a task.

#include <cstddef>

namespace soak {

/// Measures from its construction on.
class PeakMemory {
 public:
  PeakMemory();
  /// Peak resident memory since the construction, minus that at the construction, in KiB; 0 if it is not available.
  std::size_t growth() const;

 private:
  std::size_t at_begin_;
};

}  // namespace soak
