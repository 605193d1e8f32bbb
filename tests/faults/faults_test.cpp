// Every fault, with every method and in every way that it can be met: the right code, the right sent(), as many requests as
// may be sent, and nothing that a cut response brought.
#include <string>

#include <gtest/gtest.h>

#include "faults/fault_cell.hpp"

namespace noun_test { namespace faults_test {

class Faults : public ::testing::TestWithParam<Fault> {};

std::vector<Fault> every_fault() {
  std::vector<Fault> all;
  for (auto& group : all_faults()) all.insert(all.end(), group.faults.begin(), group.faults.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Servers, Faults, ::testing::ValuesIn(every_fault()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Faults, are_reported_as_what_they_are) {
  for (const auto& cell : cells_of(GetParam())) EXPECT_EQ(complaint(cell, run_cell(cell)), "");
}

}  // namespace faults_test
}  // namespace noun_test
