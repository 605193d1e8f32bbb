// The first step of every request: it is counted, checked against the rate limit, and assigned a fault.
#pragma once

#include <cstdint>
#include <mutex>

#include "atlas_faults.hpp"
#include "atlas_options.hpp"
#include "atlas_rate_limiter.hpp"

namespace atlas {

/// How to process a request. A request over the limit has no fault.
struct Admission {
  RateLimitResult rate_limit;
  Fault fault = Fault::none;
};

/// Totals since the start.
struct AdmissionCounts {
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t dropped = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t truncated = 0;
};

/// Thread-safe.
class AdmissionControl {
 public:
  explicit AdmissionControl(const Options& options)
      : limiter_(options.limit, options.period, options.window_phase), faults_(options) {}

  Admission admit(WallTime now);

  AdmissionCounts counts() const;

 private:
  mutable std::mutex mutex_;
  RateLimiter limiter_;
  Faults faults_;
  AdmissionCounts counts_;
};

}  // namespace atlas
