// The server's clock from Date: intervals, their intersection, and restarts.
#include "quota/time/server_clock.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace server_clock_test {

using namespace std::chrono_literals;
using noun::Instant;
using noun::WallTime;
using noun::quota::ServerClock;
using std::chrono::sys_seconds;

constexpr Instant begin{1000s};
constexpr sys_seconds epoch{1'700'000'000s};  // the server's clock at `begin`, approximately

noun::quota::InstantSpan when(const ServerClock& clock, noun::Duration at) { return clock.when(WallTime(epoch) + at); }

TEST(ServerClock, one_date_leaves_a_second_and_the_exchange) {
  ServerClock clock;
  EXPECT_FALSE(clock.known());
  EXPECT_FALSE(clock.observe(epoch, begin, begin + 10ms));
  EXPECT_TRUE(clock.known());
  EXPECT_EQ(when(clock, 60s).earliest, begin + 59s);
  EXPECT_EQ(when(clock, 60s).latest, begin + 60s + 10ms);
  EXPECT_EQ(when(clock, 60s).width(), 1010ms);
}

TEST(ServerClock, a_tick_between_two_responses_narrows_to_their_distance) {
  ServerClock clock;
  clock.observe(epoch, begin, begin + 10ms);
  clock.observe(epoch, begin, begin + 500ms);
  EXPECT_EQ(when(clock, 60s).latest, begin + 60s + 10ms) << "it adds nothing new";
  clock.observe(epoch + 1s, begin + 20ms, begin + 30ms);
  EXPECT_EQ(when(clock, 60s).earliest, begin + 59s);
  EXPECT_EQ(when(clock, 60s).latest, begin + 59s + 30ms);
}

TEST(ServerClock, a_contradiction_starts_again) {
  ServerClock clock;
  clock.observe(epoch, begin, begin + 10ms);
  EXPECT_TRUE(clock.observe(epoch + 1h, begin + 1s, begin + 1s + 10ms));
  EXPECT_EQ(when(clock, 1h).earliest, begin);
  EXPECT_EQ(when(clock, 1h).latest, begin + 1s + 10ms);
  EXPECT_TRUE(clock.observe(epoch, begin + 2s, begin + 2s));
}

TEST(ServerClock, a_date_that_no_clock_shows_is_ignored) {
  ServerClock clock;
  EXPECT_FALSE(clock.observe(sys_seconds(253'402'300'799s), begin, begin));
  EXPECT_FALSE(clock.observe(sys_seconds(-62'000'000'000s), begin, begin));
  EXPECT_FALSE(clock.known());
}

TEST(ServerClock, instants_hours_ahead_allow_for_drift) {
  ServerClock clock;
  clock.observe(epoch, begin, begin);
  EXPECT_EQ(when(clock, 3600s).latest, begin + 3600s + 35ms);
  EXPECT_EQ(when(clock, 3600s).earliest, begin + 3599s - 35ms);
}

TEST(ServerClock, drift_since_the_last_date_is_no_contradiction) {
  ServerClock clock;
  clock.observe(epoch, begin, begin);
  clock.observe(epoch + 1s, begin + 1ms, begin + 1ms);
  const auto later = begin + 10'000s;
  EXPECT_FALSE(clock.observe(epoch + 10'000s, later - 1040ms, later - 1040ms));
  EXPECT_EQ(when(clock, 10'000s).latest, later - 1040ms);
}

TEST(ServerClock, the_ends_of_time_saturate) {
  ServerClock clock;
  clock.observe(sys_seconds(-7'000'000'000s), begin, begin);
  EXPECT_EQ(clock.when(WallTime::max()).latest, Instant::max());
  ServerClock future;
  future.observe(sys_seconds(7'000'000'000s), begin, begin);
  EXPECT_EQ(future.when(WallTime::min()).earliest, Instant::min());
}

}  // namespace server_clock_test
}  // namespace quota_tests
