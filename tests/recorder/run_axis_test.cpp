// Tests of the numbers along the axes.
#include "run_axis.hpp"

#include <gmock/gmock.h>

namespace recorder_test { namespace run_axis_test {

using recorder::grouped;
using recorder::span_text;
using recorder::ticks;
using recorder::time_axis;
using ::testing::ElementsAre;

std::vector<std::string> texts(const std::vector<recorder::Tick>& ticks) {
  std::vector<std::string> all;
  for (const auto& tick : ticks) all.push_back(tick.text);
  return all;
}

TEST(RunAxis, ticks_have_round_steps_and_include_the_highest_value) {
  EXPECT_THAT(texts(ticks(159, 5, true)), ElementsAre("0", "50", "100", "150", "200"));
  EXPECT_THAT(texts(ticks(30, 4, true)), ElementsAre("0", "10", "20", "30"));
  EXPECT_THAT(texts(ticks(2, 5, true)), ElementsAre("0", "1", "2"));
  EXPECT_THAT(texts(ticks(0.7, 4, false)), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(texts(ticks(0, 5, true)), ElementsAre("0", "1"));
  EXPECT_THAT(texts(ticks(100000, 2, true)), ElementsAre("0", "50,000", "100,000"));
}

TEST(RunAxis, unit_of_time_depends_on_the_length) {
  EXPECT_EQ(time_axis(0.3, 5).unit, "milliseconds");
  EXPECT_EQ(time_axis(20, 5).unit, "seconds");
  EXPECT_EQ(time_axis(600, 5).unit, "minutes");
  EXPECT_EQ(time_axis(9000, 5).unit, "hours");
  const auto axis = time_axis(610, 5);
  EXPECT_THAT(texts(axis.ticks), ElementsAre("0", "5", "10"));
  EXPECT_DOUBLE_EQ(axis.ticks[1].at, 300);
  EXPECT_THAT(texts(time_axis(0, 5).ticks), ElementsAre("0.0"));
}

TEST(RunAxis, numbers_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(7910), "7,910");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(RunAxis, unit_of_a_span_depends_on_its_length) {
  EXPECT_EQ(span_text(0.0052), "5 ms");
  EXPECT_EQ(span_text(0.9996), "1.00 s");
  EXPECT_EQ(span_text(9.916), "9.92 s");
  EXPECT_EQ(span_text(18.5), "18.5 s");
  EXPECT_EQ(span_text(750), "12.5 min");
  EXPECT_EQ(span_text(11160), "3.1 h");
}

}  // namespace run_axis_test
}  // namespace recorder_test
