// A shared quota as a value: how permits are divided, what becomes of holders that are not heard of, and its bytes.
#include "quota/shared_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quota/quota_bench.hpp"
#include "wire/digest.hpp"

namespace quota_tests { namespace shared_state_test {

using noun::quota::Holder;
using noun::quota::PartitionSending;
using noun::quota::SharedState;
using noun::quota::Wanted;

constexpr Duration lease = 10s;
constexpr Duration no_offset{0};

class Shared : public ::testing::Test {
 protected:
  SharedState state;

  /// One response reports how much remains for a minute.
  void report(std::int64_t remaining, Duration at = 0s) {
    auto& partition = state.quota.partitions.front();
    std::size_t index = 0;
    PartitionSending sending;
    ASSERT_TRUE(partition.acquire(bench_begin + at, {}, {}, sending).admitted);
    auto response = reported(remaining, 60s);
    state.quota.record(index, sending, bench_now(at), response);
  }
  Holder& holder(noun::quota::HolderId id, Wanted wanted) {
    Holder& one = state.join(id);
    one.until = bench_begin + lease;
    one.lease_of(0).wanted = wanted;
    return one;
  }
  /// @param patient_until  by default nothing is held back.
  void divide(const noun::QuotaPolicy& policy = {}, Instant patient_until = Instant::min()) {
    state.divide(0, bench_begin, policy, patient_until, lease);
  }
  std::int64_t permits(noun::quota::HolderId id) { return state.find(id)->lease_of(0).permits; }
  std::int64_t leased() const { return state.quota.partitions.front().leased(); }
  std::string bytes(Duration at = 0s, Duration offset = no_offset) const { return state.write(bench_now(at), offset); }
};

TEST_F(Shared, nobody_receives_more_than_it_wants_or_its_share) {
  report(40);
  holder(1, {0, 3, 0});
  holder(2, {0, 100, 0});
  divide();
  EXPECT_EQ(permits(1), 3);
  EXPECT_EQ(permits(2), 10) << "40 divided by twice the holders";
  EXPECT_EQ(leased(), 13);
  EXPECT_EQ(state.find(2)->lease_of(0).wanted[1], 90);
}

TEST_F(Shared, of_a_few_permits_who_received_least_gets_the_first) {
  report(1);
  holder(1, {0, 5, 0}).received = 7;
  holder(2, {0, 5, 0}).received = 6;
  divide();
  EXPECT_EQ(permits(1), 0);
  EXPECT_EQ(permits(2), 1);
  EXPECT_EQ(state.find(2)->received, 7);
}

TEST_F(Shared, nobody_receives_less_than_its_first_call_needs) {
  report(8);
  for (noun::quota::HolderId id = 1; id <= 8; ++id) holder(id, {0, 5, 0}).lease_of(0).least = 5;
  divide();
  EXPECT_EQ(leased(), 5);
  EXPECT_EQ(permits(1), 5);
}

TEST_F(Shared, a_higher_priority_is_served_first) {
  report(2);
  holder(1, {5, 0, 0});
  holder(2, {0, 0, 1}).received = 100;
  holder(3, {0, 1, 0}).received = 50;
  divide();
  EXPECT_EQ(permits(1), 0);
  EXPECT_EQ(permits(2), 1);
  EXPECT_EQ(permits(3), 1);
}

TEST_F(Shared, the_reserve_is_for_interactive_calls) {
  report(10);
  holder(1, {0, 5, 0});
  holder(2, {0, 0, 5});
  divide({.reserve = 10});
  EXPECT_EQ(permits(1), 0);
  EXPECT_GT(permits(2), 0);
}

TEST_F(Shared, the_last_permits_are_held_back_for_a_planned_measurement) {
  struct Case {
    const char* what;
    bool planned;
    std::int64_t wanted;
    Duration patience;
    std::int64_t leased;
  };
  for (const auto& [what, planned, wanted, patience, leases] :
       {Case{"more are wanted", true, 21, 1s, 20 - noun::quota::most_kept},
        Case{"no more are wanted", true, 20, 1s, 20}, Case{"a call cannot wait", true, 21, 1ms, 20},
        Case{"nothing is planned", false, 21, 1s, 20}}) {
    SCOPED_TRACE(what);
    state = {};
    report(20);
    PartitionSending none;
    if (planned) {
      const auto hold = state.quota.partitions.front().acquire(bench_begin, {},
                                                               {.patient_until = Instant::max(), .demand = 100}, none);
      EXPECT_EQ(hold.reason, noun::WaitReason::reset_probe);
    }
    holder(1, {0, wanted, 0});
    for (int round = 0; round < 50; ++round) divide({}, bench_begin + patience);
    EXPECT_EQ(leased(), leases);
  }
}

TEST_F(Shared, never_are_more_leased_than_remain) {
  report(20);
  for (int round = 0; round < 50; ++round) {
    holder(1, {9, 9, 9});
    holder(2, {9, 9, 9});
    divide();
  }
  EXPECT_EQ(leased(), 20);
  EXPECT_EQ(permits(1) + permits(2), 20);
}

TEST_F(Shared, a_new_holder_starts_with_the_least_received) {
  state.join(5).received = 40;
  state.join(9).received = 30;
  EXPECT_EQ(state.join(7).received, 30);
  EXPECT_EQ(state.holders[1].id, 7U);
}

TEST_F(Shared, who_receives_permits_must_be_heard_of_within_a_lease) {
  report(10);
  holder(1, {0, 1, 0}).until = bench_begin + 1000s;
  divide();
  EXPECT_EQ(state.find(1)->until, bench_begin + lease);
}

TEST_F(Shared, permits_of_an_expired_holder_count_as_spent_until_a_response_shows_otherwise) {
  report(40);
  holder(1, {0, 8, 0});
  holder(2, {0, 1, 0});
  divide();
  state.find(2)->until = bench_begin + 60s;
  ASSERT_EQ(leased(), 9);
  EXPECT_EQ(state.expire(bench_now(lease - 1ns)), 0);
  EXPECT_EQ(state.expire(bench_now(lease)), 8);
  EXPECT_EQ(state.find(1), nullptr);
  EXPECT_EQ(leased(), 1);
  const auto room = [&](Duration at) {
    return state.quota.partitions.front().available(bench_begin + at, {}, {}, 1000);
  };
  EXPECT_EQ(room(lease), 31);
  report(39, lease + 1s);
  EXPECT_EQ(room(lease + 2s), 38) << "one is leased";
}

TEST_F(Shared, a_probe_whose_holder_expired_is_lost) {
  PartitionSending sending;
  auto& partition = state.quota.partitions.front();
  ASSERT_TRUE(partition.acquire(bench_begin, {}, {}, sending).special);
  state.quota.routes.on_sent(0);
  holder(1, {}).until = bench_begin + 500ms;
  state.specials.push_back({1, 0, sending});
  EXPECT_FALSE(partition.decide(bench_begin, {}, {}).admitted);
  EXPECT_EQ(state.expire(bench_now(500ms)), 1);
  EXPECT_TRUE(state.specials.empty());
  EXPECT_TRUE(partition.decide(bench_begin + 500ms, {}, {}).special);
}

TEST_F(Shared, its_bytes_are_exact_and_decide_the_same) {
  report(40);
  holder(1, {1, 20, 3});
  holder(2, {0, 4, 0});
  divide();
  auto again = SharedState::read(bytes(), no_offset);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->write(bench_now(0s), no_offset), bytes());
  divide();
  again->divide(0, bench_begin, {}, Instant::min(), lease);
  EXPECT_EQ(again->write(bench_now(0s), no_offset), bytes());
}

TEST_F(Shared, its_bytes_are_the_same_on_every_machine) {
  report(40);
  holder(1, {0, 3, 0});
  holder(std::numeric_limits<noun::quota::HolderId>::max(), {0, 100, 1});
  divide();
  const auto digest = noun::wire::KeyedHash(noun::wire::HashSeed{}).of(bytes(1s));
  std::string text;
  for (const char byte : digest) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  EXPECT_EQ(text, "77a0ad20089d74a5b2c229aa06f00a72")
      << "where the bytes change, so does the number of their format";
}

TEST_F(Shared, a_process_with_another_clock_reads_the_same_instants) {
  report(0);
  const auto stored = bytes(1s, 500s);
  const auto elsewhere = SharedState::read(stored, 300s);
  ASSERT_TRUE(elsewhere);
  const auto here = state.quota.partitions.front().decide(bench_begin + 1s, {}, {});
  const auto there = elsewhere->quota.partitions.front().decide(bench_begin + 201s, {}, {});
  EXPECT_EQ(there.until, here.until + 200s);
}

TEST_F(Shared, what_a_header_reports_can_be_read_again) {
  auto& partition = state.quota.partitions.front();
  std::size_t index = 0;
  PartitionSending sending;
  ASSERT_TRUE(partition.acquire(bench_begin, {}, {}, sending).admitted);
  const noun::Headers headers = {{"RateLimit", R"("default";r=1000000000001;t=60)"}};
  Report response{noun::wire::read_rate_limit(headers, {}, bench_now(0s).wall)};
  state.quota.record(index, sending, bench_now(0s), response);
  EXPECT_TRUE(SharedState::read(bytes(), no_offset));
}

TEST_F(Shared, no_bytes_are_a_new_quota) {
  const auto empty = SharedState::read({}, no_offset);
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->holders.empty());
}

TEST_F(Shared, another_format_is_refused) {
  auto stored = bytes();
  ++stored.front();
  EXPECT_FALSE(SharedState::read(stored, no_offset));
}

TEST_F(Shared, damaged_bytes_are_refused_or_harmless) {
  report(40);
  holder(1, {0, 20, 0});
  holder(2, {0, 4, 0});
  divide();
  const auto stored = bytes();
  for (std::size_t size = 1; size < stored.size(); ++size)
    EXPECT_FALSE(SharedState::read(std::string_view(stored).substr(0, size), no_offset)) << size;
  EXPECT_FALSE(SharedState::read(stored + '\0', no_offset));
  for (std::size_t at = 0; at < stored.size(); ++at)
    for (const int changed : {0, 1, 0x7F, 0x80, 0xFF}) {
      auto damaged = stored;
      damaged[at] = static_cast<char>(changed);
      auto read = SharedState::read(damaged, no_offset);
      if (!read) continue;
      read->expire(bench_now(1s));
      read->join(77).lease_of(0).wanted = {1, 1, 1};
      read->divide(0, bench_begin + 1s, {}, Instant::max(), lease);
      EXPECT_TRUE(SharedState::read(read->write(bench_now(1s), no_offset), no_offset)) << at << ": " << changed;
    }
}

TEST_F(Shared, a_holder_needs_32_bytes) {
  report(90);
  const auto alone = bytes().size();
  for (noun::quota::HolderId id = 1; id <= 1000; ++id) {
    Holder& one = holder(id << 37U, {});
    one.received = 100'000;
    one.until = bench_begin + 1000s;
    one.lease_of(0) = {.partition = 0, .permits = 50, .wanted = {0, 500, 0}};
  }
  EXPECT_LE(bytes().size(), alone + 1000 * 32);
}

}  // namespace shared_state_test
}  // namespace quota_tests
