// A sliding counter: which counts reveal it, when the next request may be sent, and what ends it.
#include "quota/estimators/sliding_counter.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace sliding_counter_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};

/// A quota of ten in ten seconds. A window starts at `begin`, and the server's clock is known.
class SlidingCounterOfTen : public ::testing::Test {
 protected:
  Account account;
  SlidingCounter counter;
  std::optional<Duration> reported = {};
  Duration width = 0s;                 // of the interval in which a window ends
  std::optional<Duration> grain = {};  // of a reset that is reported as a duration

  /// One request and its response at once.
  void spend(Duration at, std::int64_t used, Duration reset, Outcome outcome = Outcome::served) {
    counter.on_sent(begin + at, {});
    const auto sending = account.send({.at = begin + at});
    account.finish(sending);
    account.record(sending, outcome, begin + at);
    counter.on_response({.sent_at = begin + at,
                         .received_at = begin + at,
                         .outcome = outcome,
                         .limit = 10,
                         .remaining = 10 - used,
                         .reset = reset_of(at, reset),
                         .window = reported,
                         .sent = account.sent(),
                         .served = account.served(),
                         .served_before = sending.served},
                        account);
  }
  ResetInterval reset_of(Duration at, Duration reset) const {
    if (grain)
      return {.earliest = begin + reset - *grain, .latest = begin + reset, .grain = *grain, .in = reset - at};
    return {.earliest = begin + reset - width,
            .latest = begin + reset,
            .at = WallTime(1'700'000'000s) + reset,
            .grain = 1ms};
  }
  void use_up() {
    for (std::int64_t used = 1; used <= 10; ++used) spend(used * 10ms, used, 10s);
  }
  /// When one request may be sent, at the earliest; nothing if it is no sliding counter.
  std::optional<Duration> next(Duration at, std::int64_t cost = 1) const {
    const auto claim = counter.claim(begin + at, {.cost = cost}, account);
    if (!claim) return std::nullopt;
    return std::chrono::round<std::chrono::milliseconds>(claim->earliest - begin);
  }
};

TEST_F(SlidingCounterOfTen, a_new_window_that_counts_a_part_of_the_previous_one_reveals_it) {
  use_up();
  EXPECT_FALSE(next(1s));
  spend(12s, 9, 20s);  // eight of ten are still counted
  EXPECT_EQ(next(12s), 12s);
  spend(12s, 10, 20s);
  EXPECT_EQ(next(12s), 13s) << "one is refilled each second";
  EXPECT_EQ(next(12s, 3), 15s);
  EXPECT_EQ(next(12s, 9), 25s) << "from the reset on, two in ten seconds";
}

TEST_F(SlidingCounterOfTen, a_rejection_after_the_reset_reveals_it_too) {
  use_up();
  spend(10'010ms, 10, 20s, Outcome::rejected);
  EXPECT_EQ(next(10'010ms), 11'010ms);
}

TEST_F(SlidingCounterOfTen, counts_of_a_window_that_starts_empty_do_not) {
  for (const std::int64_t used : {1, 2, 5}) {
    SCOPED_TRACE(used);
    counter = {};
    account = {};
    use_up();
    spend(12s, used, 20s);
    EXPECT_FALSE(next(12s));
    spend(15s, 7, 20s);  // others use it: now the count is that of a sliding counter
    EXPECT_FALSE(next(15s));
  }
}

TEST_F(SlidingCounterOfTen, two_windows_in_a_row_reveal_it_if_the_reset_is_not_exact) {
  struct Case {
    std::int64_t second;  // counted of the first window when the second one starts ...
    std::int64_t later;   // ... and then
    std::int64_t third;   // counted of the second window when the third one starts
    bool reveals;
  };
  width = 2s;
  for (const auto& [second, later, third, reveals] :
       {Case{8, 8, 2, true}, Case{8, 8, 0, false}, Case{3, 3, 2, false}, Case{8, 1, 2, false}}) {
    SCOPED_TRACE(::testing::Message() << second << ", " << later << ", " << third);
    counter = {};
    account = {};
    use_up();
    spend(12s, second + 1, 20s);
    spend(12s, later + 2, 20s);
    EXPECT_FALSE(next(12s));
    spend(22s, third + 1, 30s);
    EXPECT_EQ(next(22s).has_value(), reveals);
  }
}

TEST_F(SlidingCounterOfTen, a_count_that_falls_within_a_window_reveals_it_although_others_use_it_too) {
  use_up();
  spend(14s, 9, 20s);  // six of ten are still counted
  EXPECT_FALSE(next(14s)) << "a sliding counter would count eight";
  spend(18s, 7, 20s);
  EXPECT_EQ(next(18s), 18s);
}

TEST_F(SlidingCounterOfTen, a_reset_that_is_farther_away_than_a_window_is_long_excludes_it) {
  use_up();
  spend(12s, 8, 20s);
  spend(12s, 9, 20s);
  ASSERT_TRUE(next(12s));
  spend(12s, 10, 25s);
  EXPECT_FALSE(next(12s));
}

TEST_F(SlidingCounterOfTen, after_a_rejection_of_a_permit_that_should_be_there_it_claims_nothing_more) {
  use_up();
  spend(12s, 9, 20s);
  ASSERT_TRUE(next(12s));
  spend(14s, 10, 20s, Outcome::rejected);
  EXPECT_FALSE(next(14s));
  spend(15s, 8, 20s);
  EXPECT_FALSE(next(15s));
}

TEST_F(SlidingCounterOfTen, resets_that_are_durations_reveal_it_if_the_window_is_long_for_their_resolution) {
  struct Case {
    Duration period;
    Duration resolution;
    bool reveals;
  };
  for (const auto& [period, resolution, reveals] :
       {Case{2s, 1ms, true}, Case{1s, 1ms, false}, Case{3s, 1s, true}, Case{2s, 1s, false}}) {
    SCOPED_TRACE(::testing::Message() << period / 1ms << " ms, " << resolution / 1ms << " ms");
    counter = {};
    account = {};
    grain = resolution;
    reported = period;
    for (std::int64_t used = 1; used <= 10; ++used) spend(0ms, used, period);
    const Duration second = period + period * 2 / 5;
    for (std::int64_t used = 7; used <= 10; ++used) spend(second, used, 2 * period);  // six of ten are still counted
    spend(second + period, 3, 3 * period);                                            // two of four
    EXPECT_EQ(next(second + period).has_value(), reveals);
  }
}

TEST_F(SlidingCounterOfTen, a_window_that_is_reported_shorter_does_not_follow) {
  use_up();
  reported = 10s;
  spend(39s, 3, 40s);  // two windows later, used by others
  EXPECT_FALSE(next(39s));
}

TEST_F(SlidingCounterOfTen, a_distant_window_leaves_a_consistent_state) {
  spend(1s, 1, 10s);
  spend(24h * 101, 1, 24h * 101 + 10s);
  EXPECT_TRUE(counter.is_whole());
}

TEST_F(SlidingCounterOfTen, a_window_without_requests_leaves_nothing_to_refill) {
  use_up();
  spend(12s, 9, 20s);
  spend(35s, 1, 40s);
  for (std::int64_t used = 2; used <= 10; ++used) spend(35s, used, 40s);
  EXPECT_EQ(next(35s), 41s) << "one of ten in ten seconds after the reset";
  EXPECT_EQ(next(50s, 11), std::nullopt) << "more than the limit is never there";
}

TEST_F(SlidingCounterOfTen, a_rejection_just_after_the_reset_is_judged_by_the_refill_before_it) {
  use_up();
  spend(12s, 9, 20s);
  for (std::int64_t used = 1; used <= 10; ++used) spend(35s, used, 40s);  // nothing is refilled until 40 s
  spend(40'500ms, 10, 50s, Outcome::rejected);
  EXPECT_EQ(next(40'500ms), 41'500ms);
}

}}  // namespace quota_tests::sliding_counter_test
