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
      {"epoch_down", "a reset that is rounded down is met too early once, before it is learned"},
      {"delta_down", "a reset that is rounded down is met too early once, before it is learned"},
      {"bucket", "where answers do not tell, or many overtake each other as it empties, the reckoning begins low"},
      {"bucket_next", "a reset that is always the next token's tells nothing of the flow, which its rises show later"},
      {"policies", "a burst window that is joined in its last second ends before the first response is there"},
      {"epoch/n1.1", "a reset rounded up and a Date in seconds: the first window may lose 2 s, the bar allows 1.2"},
      {"rfc3339/n1.1", "as epoch"},
      {"http_date/n1.1", "as epoch"},
  };
  return gaps;
}

}  // namespace laboratory
