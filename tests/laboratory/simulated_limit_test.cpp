// Simulated limits, with expected values calculated by hand. Times are counted from 2026-01-20T12:00:00Z.
#include "laboratory/simulated_limit.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace laboratory { namespace simulated_limit_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::WallTime;

constexpr WallTime noon{1'768'910'400s};

/// A number of requests at one instant, and the expected verdict on the last of them.
struct Step {
  Duration at;
  Duration admits_in;  ///< before the last one, which is admitted if this is zero
  std::int64_t remaining;
  Duration resets_in;
  Duration retry_in;
  int requests = 1;
};

struct Case {
  std::string note;
  LimitOptions options;
  std::int64_t limit;
  std::vector<Step> steps;
};

TEST(SimulatedLimit, counts_as_calculated_by_hand) {
  const std::vector<Case> cases{
      {"an aligned window turns with the clock",
       {.limit = 2, .period = 60s, .phase = 5s},
       2,
       {{20s, 0s, 1, 45s, 0s},
        {30s, 0s, 0, 35s, 35s},
        {64s, 1s, 0, 1s, 1s},
        {65s - 1ns, 1ns, 0, 1ns, 1ns},
        {65s, 0s, 1, 60s, 0s}}},
      {"a first window begins with a request",
       {.kind = LimitKind::first_window, .limit = 2, .period = 60s},
       2,
       {{7s, 0s, 1, 60s, 0s},
        {50s, 0s, 0, 17s, 17s},
        {67s - 1ns, 1ns, 0, 1ns, 1ns},
        {100s, 0s, 1, 60s, 0s}}},  // not 27 s, as with aligned windows
      {"a sliding log gives each request back after a period",
       {.kind = LimitKind::sliding_log, .limit = 3, .period = 60s},
       3,
       {{0s, 0s, 2, 60s, 0s},
        {10s, 0s, 1, 50s, 0s},
        {20s, 0s, 0, 40s, 40s},
        {60s - 1ns, 1ns, 0, 1ns, 1ns},
        {60s, 0s, 0, 10s, 10s},  // the one at 10 s still counts
        {200s, 0s, 2, 60s, 0s}}},
      {"a sliding log may report the end of a window",
       {.kind = LimitKind::sliding_log, .limit = 3, .period = 60s, .log_reset = LogReset::window_ends},
       3,
       {{0s, 0s, 2, 60s, 0s},
        {50s, 0s, 0, 10s, 10s, 2},
        {61s, 0s, 0, 60s, 49s},  // another window, and those at 50 s still count
        {62s, 48s, 0, 59s, 48s}}},
      {"a sliding log may report a period from now",
       {.kind = LimitKind::sliding_log, .limit = 2, .period = 60s, .log_reset = LogReset::period_from_now},
       2,
       {{0s, 0s, 1, 60s, 0s}, {10s, 0s, 0, 60s, 50s}, {20s, 40s, 0, 60s, 40s}, {60s, 0s, 0, 60s, 10s}}},
      {"an extended window lasts until a period without a request",
       {.kind = LimitKind::extended_window, .limit = 2, .period = 60s},
       2,
       {{0s, 0s, 1, 60s, 0s},
        {50s, 0s, 0, 60s, 60s},
        {100s, 10s, 0, 60s, 60s},  // rejected, and restarts the period
        {160s - 1ns, 1ns, 0, 60s, 60s},
        {220s, 0s, 1, 60s, 0s}}},
      {"a sliding counter weighs the window before",
       {.kind = LimitKind::sliding_counter, .limit = 10, .period = 60s},
       10,
       {{30s, 0s, 0, 30s, 36s, 10},
        {30s, 36s, 0, 30s, 36s},
        {40s, 26s, 0, 20s, 26s},  // 6 s into the next window a tenth has expired
        {66s - 1ns, 1ns, 0, 54s + 1ns, 1ns},
        {66s, 0s, 0, 54s, 6s},
        {75s, 0s, 0, 45s, 3s},  // 7.5 of the 10 before count, and 2; at 78 s 7 of them do
        {78s - 1ns, 1ns, 0, 42s + 1ns, 1ns},
        {78s, 0s, 0, 42s, 6s},
        {190s, 0s, 9, 50s, 0s}}},  // a window between them was empty
      {"a bucket flows back evenly",
       {.kind = LimitKind::token_bucket, .limit = 6, .period = 60s},
       6,
       {{0s, 0s, 5, 10s, 0s},
        {0s, 0s, 4, 20s, 0s},
        {4s, 0s, 0, 56s, 6s, 4},
        {4s, 6s, 0, 56s, 6s},  // no token has been added yet
        {7s, 3s, 0, 53s, 3s},
        {9s, 1s, 0, 51s, 1s},
        {10s, 0s, 0, 60s, 10s},
        {1000s, 0s, 5, 10s, 0s},
        {1050s, 0s, 5, 10s, 0s}}},  // holds no more than its limit
      {"a bucket may tell its next token",
       {.kind = LimitKind::token_bucket, .limit = 6, .period = 60s, .bucket_reset = BucketReset::until_next},
       6,
       {{0s, 0s, 5, 10s, 0s}, {4s, 0s, 4, 6s, 0s}, {4s, 0s, 0, 6s, 6s, 4}, {7s, 3s, 0, 3s, 3s}}},
      {"two counters halve the limit between them",
       {.kind = LimitKind::two_counters, .limit = 5, .period = 60s, .servers_apart = 20s},
       3,
       {{0s, 0s, 2, 60s, 0s},
        {0s, 0s, 2, 20s, 0s},
        {0s, 0s, 1, 60s, 0s},
        {0s, 0s, 1, 20s, 0s},
        {0s, 0s, 0, 60s, 60s},
        {0s, 0s, 0, 20s, 20s},
        {1s, 59s, 0, 59s, 59s},
        {1s, 19s, 0, 19s, 19s},
        {20s, 40s, 0, 40s, 40s},  // the first counter is still used up
        {20s, 0s, 2, 60s, 0s}}},
      {"a block rejects everything for its time",
       {.limit = 1, .period = 10s, .blocks_for = 30s},
       1,
       {{1s, 0s, 0, 9s, 9s},
        {2s, 8s, 0, 8s, 30s},    // longer than the window
        {12s, 20s, 1, 8s, 30s},  // the block starts again
        {42s, 0s, 0, 8s, 8s}}},
      {"a rejection may keep to the first block",
       {.limit = 1, .period = 10s, .blocks_for = 30s, .blocks_anew = false},
       1,
       {{1s, 0s, 0, 9s, 9s}, {1s, 9s, 0, 9s, 30s}, {12s, 19s, 1, 8s, 19s}, {31s, 0s, 0, 9s, 9s}}},
  };
  for (const auto& [note, options, limit_of_one, steps] : cases) {
    SimulatedLimit limit(options);
    for (const auto& step : steps) {
      SCOPED_TRACE(note + ", step " + std::to_string(&step - steps.data()));
      for (int i = 1; i < step.requests; ++i) EXPECT_TRUE(limit.count(noon + step.at).admitted);
      EXPECT_EQ(limit.admits_in(noon + step.at), step.admits_in);
      const auto verdict = limit.count(noon + step.at);
      EXPECT_EQ(verdict.admitted, step.admits_in == 0s);
      EXPECT_EQ(verdict.limit, limit_of_one);
      EXPECT_EQ(verdict.remaining, step.remaining);
      EXPECT_EQ(verdict.resets_in, step.resets_in);
      EXPECT_EQ(verdict.retry_in, step.retry_in);
    }
  }
}

TEST(SimulatedLimit, two_random_counters_are_reproducible_by_seed) {
  const auto turns = [](std::uint64_t seed) {
    SimulatedLimit limit(
        {.kind = LimitKind::two_counters, .limit = 200, .server_turn = ServerTurn::chance, .seed = seed});
    std::vector<std::int64_t> told;
    for (int i = 0; i < 60; ++i) told.push_back(limit.count(noon).remaining);
    return told;
  };
  EXPECT_EQ(turns(1), turns(1));
  EXPECT_NE(turns(1), turns(2));
  EXPECT_LT(turns(1).back(), 90) << "neither meets all of the 60";
  EXPECT_GT(turns(1).back(), 40);
}

TEST(SimulatedLimit, of_zero_rejects_everything) {
  for (const auto kind : {LimitKind::aligned_window, LimitKind::first_window, LimitKind::sliding_log,
                          LimitKind::sliding_counter, LimitKind::token_bucket, LimitKind::two_counters}) {
    const auto verdict = SimulatedLimit({.kind = kind, .limit = 0, .period = 60s}).count(noon);
    EXPECT_FALSE(verdict.admitted);
    EXPECT_EQ(verdict.remaining, 0);
    EXPECT_EQ(verdict.retry_in, 60s);
  }
}

}}  // namespace laboratory::simulated_limit_test
