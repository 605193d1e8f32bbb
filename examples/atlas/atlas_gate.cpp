// One lock around the window, the faults and the counts, so that they tell the same story.
#include "atlas_gate.hpp"

namespace atlas {

Admission Gate::admit(WallTime now) {
  const std::lock_guard lock(mutex_);
  ++counts_.requests;
  Admission admission{.verdict = window_.admit(now), .fault = Fault::none};
  // Drawn for rejected requests too: the sequence of faults must not depend on when a window turns.
  const auto fault = faults_.draw();
  if (!admission.verdict.admitted) {
    ++counts_.rejected;
    return admission;
  }
  if (fault == Fault::drop || fault == Fault::drop_after) ++counts_.dropped;
  if (fault == Fault::unavailable) ++counts_.unavailable;
  if (fault == Fault::truncate) ++counts_.truncated;
  admission.fault = fault;
  return admission;
}

GateCounts Gate::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace atlas
