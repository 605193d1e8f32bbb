// The grid: its dimensions, its cells, and the experiment of each cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laboratory/experiment.hpp"

namespace laboratory {

/// The dimensions of the grid, in the order of a cell's id.
enum class Dimension { kind, reset, clock, headers, order, in_flight, clients, load };
constexpr std::size_t dimensions = 8;

/// The names of a dimension's values. Each name belongs to one dimension only.
const std::vector<std::string_view>& values_of(Dimension dimension);

/// One cell of the grid.
struct Cell {
  std::array<std::size_t, dimensions> at = {};  ///< index of the value in each dimension

  std::string_view value(Dimension dimension) const;
  /// All values, separated by slashes: `aligned/epoch/+5s/all/ordered/x16/k1/n1.1`.
  std::string id() const;
  /// The kind and the reset.
  std::string group() const;
};

/// Settings that are the same in every cell.
struct GridSettings {
  std::int64_t limit = 60;
  Duration window = std::chrono::seconds(60);
  Duration latency = std::chrono::milliseconds(200);
  bool retry_after = false;  ///< whether rejections have Retry-After
  std::uint64_t seed = 1;
};

/// The cells that have one of the chosen values in each dimension. A dimension without a choice has all of its values.
/// @param words  names of values, or a complete id.
/// @throws std::invalid_argument for an unknown word.
std::vector<Cell> cells_with(const std::vector<std::string>& words);

/// The seed and the cell determine at which fractions of a second the work starts and windows reset.
Experiment experiment_of(const Cell& cell, const GridSettings& settings);

}  // namespace laboratory
