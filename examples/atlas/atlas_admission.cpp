// One lock for the rate limiter, the faults and the counts, so that they are consistent.
#include "atlas_admission.hpp"

namespace atlas {

Admission AdmissionControl::admit(WallTime now) {
  const std::lock_guard lock(mutex_);
  ++counts_.requests;
  Admission admission{.rate_limit = limiter_.admit(now), .fault = Fault::none};
  // Drawn for rejected requests too: the sequence of faults must not depend on window resets.
  const auto fault = faults_.draw();
  if (!admission.rate_limit.admitted) {
    ++counts_.rejected;
    return admission;
  }
  if (fault == Fault::drop || fault == Fault::drop_after) ++counts_.dropped;
  if (fault == Fault::unavailable) ++counts_.unavailable;
  if (fault == Fault::truncate) ++counts_.truncated;
  admission.fault = fault;
  return admission;
}

AdmissionCounts AdmissionControl::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace atlas
