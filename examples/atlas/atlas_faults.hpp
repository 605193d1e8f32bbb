// Draws a random fault, or none, for each request from one seeded generator.
#pragma once

#include <cstdint>
#include <random>

#include "atlas_options.hpp"

namespace atlas {

enum class Fault {
  none,
  drop,         ///< the connection is reset before the request is applied
  drop_after,   ///< the connection is closed after the request is applied, without a response
  unavailable,  ///< 503; the request is not applied
  truncate,     ///< the request is applied; the response is cut and the connection closed
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
