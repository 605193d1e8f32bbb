// One uniform random number per request selects the fault.
#include "atlas_faults.hpp"

namespace atlas {

Fault Faults::draw() {
  // Not std::uniform_real_distribution: its results differ between standard libraries.
  const double uniform = static_cast<double>(generator_() >> 11) * 0x1.0p-53;
  if (uniform < drop_) return Fault::drop;
  if (uniform < drop_ + drop_after_) return Fault::drop_after;
  if (uniform < drop_ + drop_after_ + unavailable_) return Fault::unavailable;
  if (uniform < drop_ + drop_after_ + unavailable_ + truncate_) return Fault::truncate;
  return Fault::none;
}

}  // namespace atlas
