// What one process did that the stored state of its shared quota does not have yet.
#include "quota/unstored_steps.hpp"

#include <gtest/gtest.h>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace unstored_steps_test {

using noun::quota::Flight;
using noun::quota::SharedState;
using noun::quota::UnstoredSteps;

struct UnstoredStepsTest : testing::Test {
  UnstoredSteps steps{1};
  SharedState state;
  std::int64_t ended = 0;

  std::uint64_t send(Duration at) {
    Flight& flight = steps.add(0, 1, false);
    state.quota.partitions.front().acquire(bench_begin + at, {}, {}, flight.sending);
    return steps.sent();
  }
  void record(std::uint64_t number, Duration at) {
    steps.flight(number).result.emplace(bench_now(at), reported(40, 60s));
    steps.recorded(number);
  }
  void forget(std::size_t count) {
    steps.forget(count, [this](const Flight& one) { ended += one.cost; });
  }
  std::int64_t leased_in(SharedState other) const { return steps.repeat_as_leases(other).front(); }
};

TEST_F(UnstoredStepsTest, a_request_in_flight_is_a_leased_permit_of_every_state_until_its_response_is_stored) {
  const auto number = send(0s);
  EXPECT_EQ(leased_in({}), 1);
  record(number, 1s);
  EXPECT_EQ(leased_in({}), 0);
  EXPECT_TRUE(steps.has_flights());
  forget(2);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(steps.size(), 0U);
  EXPECT_FALSE(steps.has_flights());
}

TEST_F(UnstoredStepsTest, a_response_is_repeated_on_every_state) {
  record(send(0s), 1s);
  SharedState other;
  steps.repeat(other);
  EXPECT_EQ(other.quota.partitions.front().phase(), noun::quota::Phase::open);
}

TEST_F(UnstoredStepsTest, what_is_sent_stays_when_the_steps_before_are_stored) {
  record(send(0s), 1s);
  const auto second = send(2s);
  forget(3);
  EXPECT_EQ(steps.size(), 1U);
  EXPECT_EQ(leased_in({}), 1);
  record(second, 3s);
  EXPECT_EQ(steps.flight(second).result->first.steady, bench_begin + 3s) << "its number is the same";
}

TEST_F(UnstoredStepsTest, a_request_that_was_not_sent_leaves_no_step) {
  record(send(0s), 1s);
  std::size_t before = 0;
  EXPECT_EQ(steps.take(send(2s), before).cost, 1);
  EXPECT_EQ(before, 2U);
  EXPECT_EQ(steps.size(), 2U);
  EXPECT_EQ(leased_in({}), 0);
}

TEST_F(UnstoredStepsTest, the_first_response_that_is_not_stored_is_known) {
  const auto first = send(0s);
  const auto second = send(0s);
  EXPECT_EQ(steps.unreported_since(), Instant::max());
  record(first, 1s);
  record(second, 2s);
  EXPECT_EQ(steps.unreported_since(), bench_begin + 1s);
  forget(3);
  steps.update_unreported();
  EXPECT_EQ(steps.unreported_since(), bench_begin + 2s);
}

TEST_F(UnstoredStepsTest, a_special_request_is_found_by_its_partition_also_when_that_is_renamed) {
  steps.add(0, 0, true);
  steps.sent();
  EXPECT_TRUE(steps.has_special(0));
  steps.rename({2});
  EXPECT_FALSE(steps.has_special(0));
  EXPECT_TRUE(steps.has_special(2));
}

}}  // namespace quota_tests::unstored_steps_test
