// How a simulated service counts, by numbers worked out by hand. The instants are counted from 2026-01-20T12:00:00Z.
#include <noun/simulated_limit.hpp>

#include <gtest/gtest.h>

namespace noun::testing {
namespace simulated_limit_test {

using namespace std::chrono_literals;

constexpr WallTime noon{1'768'910'400s};

/// A limit, asked at spans since noon.
struct Gauge {
  SimulatedLimit limit;

  explicit Gauge(const LimitOptions& options) : limit(options) {}

  LimitVerdict at(Duration span) { return limit.count(noon + span); }
  int admitted_of(int requests, Duration span) {
    int admitted = 0;
    for (int i = 0; i < requests; ++i) admitted += at(span).admitted ? 1 : 0;
    return admitted;
  }
};

TEST(SimulatedLimit, of_an_aligned_window_turns_with_the_clock) {
  Gauge gauge({.limit = 2, .period = 60s, .phase = 5s});
  const auto first = gauge.at(20s);
  EXPECT_TRUE(first.admitted);
  EXPECT_EQ(first.limit, 2);
  EXPECT_EQ(first.remaining, 1);
  EXPECT_EQ(first.resets_in, 45s);
  EXPECT_EQ(first.retry_in, 0s);
  const auto last = gauge.at(30s);
  EXPECT_TRUE(last.admitted);
  EXPECT_EQ(last.remaining, 0);
  EXPECT_EQ(last.retry_in, 35s);
  EXPECT_EQ(gauge.limit.admits_in(noon + 64s), 1s);
  EXPECT_EQ(gauge.limit.admits_in(noon + 65s), 0s);
  EXPECT_FALSE(gauge.at(65s - 1ns).admitted);
  EXPECT_EQ(gauge.at(65s).remaining, 1);
}

TEST(SimulatedLimit, of_a_first_window_begins_with_a_request) {
  Gauge gauge({.kind = LimitKind::first_window, .limit = 2, .period = 60s});
  EXPECT_EQ(gauge.at(7s).resets_in, 60s);
  EXPECT_EQ(gauge.at(50s).resets_in, 17s);
  EXPECT_EQ(gauge.limit.admits_in(noon + 50s), 17s);
  EXPECT_FALSE(gauge.at(67s - 1ns).admitted);
  const auto next = gauge.at(100s);
  EXPECT_TRUE(next.admitted);
  EXPECT_EQ(next.resets_in, 60s) << "not 27 s, as a grid of windows would have it";
}

TEST(SimulatedLimit, of_a_sliding_log_gives_each_request_back_after_a_period) {
  Gauge gauge({.kind = LimitKind::sliding_log, .limit = 3, .period = 60s});
  EXPECT_EQ(gauge.at(0s).remaining, 2);
  EXPECT_EQ(gauge.at(10s).resets_in, 50s);
  const auto last = gauge.at(20s);
  EXPECT_EQ(last.remaining, 0);
  EXPECT_EQ(last.resets_in, 40s);
  EXPECT_EQ(last.retry_in, 40s);
  EXPECT_FALSE(gauge.at(60s - 1ns).admitted);
  const auto again = gauge.at(60s);
  EXPECT_TRUE(again.admitted);
  EXPECT_EQ(again.remaining, 0) << "the one at 10 s still counts";
  EXPECT_EQ(again.retry_in, 10s);
  EXPECT_EQ(gauge.at(200s).remaining, 2);
}

// 10 of the window before, a quarter of which is past: 7.5 count, so that 2 are left of 10.
TEST(SimulatedLimit, of_a_sliding_counter_weighs_the_window_before) {
  Gauge gauge({.kind = LimitKind::sliding_counter, .limit = 10, .period = 60s});
  EXPECT_EQ(gauge.admitted_of(11, 30s), 10);
  EXPECT_EQ(gauge.at(40s).resets_in, 20s);
  EXPECT_EQ(gauge.at(40s).retry_in, 26s) << "6 s into the next window a tenth is past";
  EXPECT_FALSE(gauge.at(66s - 1ns).admitted);
  EXPECT_TRUE(gauge.at(66s).admitted);
  const auto second = gauge.at(75s);
  EXPECT_TRUE(second.admitted);
  EXPECT_EQ(second.remaining, 0);
  EXPECT_EQ(second.retry_in, 3s) << "at 78 s 7 count of the window before, and 2";
  EXPECT_FALSE(gauge.at(78s - 1ns).admitted);
  EXPECT_TRUE(gauge.at(78s).admitted);
  EXPECT_EQ(gauge.at(190s).remaining, 9) << "a window between them was empty";
}

TEST(SimulatedLimit, of_a_bucket_flows_back_evenly) {
  Gauge gauge({.kind = LimitKind::token_bucket, .limit = 6, .period = 60s});
  EXPECT_EQ(gauge.at(0s).remaining, 5);
  EXPECT_EQ(gauge.at(0s).resets_in, 20s) << "two tokens of 10 s each";
  EXPECT_EQ(gauge.admitted_of(5, 4s), 4) << "a token is not back yet";
  const auto over = gauge.at(7s);
  EXPECT_FALSE(over.admitted);
  EXPECT_EQ(over.retry_in, 3s);
  EXPECT_EQ(over.resets_in, 53s);
  EXPECT_EQ(gauge.limit.admits_in(noon + 9s), 1s);
  EXPECT_TRUE(gauge.at(10s).admitted);
  EXPECT_EQ(gauge.at(1000s).remaining, 5);
  EXPECT_EQ(gauge.at(1050s).remaining, 5) << "it holds no more than its limit";
}

TEST(SimulatedLimit, of_a_bucket_may_tell_its_next_token) {
  Gauge gauge({.kind = LimitKind::token_bucket, .limit = 6, .period = 60s, .bucket_reset = BucketReset::until_next});
  EXPECT_EQ(gauge.at(0s).resets_in, 10s);
  EXPECT_EQ(gauge.at(4s).resets_in, 6s);
  EXPECT_EQ(gauge.admitted_of(4, 4s), 4);
  EXPECT_EQ(gauge.at(7s).resets_in, 3s);
}

TEST(SimulatedLimit, of_two_counters_is_halved_between_them) {
  Gauge gauge({.kind = LimitKind::two_counters, .limit = 5, .period = 60s, .servers_apart = 20s});
  const auto first = gauge.at(0s);
  EXPECT_EQ(first.limit, 3);
  EXPECT_EQ(first.remaining, 2);
  EXPECT_EQ(first.resets_in, 60s);
  const auto second = gauge.at(0s);
  EXPECT_EQ(second.remaining, 2);
  EXPECT_EQ(second.resets_in, 20s);
  EXPECT_EQ(gauge.admitted_of(6, 0s), 4);
  EXPECT_EQ(gauge.limit.admits_in(noon + 1s), 59s);
  EXPECT_FALSE(gauge.at(20s).admitted) << "the first is still used up";
  EXPECT_TRUE(gauge.at(20s).admitted);
}

TEST(SimulatedLimit, of_two_counters_met_by_chance_is_the_same_for_a_seed) {
  const auto turns = [](std::uint64_t seed) {
    Gauge gauge({.kind = LimitKind::two_counters, .limit = 200, .server_turn = ServerTurn::chance, .seed = seed});
    std::vector<std::int64_t> told;
    for (int i = 0; i < 60; ++i) told.push_back(gauge.at(0s).remaining);
    return told;
  };
  EXPECT_EQ(turns(1), turns(1));
  EXPECT_NE(turns(1), turns(2));
  EXPECT_LT(turns(1).back(), 90) << "neither meets all of the 60";
  EXPECT_GT(turns(1).back(), 40);
}

TEST(SimulatedLimit, that_blocks_rejects_everything_for_its_time) {
  Gauge gauge({.limit = 1, .period = 10s, .blocks_for = 30s});
  EXPECT_TRUE(gauge.at(1s).admitted);
  EXPECT_EQ(gauge.at(2s).retry_in, 30s) << "longer than the window";
  const auto met = gauge.at(12s);
  EXPECT_FALSE(met.admitted);
  EXPECT_EQ(met.remaining, 1);
  EXPECT_EQ(met.retry_in, 30s) << "the block begins anew";
  EXPECT_EQ(gauge.limit.admits_in(noon + 40s), 2s);
  EXPECT_TRUE(gauge.at(42s).admitted);
}

TEST(SimulatedLimit, that_blocks_may_keep_to_its_first_block) {
  Gauge gauge({.limit = 1, .period = 10s, .blocks_for = 30s, .blocks_anew = false});
  EXPECT_EQ(gauge.admitted_of(2, 1s), 1);
  EXPECT_EQ(gauge.at(12s).retry_in, 19s);
  EXPECT_TRUE(gauge.at(31s).admitted);
}

TEST(SimulatedLimit, of_nothing_rejects_everything) {
  for (const auto kind : {LimitKind::aligned_window, LimitKind::first_window, LimitKind::sliding_log,
                          LimitKind::sliding_counter, LimitKind::token_bucket, LimitKind::two_counters}) {
    Gauge gauge({.kind = kind, .limit = 0, .period = 60s});
    const auto verdict = gauge.at(0s);
    EXPECT_FALSE(verdict.admitted);
    EXPECT_EQ(verdict.remaining, 0);
    EXPECT_EQ(verdict.retry_in, 60s);
  }
}

}  // namespace simulated_limit_test
}  // namespace noun::testing
