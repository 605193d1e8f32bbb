// A token bucket: how it is detected, which refill rate is inferred, and what is not taken for a refill.
#include "quota/estimators/token_bucket.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace quota_tests { namespace token_bucket_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};
constexpr double capacity = 50;
constexpr double per_second = 25;

/// One request alone, from `sent` to `received`.
void exchange(TokenBucket& bucket, Account& account, Instant sent, Instant received, Observation seen) {
  const auto sending = account.send({.at = sent});
  bucket.on_sent(sent, {});
  account.finish(sending);
  account.record(sending, Outcome::served, received);
  seen.sent_at = sent;
  seen.received_at = received;
  seen.sent = account.sent();
  seen.served = account.served();
  seen.served_before = sending.served;
  bucket.on_response(seen, account);
}

/// A server with a capacity of 50 and a refill of 25 per second, and a client that sends requests in series.
class TokenBucketInSeries : public ::testing::Test {
 protected:
  enum class Reset { none, until_full, until_next };

  TokenBucket bucket;
  Account account;
  Duration now = 0s;
  double level = capacity;
  Reset reset = Reset::none;

  void pass(Duration span) {
    now += span;
    level = std::min(level + std::chrono::duration<double>(span).count() * per_second, capacity);
  }
  void request() {
    const Instant sent = begin + now;
    pass(2ms);
    level -= 1;
    const Duration full = seconds_for(capacity - level);
    const Instant at = begin + now + (reset == Reset::until_full ? full : seconds_for(1 - (level - std::floor(level))));
    Observation seen{.limit = 50, .remaining = static_cast<std::int64_t>(std::floor(level))};
    if (reset != Reset::none) seen.reset = ResetInterval{.earliest = at - 1ms, .latest = at};
    pass(3ms);
    exchange(bucket, account, sent, begin + now, seen);
  }
  void use_up() {
    while (level >= 2) request();
  }
  void rise_and_request() {
    for (int i = 0; i < 10; ++i) {
      pass(200ms);
      request();
    }
  }
  std::optional<std::int64_t> seen_level() const { return bucket.level(begin + now); }
  static Duration seconds_for(double permits) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(permits / per_second));
  }
};

TEST_F(TokenBucketInSeries, a_reset_that_moves_with_each_request_is_a_refill_shared_with_other_clients) {
  EXPECT_FALSE(bucket.claim(begin, {}, account));
  reset = Reset::until_full;
  use_up();
  ASSERT_TRUE(seen_level());
  EXPECT_LE(*seen_level(), static_cast<std::int64_t>(level));
  EXPECT_GE(*seen_level() + 1, static_cast<std::int64_t>(level));
  pass(1s);
  level -= 20;
  request();
  EXPECT_LE(*seen_level(), static_cast<std::int64_t>(level));
  now += 1h;
  EXPECT_EQ(seen_level(), 50) << "not more than its capacity";
}

TEST_F(TokenBucketInSeries, rises_that_agree_are_a_refill_without_a_reset_or_with_a_near_one) {
  for (const Reset which : {Reset::none, Reset::until_next}) {
    SCOPED_TRACE(static_cast<int>(which));
    bucket = {};
    reset = which;
    use_up();
    rise_and_request();
    EXPECT_TRUE(seen_level());
  }
}

TEST_F(TokenBucketInSeries, one_fast_rise_does_not_change_a_rate_that_several_have_shown) {
  use_up();
  rise_and_request();
  ASSERT_TRUE(seen_level());
  level += 4;  // as if several permits were added at a time
  request();
  use_up();
  pass(1s);
  EXPECT_LE(*seen_level(), static_cast<std::int64_t>(level));
}

TEST_F(TokenBucketInSeries, rises_count_less_than_a_reset_that_is_far_ahead_when_hardly_anything_is_used) {
  exchange(bucket, account, begin, begin,
           {.limit = 50, .remaining = 49, .reset = ResetInterval{.earliest = begin + 1s, .latest = begin + 2s}});
  use_up();
  rise_and_request();
  EXPECT_FALSE(seen_level());
}

TEST_F(TokenBucketInSeries, a_request_at_the_claimed_instant_is_served_and_a_refuted_refill_is_not_inferred_again) {
  reset = Reset::until_full;
  use_up();
  ASSERT_TRUE(seen_level());
  for (int i = 0; i < 500; ++i) {
    const auto claim = bucket.claim(begin + now, {}, account);
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->trust, Trust::guessed);
    EXPECT_EQ(claim->earliest, std::max(bucket.refilled_at(1).value(), begin + now));
    pass(claim->earliest - begin - now);
    ASSERT_GE(level, 1) << i;
    request();
  }
  EXPECT_LE(now, 22s) << "500 requests at a refill of 25 per second";
  bucket.on_refuted();
  EXPECT_FALSE(seen_level());
  pass(2s);
  use_up();
  EXPECT_FALSE(seen_level());
}

// Four requests of 25 each in windows of 100, of which the cost is not known yet.
TEST(TokenBucket, windows_that_requests_of_an_unknown_cost_use_up_are_no_refill) {
  TokenBucket bucket;
  Account account;
  for (int window = 0; window < 8; ++window) {
    const Instant opens = begin + window * 2s;
    const ResetInterval reset{.earliest = opens + 2s - 1ms, .latest = opens + 2s};
    for (int i = 0; i < 4; ++i)
      exchange(bucket, account, opens + i * 25ms + 1ms, opens + i * 25ms + 21ms,
               {.limit = 100, .remaining = 75 - 25 * i, .reset = reset});
    EXPECT_EQ(bucket.level(opens + 200ms), std::nullopt) << window;
  }
}

TEST(TokenBucket, a_reported_rate_needs_no_proof_and_covers_cost_and_reserve) {
  TokenBucket bucket;
  Account account;
  bucket.on_response({.outcome = Outcome::rejected, .remaining = 3, .refill_per_second = 10.0}, account);
  EXPECT_FALSE(bucket.level(begin));
  exchange(bucket, account, begin, begin, {.limit = 20, .remaining = 3, .refill_per_second = 10.0});
  using Case = std::pair<PermitRequest, Duration>;
  for (const auto& [request, in] :
       {Case{{.cost = 3}, 0s}, Case{{.cost = 4}, 100ms}, Case{{.cost = 1, .reserve = 4}, 200ms},
        Case{{.cost = 20}, 1700ms}, Case{{.cost = 21}, recheck_interval}}) {
    SCOPED_TRACE(request.wanted());
    const auto claim = bucket.claim(begin, request, account);
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->trust, Trust::reported);
    EXPECT_NEAR(std::chrono::duration<double>(claim->earliest - begin - in).count(), 0, 1e-6);
  }
  bucket.on_sent(begin, {.cost = 2});
  EXPECT_EQ(bucket.level(begin), 1);
  bucket.on_unsent({.cost = 2});
  EXPECT_EQ(bucket.level(begin), 3) << "it was never sent";
  bucket.on_refuted();
  EXPECT_TRUE(bucket.level(begin));
}

TEST(TokenBucket, windows_that_end_are_no_refill) {
  using Case = std::tuple<const char*, Duration, std::int64_t>;
  for (const auto& [what, rounding, least_left] :
       {Case{"to the millisecond", 1ms, 0}, Case{"to the second", 1s, 0}, Case{"no reset, and much is left", 0s, 40}}) {
    SCOPED_TRACE(what);
    TokenBucket bucket;
    Account account;
    for (int window = 0; window < 20; ++window)
      for (std::int64_t left = 49; left >= least_left; --left) {
        const Instant sent = begin + window * 2s + (49 - left) * 5ms;
        const Instant end = begin + (window + 1) * 2s;
        Observation seen{.limit = 50, .remaining = left};
        if (rounding > 0s) seen.reset = ResetInterval{.earliest = end - rounding, .latest = end};
        exchange(bucket, account, sent, sent + 5ms, seen);
        ASSERT_FALSE(bucket.level(begin)) << window << ' ' << left;
      }
  }
}

}  // namespace token_bucket_test
}  // namespace quota_tests
