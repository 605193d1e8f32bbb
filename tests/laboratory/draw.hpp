// Settings that are drawn at random: limits, windows and latencies that no table has, so that no constant can be chosen
// for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laboratory/judgement.hpp"

namespace laboratory {

/// One cell of the grid, with settings of its own.
struct Draw {
  Cell cell = {};
  GridSettings settings = {};

  /// The options of `grid` that repeat it.
  std::string options() const;
};

/// The limits, windows and latencies that are drawn, each evenly by its logarithm.
struct DrawRange {
  double least = 1;
  double most = 1;
};
constexpr DrawRange drawn_limits{1, 300};     ///< requests
constexpr DrawRange drawn_windows{1, 120};    ///< whole seconds
constexpr DrawRange drawn_latencies{1, 400};  ///< milliseconds

/// `count` draws from the cells, the same for the same seed.
std::vector<Draw> draw(const std::vector<Cell>& cells, std::size_t count, std::uint64_t seed);

/// How it failed beyond any bar: it did not finish where a rival did, or most of its requests were rejected although
/// not most of the rival's were. Empty if it did not.
std::string severe(const Judgement& judgement);

}  // namespace laboratory
