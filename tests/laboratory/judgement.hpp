// The result of a cell, and whether it is good enough.
#pragma once

#include <string>
#include <vector>

#include "laboratory/cell.hpp"
#include "laboratory/shapes.hpp"

namespace laboratory {

/// The result of a program without noun in the same cell.
struct Rival {
  Shape shape = Shape::serial_pager;
  double waste = 0;
  Duration elapsed = {};
};

struct Judgement {
  Cell cell;
  Outcome outcome;
  Duration least = {};       ///< the least time in which the work can be done
  bool must_meet = false;    ///< the bars apply to it; otherwise it is compared with its rivals
  std::string not_met = {};  ///< the bar, or the figure of the best rival, that is not met; empty if all are met
  Rival best = {};           ///< the one with the least waste; among equals, the fastest

  double slowdown() const { return static_cast<double>(outcome.elapsed.count()) / static_cast<double>(least.count()); }
};

/// The least time: by formula if there is one, otherwise as the clairvoyant does it with responses in order.
Duration least_time(const Experiment& experiment);

/// The bars apply to one client, a correct reset, and fixed windows or buckets: no rejection, 99 % of each window but
/// the last used, and at most 1.02 times the least time plus two round trips. There is no bar on time if responses
/// arrive out of order. Other cells must be as good as their best rival: no more waste, and at most 1.05 times its time
/// plus two round trips.
Judgement judge(const Cell& cell, const GridSettings& settings);

/// Cells that do not meet their bars yet, and why.
struct KnownGap {
  std::string_view values;  ///< separated by slashes; applies to the cells that have them all
  std::string_view reason;

  bool has(const Cell& cell) const;
};
const std::vector<KnownGap>& known_gaps();
/// The first one that the cell has; null if none.
const KnownGap* known_gap_of(const Judgement& judgement);

}  // namespace laboratory
