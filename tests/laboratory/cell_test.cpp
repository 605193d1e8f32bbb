// Tests of the grid: its size, its names, and that a cell is reproducible.
#include "laboratory/cell.hpp"

#include <gtest/gtest.h>

#include <set>

#include "laboratory/judgement.hpp"

namespace laboratory { namespace cell_test {

TEST(Cell, the_grid_has_all_combinations) {
  const auto cells = cells_with({});
  EXPECT_EQ(cells.size(), 15U * 15 * 5 * 2 * 2 * 3 * 3 * 6);
  std::set<std::string> ids;
  for (const auto& cell : cells) ids.insert(cell.id());
  EXPECT_EQ(ids.size(), cells.size());
}

TEST(Cell, is_chosen_by_its_values) {
  EXPECT_EQ(cells_with({"aligned", "epoch", "delta", "k1", "n5"}).size(), 2U * 5 * 2 * 2 * 3);
  const std::string id = "bucket/now/-5s/bare/overtaking/x4/k64/n1.1";
  ASSERT_EQ(cells_with({id}).size(), 1U);
  EXPECT_EQ(cells_with({id}).front().id(), id);
  EXPECT_EQ(cells_with({id}).front().group(), "bucket/now");
  EXPECT_THROW(cells_with({"aligned", "tuesday"}), std::invalid_argument);
}

TEST(Cell, is_the_same_experiment_for_the_same_seed) {
  const auto cell = cells_with({"aligned/epoch/+5s/bare/overtaking/x16/k4/n5"}).front();
  const auto elapsed = [&](std::uint64_t seed) { return judge(cell, {.seed = seed}).outcome.elapsed; };
  EXPECT_EQ(elapsed(1), elapsed(1));
  EXPECT_NE(elapsed(1), elapsed(2));
  EXPECT_EQ(experiment_of(cell, {}).workload.requests, 300);
}

TEST(Cell, is_in_a_known_gap_if_it_has_all_values_of_the_gap) {
  const auto cell = cells_with({"aligned/epoch/+5s/bare/ordered/x16/k1/n5"}).front();
  EXPECT_TRUE((KnownGap{"bare/x16", ""}.has(cell)));
  EXPECT_FALSE((KnownGap{"bare/x4", ""}.has(cell)));
  EXPECT_FALSE((KnownGap{"bucket", ""}.has(cell)));
}

}  // namespace cell_test
}  // namespace laboratory
