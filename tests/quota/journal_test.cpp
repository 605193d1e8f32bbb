// What one process did that the stored state of its shared quota does not have yet.
#include "quota/journal.hpp"

#include <gtest/gtest.h>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace journal_test {

using noun::quota::Flight;
using noun::quota::Journal;
using noun::quota::SharedState;

struct JournalTest : testing::Test {
  Journal journal{1};
  SharedState state;
  std::int64_t ended = 0;

  std::uint64_t send(Duration at) {
    Flight flight{.cost = 1};
    state.quota.partitions.front().acquire(bench_begin + at, {}, {}, flight.sending);
    journal.reserve();
    return journal.send(std::move(flight));
  }
  void record(std::uint64_t number, Duration at) {
    journal.flight(number).result.emplace(bench_now(at), reported(40, 60s));
    journal.record(number);
  }
  void forget(std::size_t count) {
    journal.forget(count, [this](const Flight& one) { ended += one.cost; });
  }
  std::int64_t leased_in(SharedState other) const { return journal.repeat_as_leases(other).front(); }
};

TEST_F(JournalTest, a_request_in_flight_is_a_leased_permit_of_every_state_until_its_response_is_stored) {
  const auto number = send(0s);
  EXPECT_EQ(leased_in({}), 1);
  record(number, 1s);
  EXPECT_EQ(leased_in({}), 0);
  EXPECT_TRUE(journal.has_flights());
  forget(2);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_FALSE(journal.has_flights());
}

TEST_F(JournalTest, a_response_is_repeated_on_every_state) {
  record(send(0s), 1s);
  SharedState other;
  journal.repeat(other);
  EXPECT_EQ(other.quota.partitions.front().phase(), noun::quota::Phase::open);
}

TEST_F(JournalTest, what_is_sent_stays_when_the_steps_before_are_stored) {
  record(send(0s), 1s);
  const auto second = send(2s);
  forget(3);
  EXPECT_EQ(journal.size(), 1U);
  EXPECT_EQ(leased_in({}), 1);
  record(second, 3s);
  EXPECT_EQ(journal.flight(second).result->first.steady, bench_begin + 3s) << "its number is the same";
}

TEST_F(JournalTest, a_request_that_was_not_sent_leaves_no_step) {
  record(send(0s), 1s);
  EXPECT_EQ(journal.take(send(2s)).cost, 1);
  EXPECT_EQ(journal.size(), 2U);
  EXPECT_EQ(leased_in({}), 0);
}

TEST_F(JournalTest, a_request_that_was_not_sent_is_not_stored_with_those_that_were_proposed) {
  const auto unsent = send(0s);
  record(send(0s), 1s);
  journal.propose();
  journal.take(unsent);
  record(send(2s), 3s);
  journal.forget_proposed([this](const Flight& one) { ended += one.cost; });
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(journal.size(), 2U);
}

TEST_F(JournalTest, the_first_response_that_is_not_stored_is_known) {
  const auto first = send(0s);
  const auto second = send(0s);
  EXPECT_EQ(journal.unreported_since(), Instant::max());
  record(first, 1s);
  record(second, 2s);
  EXPECT_EQ(journal.unreported_since(), bench_begin + 1s);
  forget(3);
  EXPECT_EQ(journal.unreported_since(), bench_begin + 2s);
}

TEST_F(JournalTest, a_special_request_is_found_by_its_partition_also_when_that_is_renamed) {
  journal.reserve();
  journal.send({.special = true});
  EXPECT_TRUE(journal.has_special(0));
  journal.rename({2});
  EXPECT_FALSE(journal.has_special(0));
  EXPECT_TRUE(journal.has_special(2));
}

}}  // namespace quota_tests::journal_test
