// How fast a bucket fills, by resets that move away with each request, and what of windows must not be taken for that.
#include "quota/reset_slope.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace quota_tests { namespace reset_slope_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::InstantSpan;
using noun::ResetMark;
using noun::ResetSlope;

constexpr Instant begin{1000s};
constexpr std::int64_t limit = 50;
constexpr double each = 0.04;

InstantSpan in_whole_seconds(Instant by_their_clock) {
  const Instant up{std::chrono::ceil<std::chrono::seconds>(by_their_clock.time_since_epoch())};
  return {up - 1s, up};
}

/// A request at a bucket, `since` its begin, when so much is used; the service's clock is so far ahead of ours.
ResetMark at_bucket(Duration since, double used, Duration ahead) {
  const Instant counted = begin + since;
  const Duration until_full{static_cast<Duration::rep>(used * each * 1e9)};
  return {.sent = counted - 2ms,
          .received = counted + 3ms,
          .used = static_cast<std::int64_t>(std::ceil(used)),
          .told = in_whole_seconds(counted + ahead + until_full),
          .perhaps_after = 16};
}

/// All fifty permits, one every half millisecond.
void burst(ResetSlope& slope, Duration ahead) {
  for (int i = 0; i < limit; ++i) slope.learn(at_bucket(i * 500us, i + 1 - i * 0.0125, ahead), limit);
}

TEST(ResetSlope, is_known_after_one_burst_wherever_in_the_second_the_services_clock_stands) {
  // Within the thirty milliseconds around a tick a flow of two seconds moves the reset but once.
  for (Duration ahead = 10ms; ahead <= 960ms; ahead += 10ms) {
    ResetSlope slope;
    burst(slope, ahead);
    ASSERT_TRUE(slope.seconds_each()) << ahead / 1ms << " ms";
    EXPECT_GE(*slope.seconds_each(), each) << ahead / 1ms << " ms";
    EXPECT_LE(*slope.seconds_each(), 1.3 * each) << ahead / 1ms << " ms";
  }
}

TEST(ResetSlope, is_known_by_a_clock_that_is_far_off) {
  ResetSlope slope;
  burst(slope, -24h * 365 + 300ms);
  ASSERT_TRUE(slope.seconds_each());
  EXPECT_GE(*slope.seconds_each(), each);
}

TEST(ResetSlope, is_the_same_whether_answers_overtake_each_other_or_not) {
  ResetSlope in_order;
  ResetSlope out_of_order;
  burst(in_order, 100ms);
  for (int i = 0; i < limit; ++i) {
    const int place = i + (i % 2 == 0 ? 1 : -1);
    out_of_order.learn(at_bucket(place * 500us, place + 1 - place * 0.0125, 100ms), limit);
  }
  ASSERT_TRUE(in_order.seconds_each());
  ASSERT_TRUE(out_of_order.seconds_each());
  EXPECT_DOUBLE_EQ(*in_order.seconds_each(), *out_of_order.seconds_each());
}

TEST(ResetSlope, begins_again_with_each_burst) {
  ResetSlope slope;
  for (int i = 0; i < 10; ++i) slope.learn(at_bucket(i * 500us, i + 1, 100ms), limit);
  for (int i = 0; i < limit; ++i) slope.learn(at_bucket(3s + i * 500us, i + 1 - i * 0.0125, 100ms), limit);
  ASSERT_TRUE(slope.seconds_each());
  EXPECT_GE(*slope.seconds_each(), each);
}

/// A request in a window that ends then by the service's clock.
ResetMark in_window(Duration since, std::int64_t used, Instant end) {
  const Instant counted = begin + since;
  return {.sent = counted - 2ms, .received = counted + 3ms, .used = used, .told = in_whole_seconds(end)};
}

TEST(ResetSlope, is_none_in_a_window_whose_end_stays) {
  ResetSlope slope;
  for (int i = 0; i < limit; ++i) slope.learn(in_window(i * 500us, i + 1, begin + 1800ms), limit);
  EXPECT_FALSE(slope.seconds_each());
}

TEST(ResetSlope, is_none_where_windows_turn_that_others_use_as_well) {
  for (const int at_turn : {5, 10, 17, 25}) {
    ResetSlope slope;
    // Each second a window, of which more is gone at once than of the one before.
    for (int i = 0; i < limit; ++i) {
      const int turns = i / at_turn;
      slope.learn(in_window(turns * 1s + i % at_turn * 10ms, i + 1, begin + (turns + 1) * 1s), limit);
      EXPECT_FALSE(slope.seconds_each()) << at_turn << ' ' << i;
    }
  }
}

TEST(ResetSlope, is_none_where_one_window_turns_whose_rest_others_have_used) {
  ResetSlope slope;
  // Three answers fit a bucket, but a second turn would have to move the reset once more.
  slope.learn(in_window(9900ms, 9, begin + 10s), limit);
  slope.learn(in_window(9990ms, 10, begin + 10s), limit);
  slope.learn(in_window(10010ms, 20, begin + 20s), limit);
  EXPECT_FALSE(slope.seconds_each());
}

TEST(ResetSlope, is_left_open_where_requests_take_as_long_as_windows_might) {
  ResetSlope slope;
  for (int i = 0; i < limit; ++i) slope.learn(at_bucket(i * 20ms, i + 1 - i * 0.5, 100ms), limit);
  for (int i = 0; i < limit; ++i) slope.learn(at_bucket(1s + i * 10ms, 26 + i * 0.4, 100ms), limit);
  EXPECT_FALSE(slope.seconds_each());
}

TEST(ResetSlope, is_none_where_a_window_turns_once_and_its_end_is_told_a_second_off) {
  ResetSlope slope;
  // Truncated now plus a rounded rest: the same end is told as one second or the next.
  for (int i = 0; i < limit; ++i) {
    const Duration end = i < 8 ? 1s : i < 16 ? 2s : i < 30 ? 3s : 2s;
    slope.learn(in_window(i * 500us, i + 1, begin + end), limit);
  }
  EXPECT_FALSE(slope.seconds_each());
}

TEST(ResetSlope, is_none_where_the_end_of_a_window_is_told_some_milliseconds_later_each_time) {
  ResetSlope slope;
  for (int i = 0; i < limit; ++i) {
    const Instant counted = begin + i * 100us;
    const Instant end = begin + 1800ms + i * 3ms;
    slope.learn({.sent = counted, .received = counted + 5ms, .used = i + 1, .told = {end - 1ms, end}}, limit);
  }
  EXPECT_FALSE(slope.seconds_each());
}

TEST(ResetSlope, is_none_where_the_reset_is_always_as_far_ahead) {
  ResetSlope slope;
  for (int i = 0; i < limit; ++i) slope.learn(in_window(i * 100ms, i + 1, begin + i * 100ms + 60s), limit);
  EXPECT_FALSE(slope.seconds_each());
}

}  // namespace reset_slope_test
}  // namespace quota_tests
