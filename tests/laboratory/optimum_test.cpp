// Tests of the least times: compared with numbers calculated by hand, and with the clairvoyant.
#include "laboratory/optimum.hpp"

#include <gtest/gtest.h>

#include "laboratory/judgement.hpp"

namespace laboratory { namespace optimum_test {

using namespace std::chrono_literals;

TEST(Optimum, without_a_limit_is_the_number_of_rounds) {
  EXPECT_EQ(best_without_limit({500, 10, 200ms}), 10s);
  EXPECT_EQ(best_without_limit({501, 10, 200ms}), 10'200ms);
  EXPECT_EQ(best_without_limit({7, 1, 200ms}), 1'400ms);
}

// 600 at once, then 4 windows of 600, and 100 in 10 rounds of the fifth. The first requests of a window are sent 0.1 s
// before it starts.
TEST(Optimum, in_windows_waits_for_all_but_the_last) {
  EXPECT_EQ(best_in_windows({3100, 10, 200ms}, {600, 600, 60s, 60s}), 60s + 240s - 100ms + 2s);
  EXPECT_EQ(best_in_windows({600, 10, 200ms}, {600, 600, 60s, 60s}), 12s);
  EXPECT_EQ(best_in_windows({601, 10, 200ms}, {600, 600, 7s, 60s}), 7s - 100ms + 5'200ms)
      << "350 before the reset, 251 after it";
}

TEST(Optimum, in_windows_larger_than_the_workers_capacity_is_the_workers_time) {
  // 85 in series in each window of 60 s. The last one ends half a second before the window does.
  EXPECT_EQ(best_in_windows({180, 1, 700ms}, {600, 600, 60s, 60s}), 60s + 60s - 350ms + 7s);
}

// 60 at once, and then one for each that leaves the log.
TEST(Optimum, in_a_log_each_request_waits_for_the_oldest) {
  EXPECT_EQ(best_in_log({60, 10, 200ms}, 60, 60s), 1'200ms);
  EXPECT_EQ(best_in_log({61, 10, 200ms}, 60, 60s), 60'200ms);
  EXPECT_EQ(best_in_log({131, 10, 200ms}, 60, 60s), 120s + 400ms) << "the 11th request of the third 60";
}

TEST(Optimum, in_a_bucket_is_its_tokens_and_then_its_refill_rate) {
  EXPECT_EQ(best_in_bucket({60, 10, 200ms}, 60, 60, 60s), 1'200ms);
  EXPECT_EQ(best_in_bucket({66, 10, 200ms}, 60, 60, 60s), 6'200ms);
  EXPECT_EQ(best_in_bucket({66, 1, 200ms}, 60, 60, 60s), 13'200ms) << "the refill is faster than one worker";
}

double slowdown_of_the_clairvoyant(const std::string& id) {
  const auto experiment = experiment_of(cells_with({id}).front(), {});
  const auto outcome = run(experiment, Shape::clairvoyant);
  EXPECT_EQ(outcome.rejected, 0) << id;
  return static_cast<double>(outcome.elapsed.count()) / static_cast<double>(least_time(experiment).count());
}

TEST(Optimum, equals_the_time_of_the_clairvoyant) {
  for (const char* kind : {"aligned", "first", "log", "bucket"})
    for (const char* workload : {"x1/k1", "x16/k1", "x4/k4", "x16/k64"})
      for (const char* load : {"n0.1", "n0.9", "n1", "n1.1", "n5"}) {
        const auto id = std::string(kind) + "/epoch/+5s/all/ordered/" + workload + "/" + load;
        EXPECT_NEAR(slowdown_of_the_clairvoyant(id), 1, 0.005) << id;
      }
}

}  // namespace optimum_test
}  // namespace laboratory
