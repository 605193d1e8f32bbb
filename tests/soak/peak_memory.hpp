#pragma once
// How much more memory this process has in use at the most while it does something.

#include <cstddef>

namespace soak {

/// From its construction on.
class PeakMemory {
 public:
  PeakMemory();
  /// Resident kibibytes, the most so far less those at the begin; 0 where the system does not tell.
  std::size_t growth() const;

 private:
  std::size_t at_begin_;
};

}  // namespace soak
