// Resets as instants and durations: the limits of the clock's range, and the time until a reset. The forms are tested
// with the headers that contain them.
#include "wire/reset_text.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire { namespace reset_text_test {

using namespace std::literals;

using wire_test::noon;

TEST(ResetText, of_unknown_form_is_nothing) {
  for (const auto* text : {"", " ", "soon", "-5", "1e30"})
    EXPECT_EQ(parse_reset(text, ResetForm::automatic, noon), std::nullopt) << text;
}

TEST(ResetText, out_of_range_is_the_end_of_the_range) {
  const auto last = parse_reset("Fri Dec 31 9999 23:59:59 GMT+0000", ResetForm::automatic, noon);
  EXPECT_EQ(last->at, clamped_wall_time(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)));
}

TEST(ResetText, is_plausible_up_to_the_farthest) {
  EXPECT_TRUE(is_plausible({24h, {}}, noon, 24h));
  EXPECT_FALSE(is_plausible({24h + 1ns, {}}, noon, 24h));
  EXPECT_TRUE(is_plausible({{}, noon + 24h}, noon, 24h));
  EXPECT_FALSE(is_plausible({{}, noon + 25h}, noon, 24h));
  EXPECT_TRUE(is_plausible({{}, WallTime::max()}, noon, Duration::max()));
  EXPECT_TRUE(is_plausible({{}, WallTime::min()}, WallTime::min(), 1ns));
}

TEST(ResetText, is_relative_to_now) {
  EXPECT_EQ(time_until({30s, {}}, noon), 30s);
  EXPECT_EQ(time_until({{}, noon + 30s}, noon), 30s);
  EXPECT_EQ(time_until({{}, noon - 30s}, noon), 0s);
  EXPECT_EQ(time_until({{}, WallTime::max()}, WallTime::min()), WallTime::max().time_since_epoch());
  EXPECT_EQ(time_until({{}, WallTime::min()}, WallTime::max()), 0s);
  EXPECT_EQ(time_until({{}, WallTime::min()}, WallTime::min()), 0s);
}

}}  // namespace noun::wire::reset_text_test
