// Which requests meet a fault: one draw for each, from one seeded generator.
#pragma once

#include <cstdint>
#include <random>

#include "atlas_options.hpp"

namespace atlas {

enum class Fault {
  none,
  drop,         ///< the connection is reset before the request takes effect
  drop_after,   ///< the connection is closed after it, without an answer
  unavailable,  ///< 503, without effect
  truncate,     ///< the answer is cut and the connection closed, after the effect
};

/// A repeatable sequence of faults. Not thread-safe.
class Faults {
 public:
  explicit Faults(const Options& options)
      : drop_(options.drop),
        drop_after_(options.drop_after),
        unavailable_(options.unavailable),
        truncate_(options.truncate),
        generator_(options.seed) {}

  Fault draw();

 private:
  double drop_;
  double drop_after_;
  double unavailable_;
  double truncate_;
  std::mt19937_64 generator_;
};

}  // namespace atlas
