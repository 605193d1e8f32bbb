#include "nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace noun_export {
namespace {

/// The Levenshtein distance.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t column = 0; column < row.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= from.size(); ++line) {
    auto diagonal = row[0];
    row[0] = line;
    for (std::size_t column = 1; column < row.size(); ++column) {
      const auto changed = diagonal + (from[line - 1] == to[column - 1] ? 0 : 1);
      diagonal = row[column];
      row[column] = std::min({changed, row[column] + 1, row[column - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view written, std::span<const std::string_view> names) {
  constexpr std::size_t longest = 40;
  if (written.size() > longest) return "";
  std::string_view best;
  std::size_t least = 3;
  for (const auto name : names) {
    // At most half of the letters may differ: otherwise all names of three letters would be near.
    const auto away = distance(written, name);
    if (away >= least || away * 2 > name.size()) continue;
    least = away;
    best = name;
  }
  return best;
}

}  // namespace noun_export
