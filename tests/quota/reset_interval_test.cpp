// A reported reset as an interval: every form, and the comparison of two.
#include "quota/time/reset_interval.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace reset_interval_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};
constexpr std::chrono::sys_seconds epoch{1'700'000'000s};

noun::wire::ResetReading in(Duration delta) { return {.in = delta, .at = {}}; }
noun::wire::ResetReading at(Duration since) { return {.in = {}, .at = WallTime(epoch) + since}; }

/// The interval reported in a round trip of 10 ms that started at `begin`.
ResetInterval read(const noun::wire::ResetReading& reported, const ServerClock& clock = {}, Duration wall_error = 0s) {
  return interval_of(reported, clock, begin, Now{begin + 10ms, WallTime(epoch) + 10ms + wall_error});
}

ServerClock exact_clock() {
  ServerClock clock;
  clock.observe(epoch - 1s, begin - 1ms, begin - 1ms);
  clock.observe(epoch, begin, begin);
  return clock;
}

TEST(ResetInterval, a_delta_may_be_rounded_up_and_allows_for_drift) {
  struct Case {
    Duration delta;
    Duration earliest;
    Duration latest;
    Duration grain;
  };
  for (const auto& [delta, earliest, latest, grain] :
       {Case{5s, 4s, 5010ms, 1s}, Case{650ms, 649ms, 660ms, 1ms}, Case{3600s, 3599s - 35ms, 3600s + 45ms, 1s}}) {
    SCOPED_TRACE(delta.count());
    const auto reset = read(in(delta));
    EXPECT_EQ(reset.earliest, begin + earliest);
    EXPECT_EQ(reset.latest, begin + latest);
    EXPECT_EQ(reset.grain, grain);
  }
  EXPECT_EQ(read(in(Duration::max())).latest, Instant::max());
}

TEST(ResetInterval, an_absolute_reset_follows_the_servers_clock) {
  const auto reset = read(at(60s + 300ms), exact_clock(), 24h);
  EXPECT_EQ(reset.earliest, begin + 60s + 299ms);
  EXPECT_EQ(reset.latest, begin + 60s + 300ms);
  EXPECT_EQ(reset.grain, 1ms);
  EXPECT_EQ(reset.tick_offset, 300ms);
  EXPECT_FALSE(reset.by_local_clock);
  const auto local = read(at(60s), {}, 5s);
  EXPECT_EQ(local.latest, begin + 55s) << "without any Date";
  EXPECT_TRUE(local.by_local_clock);
}

TEST(ResetInterval, a_clock_that_has_observed_more_narrows_it) {
  ServerClock clock;
  clock.observe(epoch - 1s, begin - 1ms, begin - 1ms);
  auto reset = read(at(60s), clock);
  EXPECT_EQ(reset.latest - reset.earliest, 1s);
  clock.observe(epoch, begin, begin);
  refresh(reset, clock);
  EXPECT_EQ(reset.latest - reset.earliest, 1ms);
  auto delta = read(in(5s));
  refresh(delta, clock);
  EXPECT_EQ(delta.latest, begin + 5s + 10ms);
}

TEST(ResetInterval, a_reset_long_before_the_epoch_is_in_the_past) {
  const noun::wire::ResetReading ancient{.in = {}, .at = WallTime::min()};
  EXPECT_LT(read(ancient).latest, begin);
  const auto reset = read(ancient, exact_clock());
  EXPECT_LT(reset.latest, begin);
  EXPECT_GE(reset.tick_offset, 0s);
  const noun::wire::ResetReading farthest{.in = {}, .at = WallTime::max()};
  EXPECT_EQ(certain_gap(reset, read(farthest, exact_clock())), Duration::max());
  EXPECT_EQ(certain_gap(read(farthest, exact_clock()), reset), Duration::min());
}

TEST(ResetInterval, two_values_differ_by_the_certain_gap) {
  EXPECT_EQ(certain_gap(read(in(5s)), read(in(6s))), 0s);
  EXPECT_EQ(certain_gap(read(in(5s)), read(in(7s))), 990ms);
  EXPECT_EQ(certain_gap(read(in(7s)), read(in(5s))), -990ms);
  ServerClock clock;
  clock.observe(epoch, begin, begin + 10ms);
  EXPECT_EQ(certain_gap(read(at(60s), clock), read(at(61s), clock)), 1s) << "on the server's clock";
  EXPECT_EQ(jitter_of(read(at(60s), clock), read(at(61s), clock)), 1s);
  EXPECT_EQ(jitter_of(read(in(5s)), read(in(6s))), 100ms);
  EXPECT_EQ(jitter_of(read(at(5s)), read(at(6s))), 1s) << "local times vary by their rounding";
}

TEST(ResetInterval, values_that_agree_intersect_and_otherwise_the_chosen_one_is_used) {
  auto both = read(in(5s));
  const auto later = interval_of(in(4s), {}, begin + 20ms, Now{begin + 30ms, WallTime(epoch)});
  tighten(both, later, Contradiction::take_later);
  EXPECT_EQ(both.earliest, begin + 4s);
  EXPECT_EQ(both.latest, begin + 4s + 30ms);
  auto known = read(at(60s), exact_clock());
  using enum Contradiction;
  for (const auto& [reported, choice, taken] :
       {std::tuple{61s, take_earlier, 60s}, {61s, take_later, 61s}, {60s, take_later, 61s}, {60s, take_earlier, 60s}}) {
    tighten(known, read(at(reported), exact_clock()), choice);
    EXPECT_EQ(known.at, WallTime(epoch + taken));
  }
}

TEST(ResetInterval, the_uncertainty_of_rounding_is_separate_from_that_of_the_clock) {
  ServerClock clock;
  clock.observe(epoch, begin, begin + 10ms);
  const auto reset = read(at(60s), clock);
  EXPECT_EQ(reset.if_rounded_up().width(), 1010ms + 1s);
  EXPECT_EQ(reset.without_clock_doubt().latest.time_since_epoch(), epoch.time_since_epoch() + 60s);
  EXPECT_EQ(reset.without_clock_doubt().width(), 1s);
  EXPECT_EQ(read(at(60s)).without_clock_doubt().width(), 1s) << "the local clock has no interval of its own";
  for (const auto& span : {read(in(5s)).if_rounded_up(), read(in(5s)).without_clock_doubt()})
    EXPECT_EQ(span.earliest, begin + 4s) << "its interval has the rounding already";
}

TEST(ResetInterval, the_time_ahead_is_measured_by_the_servers_own_clock) {
  const auto absolute = read(at(60s + 300ms), exact_clock());
  EXPECT_EQ(absolute.ahead_of(epoch + 58s)->over, 1s);
  EXPECT_EQ(absolute.ahead_of(epoch + 58s)->up_to, 3s);
  EXPECT_FALSE(absolute.ahead_of({}));
  EXPECT_FALSE(absolute.ahead_of(epoch + 62s)) << "they contradict each other";
  EXPECT_FALSE(absolute.ahead_of(epoch - 24h * 41)) << "no clock shows such a Date";
  EXPECT_FALSE(absolute.ahead_of(epoch + 61s - 18'446'744'103s)) << "in nanoseconds, it would be 29 s ahead";
  EXPECT_EQ(read(in(5s)).ahead_of({})->over, 4s);
  EXPECT_EQ(read(in(5s)).ahead_of({})->up_to, 5s);
}

TEST(ResetInterval, a_past_or_far_reset_is_not_near) {
  for (const auto& [days, sent, near] : {std::tuple{39, 0s, true}, {41, 0s, false}, {0, 4s, true}, {0, 6s, false}})
    EXPECT_EQ(read(in(5s + days * 24h)).is_near(begin + sent, begin + sent), near) << days << ' ' << sent.count();
}

}  // namespace reset_interval_test
}  // namespace quota_tests
