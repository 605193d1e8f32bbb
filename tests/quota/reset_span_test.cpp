// A told reset as an interval: every form, and what two of them say of each other.
#include "quota/reset_span.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace reset_span_test {

using namespace std::chrono_literals;
using noun::Contradiction;
using noun::Duration;
using noun::Instant;
using noun::Now;
using noun::ResetSpan;
using noun::ServerClock;
using noun::WallTime;

constexpr Instant begin{1000s};
constexpr std::chrono::sys_seconds epoch{1'700'000'000s};

noun::wire::ResetReading in(Duration delta) { return {.in = delta, .at = {}}; }
noun::wire::ResetReading at(Duration since) { return {.in = {}, .at = WallTime(epoch) + since}; }

/// Told in an exchange from `begin` that took 10 ms.
ResetSpan read(const noun::wire::ResetReading& told, const ServerClock& clock = {}, Duration wall_error = 0s) {
  return span_of(told, clock, begin, Now{begin + 10ms, WallTime(epoch) + 10ms + wall_error});
}

ServerClock exact_clock() {
  ServerClock clock;
  clock.observe(epoch - 1s, begin - 1ms, begin - 1ms);
  clock.observe(epoch, begin, begin);
  return clock;
}

TEST(ResetSpan, a_delta_of_whole_seconds_may_be_rounded_up) {
  const auto span = read(in(5s));
  EXPECT_EQ(span.earliest, begin + 4s);
  EXPECT_EQ(span.latest, begin + 5s + 10ms);
  EXPECT_EQ(span.grain, 1s);
}

TEST(ResetSpan, a_fractional_delta_is_taken_to_the_millisecond) {
  const auto span = read(in(650ms));
  EXPECT_EQ(span.earliest, begin + 649ms);
  EXPECT_EQ(span.latest, begin + 660ms);
}

TEST(ResetSpan, a_delta_of_hours_leaves_room_for_drift) {
  EXPECT_EQ(read(in(3600s)).latest, begin + 3600s + 10ms + 35ms);
}

TEST(ResetSpan, a_delta_without_end_saturates) { EXPECT_EQ(read(in(Duration::max())).latest, Instant::max()); }

TEST(ResetSpan, an_absolute_reset_follows_the_servers_clock) {
  const auto span = read(at(60s + 300ms), exact_clock(), 24h);
  EXPECT_EQ(span.earliest, begin + 60s + 299ms);
  EXPECT_EQ(span.latest, begin + 60s + 300ms);
  EXPECT_EQ(span.grain, 1ms);
  EXPECT_EQ(span.tick_offset, 300ms);
  EXPECT_FALSE(span.by_local_clock);
}

TEST(ResetSpan, a_clock_that_has_seen_more_narrows_it) {
  ServerClock clock;
  clock.observe(epoch - 1s, begin - 1ms, begin - 1ms);
  auto span = read(at(60s), clock);
  EXPECT_EQ(span.latest - span.earliest, 1s);
  clock.observe(epoch, begin, begin);
  refresh(span, clock);
  EXPECT_EQ(span.latest - span.earliest, 1ms);
  auto delta = read(in(5s));
  refresh(delta, clock);
  EXPECT_EQ(delta.latest, begin + 5s + 10ms);
}

TEST(ResetSpan, without_any_date_an_absolute_reset_is_read_by_the_local_clock) {
  const auto span = read(at(60s), {}, 5s);
  EXPECT_EQ(span.latest, begin + 55s);
  EXPECT_TRUE(span.by_local_clock);
}

TEST(ResetSpan, a_reset_long_before_the_epoch_is_in_the_past) {
  const noun::wire::ResetReading ancient{.in = {}, .at = WallTime::min()};
  EXPECT_LT(read(ancient).latest, begin);
  const auto span = read(ancient, exact_clock());
  EXPECT_LT(span.latest, begin);
  EXPECT_GE(span.tick_offset, 0s);
  const noun::wire::ResetReading farthest{.in = {}, .at = WallTime::max()};
  EXPECT_EQ(certain_gap(span, read(farthest, exact_clock())), Duration::max());
  EXPECT_EQ(certain_gap(read(farthest, exact_clock()), span), Duration::min());
}

TEST(ResetSpan, overlapping_deltas_may_be_the_same_reset) {
  EXPECT_EQ(certain_gap(read(in(5s)), read(in(6s))), 0s);
  EXPECT_EQ(certain_gap(read(in(5s)), read(in(7s))), 990ms);
  EXPECT_EQ(certain_gap(read(in(7s)), read(in(5s))), -990ms);
}

TEST(ResetSpan, absolute_resets_are_compared_on_the_servers_clock) {
  ServerClock clock;
  clock.observe(epoch, begin, begin + 10ms);
  EXPECT_EQ(certain_gap(read(at(60s), clock), read(at(61s), clock)), 1s);
  EXPECT_EQ(jitter_of(read(at(60s), clock), read(at(61s), clock)), 1s);
}

TEST(ResetSpan, the_jitter_of_deltas_is_a_tenth_and_of_local_times_their_rounding) {
  EXPECT_EQ(jitter_of(read(in(5s)), read(in(6s))), 100ms);
  EXPECT_EQ(jitter_of(read(at(5s)), read(at(6s))), 1s);
}

TEST(ResetSpan, words_that_agree_intersect) {
  auto known = read(in(5s));
  const auto later = span_of(in(4s), {}, begin + 20ms, Now{begin + 30ms, WallTime(epoch)});
  tighten(known, later, Contradiction::take_later);
  EXPECT_EQ(known.earliest, begin + 4s);
  EXPECT_EQ(known.latest, begin + 4s + 30ms);
}

TEST(ResetSpan, of_words_that_disagree_the_asked_one_is_taken) {
  auto known = read(at(60s), exact_clock());
  const auto later = read(at(61s), exact_clock());
  tighten(known, later, Contradiction::take_earlier);
  EXPECT_EQ(known.at, WallTime(epoch + 60s));
  tighten(known, later, Contradiction::take_later);
  EXPECT_EQ(known.at, WallTime(epoch + 61s));
  tighten(known, read(at(60s), exact_clock()), Contradiction::take_later);
  EXPECT_EQ(known.at, WallTime(epoch + 61s));
  tighten(known, read(at(60s), exact_clock()), Contradiction::take_earlier);
  EXPECT_EQ(known.at, WallTime(epoch + 60s));
}

}  // namespace reset_span_test
}  // namespace quota_tests
