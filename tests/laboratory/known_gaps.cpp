#include <algorithm>

#include "laboratory/judgement.hpp"

namespace laboratory {

bool KnownGap::has(const Cell& cell) const {
  std::string_view rest = values;
  while (!rest.empty()) {
    const auto value = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), value.size() + 1));
    bool found = false;
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension)
      found = found || cell.value(static_cast<Dimension>(dimension)) == value;
    if (!found) return false;
  }
  return true;
}

// Remove an entry when its cells meet their bars: the quick grid requires it.
const std::vector<KnownGap>& known_gaps() {
  static const std::vector<KnownGap> gaps{
      {"epoch_down", "a reset rounded down causes one early request before this is inferred"},
      {"delta_down", "a reset rounded down causes one early request before this is inferred"},
      {"bucket", "without reported counts, or with responses out of order, the first token estimate is too low"},
      {"bucket_next", "the reset is that of the next token; the refill rate is inferred later, from rising counts"},
      {"policies", "if the work starts in the last second of a burst window, it ends before the first response"},
      {"epoch/n1.1", "a reset rounded up and a Date in seconds: the first window may lose 2 s, the bar allows 1.2"},
      {"rfc3339/n1.1", "as epoch"},
      {"http_date/n1.1", "as epoch"},
  };
  return gaps;
}

const KnownGap* known_gap_of(const Judgement& judgement) {
  if (!judgement.must_meet) return nullptr;
  for (const auto& gap : known_gaps())
    if (gap.has(judgement.cell)) return &gap;
  return nullptr;
}

}  // namespace laboratory
