// The shapes come to the figures that the design was argued with.
#include "laboratory/shapes_table.hpp"

#include <gtest/gtest.h>

namespace laboratory {
namespace {

TEST(ShapesTable, is_the_designs) {
  for (const auto& row : shapes_table()) {
    EXPECT_NEAR(row.few, row.expected_few, 0.01 * row.expected_few) << row.name;
    EXPECT_NEAR(row.many, row.expected_many, 0.01 * row.expected_many) << row.name;
    EXPECT_NEAR(static_cast<double>(row.rejected), static_cast<double>(row.expected_rejected), 1) << row.name;
  }
}

}  // namespace
}  // namespace laboratory
