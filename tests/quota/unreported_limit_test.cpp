// A limit that the server does not report: what is learned from its rejections, and how more is tried.
#include "quota/estimators/unreported_limit.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace unreported_limit_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};

class Silent : public ::testing::Test {
 protected:
  Account account;
  UnreportedLimit limit;

  void exchange(Duration at, Outcome outcome, bool guessed = false, std::optional<Duration> wait = {}) {
    const auto sending = account.send({.at = begin + at});
    limit.on_sent(begin + at, {});
    Observation seen{.sent_at = begin + at,
                     .received_at = begin + at + 5ms,
                     .outcome = outcome,
                     .guessed = guessed,
                     .retry_after = wait};
    account.log().keep(1000);
    account.finish(sending);
    account.record(sending, outcome, seen.received_at);
    limit.on_response(seen, account);
  }
  void serve(Duration from, int requests) {
    for (int i = 0; i < requests; ++i) exchange(from + i * 10ms, Outcome::served);
  }
  /// Ten are served at once, more are rejected, and one is served again 3.25 s after the first.
  void learn() {
    serve(0s, 10);
    exchange(250ms, Outcome::rejected);
    exchange(1250ms, Outcome::rejected);
    exchange(3250ms, Outcome::served);
  }
  std::optional<Claim> claim(Duration at) const { return limit.claim(begin + at, {}, account); }
  Duration earliest(Duration at) const { return claim(at).value_or(Claim{Instant::max()}).earliest - begin; }
};

TEST_F(Silent, requests_in_flight_are_within_the_served_count) {
  learn();
  for (int i = 0; i < 9; ++i) account.send({.at = begin + 60s});
  EXPECT_EQ(earliest(60s), 60s) << "the tenth";
  account.send({.at = begin + 60s});
  EXPECT_GT(earliest(60s), 60s);
  EXPECT_EQ(claim(60s)->reason, WaitReason::concurrency);
}

TEST_F(Silent, claims_nothing_before_a_rejection_and_its_end) {
  serve(0s, 10);
  EXPECT_FALSE(claim(100ms));
  exchange(250ms, Outcome::rejected);
  EXPECT_FALSE(claim(300ms));
}

TEST_F(Silent, the_served_count_is_admitted_per_time_until_one_was_served_again) {
  learn();
  EXPECT_EQ(limit.count(), 10);
  serve(3260ms, 8);
  EXPECT_EQ(claim(3400ms)->trust, Trust::proven);
  EXPECT_EQ(earliest(3400ms), 3400ms) << "the tenth";
  exchange(3400ms, Outcome::served);
  EXPECT_EQ(limit.admits_at({}, account), begin + 3255ms + 3255ms);
}

TEST_F(Silent, the_shortest_usual_period_is_tried_by_one_request_and_then_whole_seconds) {
  learn();
  serve(3260ms, 9);
  ASSERT_EQ(claim(3400ms)->trust, Trust::guessed);
  EXPECT_EQ(earliest(3400ms), 3255ms + 2s);
  exchange(3255ms + 2s, Outcome::rejected, true);
  EXPECT_EQ(earliest(5300ms), 3255ms + 3s);
  exchange(3255ms + 3s, Outcome::served, true);
  EXPECT_EQ(limit.admits_at({}, account), begin + 3265ms + 3s) << "it is three seconds";
}

TEST_F(Silent, whole_seconds_just_below_the_period_are_tried) {
  serve(0s, 10);
  exchange(250ms, Outcome::rejected);
  exchange(3300ms, Outcome::rejected);
  exchange(5010ms, Outcome::served);
  serve(5020ms, 9);
  EXPECT_EQ(earliest(5200ms), 5015ms + 4s);
}

TEST_F(Silent, retry_after_bounds_the_period) {
  serve(0s, 10);
  exchange(250ms, Outcome::rejected, false, 3s);
  exchange(3250ms, Outcome::served);
  serve(3260ms, 9);
  EXPECT_EQ(earliest(3400ms), 3255ms + 3s) << "two seconds are not tried";
}

TEST_F(Silent, a_served_try_proves_only_the_time_that_had_passed) {
  learn();
  serve(3260ms, 9);
  exchange(3255ms + 2800ms, Outcome::served, true);
  EXPECT_EQ(limit.admits_at({}, account), begin + 3265ms + 2800ms) << "not two seconds";
}

TEST_F(Silent, a_request_that_is_due_soon_is_no_try) {
  learn();
  serve(3260ms, 9);
  EXPECT_EQ(claim(6300ms)->trust, Trust::guessed) << "210 ms before it is known to be served";
  EXPECT_EQ(claim(6420ms)->trust, Trust::proven) << "90 ms before";
  EXPECT_EQ(earliest(6420ms), 3255ms + 3255ms);
}

TEST_F(Silent, a_try_whose_rejection_would_delay_the_next_period_is_postponed) {
  learn();
  serve(3260ms, 9);
  for (const auto length : {2s, 3s}) exchange(3255ms + length, Outcome::rejected, true);
  serve(10300ms, 10);
  EXPECT_EQ(earliest(10500ms), 10305ms + 3255ms) << "a try 300 ms earlier might have to wait for a second";
  serve(13560ms, 10);
  EXPECT_EQ(earliest(13700ms), 13700ms);
  EXPECT_EQ(claim(13700ms)->trust, Trust::guessed);
}

TEST_F(Silent, a_shorter_period_that_was_rejected_is_not_tried_again) {
  learn();
  serve(3260ms, 9);
  exchange(6255ms, Outcome::rejected, true);
  EXPECT_EQ(limit.admits_at({}, account), begin + 3255ms + 3255ms);
  EXPECT_EQ(claim(6260ms)->trust, Trust::proven) << "neither two seconds nor three";
}

TEST_F(Silent, grows_by_one_and_then_by_more_until_a_rejection) {
  learn();
  serve(3260ms, 9);
  exchange(6255ms, Outcome::served, true);
  exchange(5265ms, Outcome::rejected, true);  // two seconds are too short
  exchange(8s, Outcome::rejected, true);      // one more is too much
  EXPECT_EQ(limit.count(), 10);
  serve(40s, 10);
  for (int grown = 1; grown <= 3; ++grown) {
    exchange(40200ms, Outcome::served, true);
    EXPECT_EQ(limit.count(), 10 + grown);
  }
  exchange(40200ms, Outcome::rejected, true);
  EXPECT_EQ(limit.count(), 13) << "the rejected try does not change the count";
}

TEST_F(Silent, a_rejection_below_the_count_lowers_it_by_a_tenth_to_a_half_as_soon_as_one_is_served_again) {
  learn();
  exchange(3300ms, Outcome::rejected);
  EXPECT_EQ(limit.count(), 10) << "what is in flight may still be served";
  exchange(7s, Outcome::served);
  EXPECT_EQ(limit.count(), 5);
  serve(7100ms, 30);
  exchange(8s, Outcome::rejected);
  exchange(12s, Outcome::served);
  EXPECT_EQ(limit.count(), 4);
}

TEST_F(Silent, a_rejection_that_overtakes_the_first_of_its_burst_lowers_the_count) {
  learn();
  serve(3260ms, 9);
  exchange(6600ms, Outcome::rejected);
  for (int i = 0; i < 8; ++i) exchange(6590ms, Outcome::served);
  exchange(12s, Outcome::served);
  EXPECT_EQ(limit.count(), 8);
}

TEST_F(Silent, one_in_a_second_is_paced) {
  exchange(0s, Outcome::served);
  for (const auto cycle : {0ms, 1300ms}) {
    exchange(cycle + 10ms, Outcome::rejected);
    exchange(cycle + 1300ms, Outcome::served);
  }
  ASSERT_EQ(limit.count(), 1);
  ASSERT_TRUE(limit.is_paced());
  EXPECT_EQ(earliest(2700ms), 2600ms + 1305ms);
}

TEST_F(Silent, a_long_wait_of_an_earlier_cycle_is_forgotten) {
  exchange(-1h, Outcome::served);
  exchange(0s, Outcome::rejected, false, 30s);
  exchange(31s, Outcome::served);
  ASSERT_FALSE(limit.count()) << "an hour is no period";
  serve(31010ms, 9);
  exchange(31200ms, Outcome::rejected);
  exchange(34300ms, Outcome::served);
  serve(34310ms, 9);
  exchange(35060ms, Outcome::rejected, true);
  EXPECT_EQ(earliest(35070ms), 34305ms + 1s);
}

/// Ten are served at once, more are rejected, and ten are served again a second later.
class SilentForASecond : public Silent {
 protected:
  void SetUp() override {
    serve(0s, 10);
    exchange(100ms, Outcome::rejected);
    serve(1100ms, 10);
  }
};

TEST_F(SilentForASecond, a_permit_that_is_free_soon_after_the_last_shows_a_bucket) {
  const Duration soon = 2 * 1105ms / 10;
  ASSERT_EQ(claim(1200ms)->trust, Trust::guessed);
  ASSERT_EQ(earliest(1200ms), 1195ms + soon);
  exchange(1195ms + soon, Outcome::served, true);
  ASSERT_TRUE(limit.is_paced());
  EXPECT_EQ(earliest(1420ms), 1195ms + soon + Duration(1105ms) / 10);
  EXPECT_EQ(claim(1420ms)->trust, Trust::proven);
}

TEST_F(SilentForASecond, a_window_has_no_permit_soon_after_the_last_and_is_not_asked_again) {
  exchange(earliest(1200ms), Outcome::rejected, true);
  EXPECT_FALSE(limit.is_paced());
  EXPECT_EQ(earliest(1500ms), 1105ms + 1s);
}

TEST_F(SilentForASecond, a_rejection_after_less_than_half_of_the_first_burst_shows_a_bucket) {
  UnreportedLimit fresh;
  limit = fresh;
  serve(10s, 10);
  exchange(10100ms, Outcome::rejected);
  serve(11100ms, 4);
  exchange(11140ms, Outcome::rejected);
  ASSERT_TRUE(limit.is_paced());
  EXPECT_EQ(earliest(11150ms), 11145ms + 1040ms / 4);
}

TEST_F(Silent, a_try_that_serves_no_more_than_the_known_count_proves_nothing) {
  learn();
  serve(3260ms, 9);
  for (const auto length : {2s, 3s}) exchange(3255ms + length, Outcome::rejected, true);
  exchange(14s, Outcome::served, true);
  EXPECT_EQ(limit.count(), 10);
  serve(14010ms, 9);
  EXPECT_EQ(claim(14200ms)->trust, Trust::proven) << "one try in a period";
}

TEST_F(Silent, requests_served_after_a_rejection_that_overtook_them_count) {
  learn();
  exchange(3300ms, Outcome::rejected);
  serve(3240ms, 6);
  exchange(7s, Outcome::served);
  EXPECT_EQ(limit.count(), 7);
}

TEST_F(Silent, one_rejection_with_few_served_requests_may_have_another_cause) {
  for (const auto cycle : {0s, 2s}) {
    serve(cycle, 2);
    exchange(cycle + 100ms, Outcome::rejected);
    exchange(cycle + 1500ms, Outcome::served);
    EXPECT_EQ(limit.count().has_value(), cycle > 0s);
  }
}

TEST_F(Silent, periods_above_two_minutes_are_not_learned) {
  serve(0s, 10);
  exchange(250ms, Outcome::rejected);
  exchange(10min, Outcome::served);
  EXPECT_FALSE(limit.count());
}

TEST_F(Silent, reported_limits_are_left_to_other_estimators) {
  learn();
  Observation seen{.sent_at = begin + 4s, .received_at = begin + 4s, .limit = 10, .remaining = 5};
  limit.on_response(seen, account);
  EXPECT_FALSE(claim(4s));
}

}  // namespace unreported_limit_test
}  // namespace quota_tests
