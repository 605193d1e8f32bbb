// Several policies on the same requests: a permit of each, and each told apart in the answers.
#include "quota/quota_bucket.hpp"

#include <gtest/gtest.h>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace quota_bucket_test {

using noun::QuotaBucket;
using noun::wire::ToldQuota;

ToldQuota further(std::string name, std::int64_t remaining, Duration resets_in) {
  return {.name = std::move(name),
          .limit = 1000,
          .remaining = remaining,
          .reset = noun::wire::ResetReading{.in = resets_in, .at = {}}};
}

class Policies : public testing::Test {
 protected:
  QuotaBucket bucket;
  Duration now = 0s;

  QuotaBucket::Decision ask() { return bucket.admit(bench_begin + now, {}, {}); }
  void exchange(const QuotaAnswer& answer) {
    const auto decision = ask();
    ASSERT_TRUE(decision.admitted);
    noun::QuotaNote note = noun::QuotaNote::none;
    bucket.settle(decision.ticket, bench_now(now), bench_now(now), answer, note);
  }
  std::vector<std::int64_t> left() const {
    std::vector<std::int64_t> left;
    for (const auto& one : bucket.snapshots(bench_begin + now)) left.push_back(one.remaining.value_or(-1));
    return left;
  }
};

TEST_F(Policies, a_request_needs_a_permit_of_each) {
  auto answer = told(10, 1s);
  answer.reading.more = {further("day", 2, 90s)};
  exchange(answer);
  exchange(bare());
  exchange(bare());
  const auto held = ask();
  EXPECT_FALSE(held.admitted);
  EXPECT_EQ(held.until, bench_begin + 90s);
  EXPECT_EQ(held.reason, WaitReason::quota);
}

TEST_F(Policies, the_first_may_bind_as_well) {
  auto answer = told(0, 5s);
  answer.reading.more = {further("day", 200, 90s)};
  exchange(answer);
  EXPECT_EQ(ask().until, bench_begin + 5s);
}

TEST_F(Policies, of_two_that_hold_the_longer_counts) {
  auto answer = told(0, 5s);
  answer.reading.more = {further("day", 0, 90s), further("hour", 0, 1min)};
  exchange(answer);
  EXPECT_EQ(ask().until, bench_begin + 90s);
}

TEST_F(Policies, a_permit_that_one_of_them_denies_is_given_back_to_the_others) {
  auto answer = told(10, 5s);
  answer.reading.more = {further("day", 0, 90s)};
  exchange(answer);
  EXPECT_FALSE(ask().admitted);
  EXPECT_EQ(left(), (std::vector<std::int64_t>{10, 0}));
}

TEST_F(Policies, are_kept_apart_by_name_whatever_their_order) {
  auto answer = told(10, 5s);
  answer.reading.more = {further("hour", 20, 1min), further("day", 30, 90s)};
  exchange(answer);
  answer.reading.more = {further("day", 29, 90s), further("hour", 19, 1min)};
  answer.reading.remaining = 9;
  exchange(answer);
  EXPECT_EQ(left(), (std::vector<std::int64_t>{9, 29, 19})) << "the first, then by name";
}

TEST_F(Policies, one_that_an_answer_leaves_out_counts_on) {
  auto answer = told(10, 5s);
  answer.reading.more = {further("day", 5, 90s)};
  exchange(answer);
  exchange(told(9, 5s));
  EXPECT_EQ(left(), (std::vector<std::int64_t>{9, 4}));
}

TEST_F(Policies, a_rejection_is_the_fault_of_the_one_that_is_used_up) {
  auto answer = rejected_for(30s, told(10, 5s));
  answer.reading.more = {further("day", 0, 90s)};
  exchange(bare());
  exchange(answer);
  const auto held = ask();
  EXPECT_EQ(held.until, bench_begin + 30s);
  const auto snapshots = bucket.snapshots(bench_begin);
  EXPECT_EQ(snapshots[0].rejected, 0U);
  EXPECT_EQ(snapshots[1].rejected, 1U);
  EXPECT_EQ(snapshots[0].remaining, 10);
}

TEST_F(Policies, where_none_is_used_up_a_rejection_is_the_fault_of_the_first) {
  auto answer = rejected_for(30s, told(10, 5s));
  answer.reading.more = {further("day", 500, 90s)};
  exchange(bare());
  exchange(answer);
  EXPECT_EQ(bucket.snapshots(bench_begin)[0].rejected, 1U);
  EXPECT_EQ(ask().until, bench_begin + 30s);
}

TEST_F(Policies, a_first_one_of_which_nothing_is_told_binds_nobody) {
  QuotaAnswer answer;
  answer.reading.more = {further("day", 500, 90s)};
  exchange(answer);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(ask().admitted) << i;
}

TEST_F(Policies, a_service_that_names_ever_new_ones_fills_no_memory) {
  for (int i = 0; i < 100; ++i) {
    QuotaAnswer answer;
    answer.reading.more = {further("policy-" + std::to_string(i), 500, 90s)};
    exchange(answer);
  }
  EXPECT_EQ(left().size(), 33U);
}

TEST_F(Policies, the_one_that_binds_first_is_shown) {
  auto answer = told(10, 5s);
  answer.reading.more = {further("day", 3, 90s)};
  exchange(answer);
  const auto [reading, name] = bucket.reading(bench_begin);
  EXPECT_EQ(name, "day");
  EXPECT_EQ(reading.remaining, 3);
  EXPECT_EQ(reading.resets_in, 90s);
}

TEST_F(Policies, a_forecast_waits_for_the_slowest) {
  auto answer = told(10, 5s);
  answer.reading.more = {further("day", 30, 90s)};
  exchange(answer);
  EXPECT_EQ(bucket.forecast(bench_begin, 10, 0, 0).wait, 0s);
  EXPECT_EQ(bucket.forecast(bench_begin, 20, 0, 0).wait, 5s);
  EXPECT_EQ(bucket.forecast(bench_begin, 31, 0, 0).wait, 90s);
  EXPECT_EQ(bucket.forecast(bench_begin, 10, 1, 0).wait, 5s) << "the reserve is not for it";
}

}  // namespace quota_bucket_test
}  // namespace quota_tests
