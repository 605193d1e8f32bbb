// A quota that flows back: how it is recognised, how fast it is taken to be, and what is not taken for a flow.
#include "quota/quota_refill.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace quota_tests { namespace quota_refill_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::InstantSpan;
using noun::QuotaRefill;

constexpr Instant begin{1000s};
constexpr double capacity = 50;
constexpr double per_second = 25;

/// A bucket of 50 that gets 25 a second, and a client that asks it in series.
class FlowingQuota : public testing::Test {
 protected:
  enum class Reset { none, until_full, until_next };

  QuotaRefill refill;
  Duration now = 0s;
  double level = capacity;
  std::uint64_t requests = 0;
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
    const Duration in = reset == Reset::until_full ? full : seconds_for(1 - (level - std::floor(level)));
    const Instant at = begin + now + in;
    const auto told = reset == Reset::none ? std::nullopt : std::optional(InstantSpan{at - 1ms, at});
    pass(3ms);
    ++requests;
    refill.spend(1);
    refill.learn({.sent = sent,
                  .received = begin + now,
                  .remaining = static_cast<std::int64_t>(std::floor(level)),
                  .limit = 50,
                  .reset = told,
                  .told = told,
                  .admitted = requests,
                  .served_before = requests - 1,
                  .served = requests});
  }
  void use_up() {
    while (level >= 2) request();
  }
  static Duration seconds_for(double permits) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(permits / per_second));
  }
};

TEST_F(FlowingQuota, is_not_known_at_first) { EXPECT_FALSE(refill.flows()); }

TEST_F(FlowingQuota, a_reset_that_moves_away_with_each_request_is_a_flow) {
  reset = Reset::until_full;
  use_up();
  ASSERT_TRUE(refill.flows());
  EXPECT_LE(refill.level(begin + now), static_cast<std::int64_t>(level));
  EXPECT_GE(refill.level(begin + now) + 1, static_cast<std::int64_t>(level));
}

TEST_F(FlowingQuota, without_a_reset_it_takes_rises_that_agree) {
  use_up();
  for (int i = 0; i < 10; ++i) {
    pass(200ms);
    request();
  }
  EXPECT_TRUE(refill.flows());
}

TEST_F(FlowingQuota, a_reset_that_is_far_ahead_when_hardly_anything_is_used_outweighs_rises) {
  const InstantSpan in_two_seconds{begin + 1s, begin + 2s};
  refill.learn({.sent = begin, .received = begin, .remaining = 49, .limit = 50, .reset = in_two_seconds});
  use_up();
  for (int i = 0; i < 10; ++i) {
    pass(200ms);
    request();
  }
  EXPECT_FALSE(refill.flows());
}

TEST_F(FlowingQuota, never_promises_more_than_there_is) {
  reset = Reset::until_full;
  use_up();
  ASSERT_TRUE(refill.flows());
  for (int i = 0; i < 500; ++i) {
    const Instant next = refill.when(1);
    if (next > begin + now) pass(next - begin - now);
    ASSERT_GE(level, 1) << i;
    request();
  }
  EXPECT_LE(now, 22s) << "500 requests, of which 25 a second flow back";
}

TEST_F(FlowingQuota, never_promises_more_than_the_bucket_holds) {
  reset = Reset::until_full;
  use_up();
  ASSERT_TRUE(refill.flows());
  EXPECT_EQ(refill.level(begin + now + 1h), 50);
}

TEST_F(FlowingQuota, what_others_take_is_taken_off) {
  reset = Reset::until_full;
  use_up();
  ASSERT_TRUE(refill.flows());
  pass(1s);
  level -= 20;
  request();
  EXPECT_LE(refill.level(begin + now), static_cast<std::int64_t>(level));
}

TEST_F(FlowingQuota, a_rejection_ends_it_for_good) {
  reset = Reset::until_full;
  use_up();
  refill.refute();
  EXPECT_FALSE(refill.flows());
  pass(2s);
  use_up();
  EXPECT_FALSE(refill.flows());
}

TEST_F(FlowingQuota, a_told_rate_needs_no_proof) {
  refill.learn({.sent = begin, .received = begin + 5ms, .remaining = 0, .limit = 20, .per_second = 10.0});
  ASSERT_TRUE(refill.flows());
  EXPECT_NEAR(std::chrono::duration<double>(refill.when(1) - begin).count(), 0.105, 0.001);
}

TEST_F(FlowingQuota, a_request_that_was_never_sent_gives_its_permit_back) {
  refill.learn({.sent = begin, .received = begin, .remaining = 3, .limit = 20, .per_second = 10.0});
  refill.spend(2);
  EXPECT_EQ(refill.level(begin), 1);
  refill.give_back(2);
  EXPECT_EQ(refill.level(begin), 3);
}

/// Windows that turn, of fifty each, asked in series.
TEST(FlowOfWindows, is_not_seen_where_windows_turn) {
  for (const Duration told : {Duration(1ms), Duration(1s)}) {
    QuotaRefill refill;
    std::uint64_t requests = 0;
    for (int window = 0; window < 20; ++window)
      for (std::int64_t left = 49; left >= 0; --left) {
        const Instant sent = begin + window * 2s + (49 - left) * 5ms;
        const Instant end = begin + (window + 1) * 2s;
        ++requests;
        refill.learn({.sent = sent,
                      .received = sent + 5ms,
                      .remaining = left,
                      .limit = 50,
                      .reset = InstantSpan{end - told, end},
                      .told = InstantSpan{end - told, end},
                      .admitted = requests,
                      .served_before = requests - 1,
                      .served = requests});
        ASSERT_FALSE(refill.flows()) << window << ' ' << left;
      }
  }
}

TEST(FlowOfWindows, is_not_seen_in_untold_windows_of_which_much_is_left) {
  QuotaRefill refill;
  std::uint64_t requests = 0;
  for (int window = 0; window < 20; ++window)
    for (std::int64_t left = 49; left >= 40; --left) {
      const Instant sent = begin + window * 2s + (49 - left) * 5ms;
      ++requests;
      refill.learn({.sent = sent,
                    .received = sent + 5ms,
                    .remaining = left,
                    .limit = 50,
                    .admitted = requests,
                    .served_before = requests - 1,
                    .served = requests});
      ASSERT_FALSE(refill.flows()) << window << ' ' << left;
    }
}

}  // namespace quota_refill_test
}  // namespace quota_tests
