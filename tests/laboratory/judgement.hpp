// What a cell came to, and whether that is good enough.
#pragma once

#include <string>
#include <vector>

#include "laboratory/cell.hpp"
#include "laboratory/shapes.hpp"

namespace laboratory {

/// What a program without noun would have come to in the same cell.
struct Rival {
  Shape shape = Shape::serial_pager;
  double waste = 0;
  Duration elapsed = {};
};

struct Judgement {
  Cell cell;
  Outcome outcome;
  Duration least = {};       ///< the least time in which the work can be done
  bool must_meet = false;    ///< the bars hold for it; otherwise it is compared with its rivals
  std::string not_met = {};  ///< which of the bars, or what of the best rival; empty if all is well
  Rival best = {};           ///< the one with the least waste, and of equals the fastest

  double slowdown() const { return static_cast<double>(outcome.elapsed.count()) / static_cast<double>(least.count()); }
};

/// The least time, by formula where there is one and else as the clairvoyant does it, answers in order.
Duration least_time(const Experiment& experiment);

/// The bars are for one client, a reset that does not lie, and fixed windows or buckets: no rejection, 99 % of each
/// window but the last used, and 1.02 of the least time and two exchanges more; no bar on time where answers overtake.
/// Other cells are to be as good as their best rival: no more waste, and 1.05 of its time and two exchanges more.
Judgement judge(const Cell& cell, const GridSettings& settings);

/// Cells that are known not to meet their bars yet, and why.
struct KnownGap {
  std::string_view values;  ///< with slashes between them; cells that have them all
  std::string_view reason;

  bool has(const Cell& cell) const;
};
const std::vector<KnownGap>& known_gaps();

}  // namespace laboratory
