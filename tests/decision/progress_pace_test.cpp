// How often the bytes of a transfer are reported.
#include "decision/progress_pace.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace decision_test { namespace progress_pace_test {

using namespace std::chrono_literals;

TEST(ProgressPace, is_due_at_once_and_then_ten_times_a_second) {
  noun::ProgressPace pace;
  const noun::Instant begin{};
  int reports = 0;
  for (auto passed = 0ms; passed < 2s; passed += 7ms) reports += pace.is_due(begin + passed) ? 1 : 0;
  EXPECT_GE(reports, 19);
  EXPECT_LE(reports, 20);
  EXPECT_FALSE(noun::ProgressPace(pace).is_due(begin + 2s));
}

}}  // namespace decision_test::progress_pace_test
