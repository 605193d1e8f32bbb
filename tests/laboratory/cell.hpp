// The grid: what is varied, the cells that come of it, and the experiment that a cell stands for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laboratory/experiment.hpp"

namespace laboratory {

/// What is varied; the order is that of a cell's id.
enum class Dimension { kind, reset, clock, headers, order, in_flight, clients, load };
constexpr std::size_t dimensions = 8;

/// The names of a dimension's values; each name is of one dimension alone.
const std::vector<std::string_view>& values_of(Dimension dimension);

/// One cell of the grid.
struct Cell {
  std::array<std::size_t, dimensions> at = {};  ///< which value of each dimension

  std::string_view value(Dimension dimension) const;
  /// All values with slashes between them: `aligned/epoch/+5s/all/ordered/x16/k1/n1.1`.
  std::string id() const;
  /// Kind and reset.
  std::string group() const;
};

/// What is the same in every cell.
struct GridSettings {
  std::int64_t limit = 60;
  Duration window = std::chrono::seconds(60);
  Duration latency = std::chrono::milliseconds(200);
  bool retry_after = false;  ///< whether rejections have Retry-After
  std::uint64_t seed = 1;
};

/// The cells with one of the chosen values in each dimension; a dimension without one has all of its values.
/// @param words  names of values, or a whole id.
/// @throws std::invalid_argument  for a word that is neither.
std::vector<Cell> cells_with(const std::vector<std::string>& words);

/// Where in the second the work begins, and windows turn, is chance by the seed and the cell.
Experiment experiment_of(const Cell& cell, const GridSettings& settings);

}  // namespace laboratory
