// Where every request passes first: it is counted, meets the rate limit, and draws its fault.
#pragma once

#include <cstdint>
#include <mutex>

#include "atlas_faults.hpp"
#include "atlas_options.hpp"
#include "atlas_window.hpp"

namespace atlas {

/// What becomes of one request. One over the limit meets no fault: it is rejected, and that is all.
struct Admission {
  Verdict verdict;
  Fault fault = Fault::none;
};

/// What the gate has counted.
struct GateCounts {
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t dropped = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t truncated = 0;
};

/// Safe to use from many threads.
class Gate {
 public:
  explicit Gate(const Options& options)
      : window_(options.limit, options.period, options.window_phase), faults_(options) {}

  Admission admit(WallTime now);

  GateCounts counts() const;

 private:
  mutable std::mutex mutex_;
  Window window_;
  Faults faults_;
  GateCounts counts_;
};

}  // namespace atlas
