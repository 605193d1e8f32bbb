// Which answers show that a service counts from our requests on, and how long; and which do not.
#include "quota/turn_signs.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace turn_signs_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::DurationSpan;
using noun::Instant;
using noun::TurnMark;
using noun::TurnSigns;

constexpr Instant begin{1000s};
constexpr std::chrono::sys_seconds server_begin{1'700'000'000s};
constexpr DurationSpan nothing{1h, 1h};

/// An answer of a service whose clock stood in the middle of a second at the begin, and that counts ten.
TurnMark answer(Duration at, std::int64_t used, std::chrono::seconds reset) {
  const auto told = reset - std::chrono::floor<std::chrono::seconds>(at + 500ms);
  return {.sent = begin + at,
          .received = begin + at + 5ms,
          .limit = 10,
          .used = used,
          .alone = true,
          .told = {told - 2s, told},
          .reset = server_begin + reset,
          .since = 2,
          .slides = nothing};
}

/// Ten answers of a window.
void use_up(TurnSigns& signs, Duration at, std::chrono::seconds reset) {
  for (std::int64_t used = 1; used <= 10; ++used) signs.learn(answer(at + (used - 1) * 5ms, used, reset));
}

TEST(TurnSigns, of_a_window_that_turned_a_second_later_than_a_round_period_tell_the_period) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);  // 0.5 s + 2 s, rounded up
  EXPECT_FALSE(signs.period());
  use_up(signs, 3s, 6s);
  EXPECT_EQ(signs.period(), 2s);
  EXPECT_FALSE(signs.slides());
}

TEST(TurnSigns, of_aligned_windows_tell_nothing) {
  TurnSigns signs;
  use_up(signs, 1s, 4s);  // four seconds long, and less than three of them left
  use_up(signs, 5s, 8s);
  EXPECT_FALSE(signs.period());
}

TEST(TurnSigns, of_a_window_that_we_joined_tell_nothing) {
  TurnSigns signs;
  signs.learn(answer(0s, 4, 3s));
  signs.learn(answer(5ms, 10, 3s));
  use_up(signs, 3s, 6s);
  EXPECT_FALSE(signs.period());
}

TEST(TurnSigns, of_a_reset_that_moves_with_each_request_tell_nothing) {
  TurnSigns signs;
  signs.learn(answer(0s, 1, 3s));
  signs.learn(answer(5ms, 2, 5s));
  signs.learn(answer(10ms, 10, 21s));
  use_up(signs, 3s, 6s);
  EXPECT_FALSE(signs.period());
}

TEST(TurnSigns, of_a_window_with_others_in_flight_tell_nothing) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  auto second = answer(3s, 1, 6s);
  second.alone = false;
  signs.learn(second);
  EXPECT_FALSE(signs.period());
}

TEST(TurnSigns, that_two_windows_contradict_tell_nothing) {
  TurnSigns signs;
  use_up(signs, 0s, 6s);  // 5 s
  use_up(signs, 6s, 9s);
  EXPECT_FALSE(signs.period());
}

TEST(TurnSigns, of_windows_that_follow_a_guess_and_still_come_a_second_late_are_doubtful) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  use_up(signs, 3s, 6s);
  use_up(signs, 5010ms, 8s);
  EXPECT_FALSE(signs.doubtful());
  use_up(signs, 7020ms, 11s);
  EXPECT_TRUE(signs.doubtful());
}

// The counts of a log that slides.

/// A second after the window, four of its ten are forgotten: seven are used with this one.
TurnMark some_are_back(Duration at) {
  auto mark = answer(at, 7, 3s);
  mark.slides = {at - 20ms, at - 10ms};
  return mark;
}

TEST(TurnSigns, of_more_permits_than_a_window_or_a_flow_can_have_brought_show_that_it_slides) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  signs.learn(some_are_back(2015ms));
  EXPECT_TRUE(signs.slides());
  EXPECT_EQ(signs.period(), 2s);
}

TEST(TurnSigns, of_fewer_used_than_went_since_may_be_a_window_that_turned) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  auto mark = answer(2015ms, 1, 5s);
  mark.slides = {1s, 2015ms};
  signs.learn(mark);
  EXPECT_FALSE(signs.slides());
}

TEST(TurnSigns, of_a_few_permits_may_be_a_flow) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  auto mark = answer(2015ms, 9, 3s);  // two are back, a permit may flow back in a second
  mark.slides = {1995ms, 2005ms};
  signs.learn(mark);
  EXPECT_FALSE(signs.slides());
}

TEST(TurnSigns, that_no_round_period_explains_are_no_guess) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  signs.learn(some_are_back(1700ms));
  EXPECT_FALSE(signs.slides());
}

TEST(TurnSigns, with_others_in_flight_do_not_show_what_is_back) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  auto mark = some_are_back(2015ms);
  mark.alone = false;
  signs.learn(mark);
  EXPECT_FALSE(signs.slides());
}

TEST(TurnSigns, that_were_refuted_tell_nothing_any_more) {
  TurnSigns signs;
  use_up(signs, 0s, 3s);
  signs.learn(some_are_back(2015ms));
  signs.refute();
  use_up(signs, 9s, 12s);
  use_up(signs, 12s, 15s);
  EXPECT_FALSE(signs.period());
  EXPECT_FALSE(signs.slides());
}

}  // namespace turn_signs_test
}  // namespace quota_tests
