// What one process holds of a quota that it shares.
#include "quota/wallet.hpp"

#include <gtest/gtest.h>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace wallet_test {

using noun::quota::Journal;
using noun::quota::Pool;
using noun::quota::SharedState;
using noun::quota::Waiting;
using noun::quota::Wallet;
using noun::quota::Wanted;

TEST(Wallet, a_pool_wants_more_than_its_calls_if_their_callers_have_more_to_send) {
  Pool pool;
  const Waiting waiting{.any = true, .calls = {0, 2, 0}, .demand = {0, 100, 0}};
  EXPECT_EQ(pool.wanted(waiting), (Wanted{0, 16, 0}));
  pool.take(bench_begin, 3, {});
  EXPECT_EQ(pool.wanted(waiting), (Wanted{0, 28, 0}));
  pool.leased = 13;
  EXPECT_EQ(pool.wanted(waiting), (Wanted{0, 18, 0})) << "less what it has";
}

TEST(Wallet, a_pool_that_nobody_waits_for_wants_what_was_used_if_its_caller_has_more_to_send) {
  Pool pool;
  for (int i = 0; i < 4; ++i) pool.take(bench_begin, 1, {.priority = noun::Priority::interactive, .demand = 3});
  EXPECT_EQ(pool.wanted({}), (Wanted{0, 0, 2}));
  EXPECT_TRUE(pool.is_low());
  pool.take(bench_begin, 1, {.demand = 1});
  EXPECT_EQ(pool.wanted({}), (Wanted{}));
  EXPECT_FALSE(pool.is_low()) << "it was the last request";
}

TEST(Wallet, it_holds_what_the_state_says_wherever_its_partition_is_moved) {
  SharedState state;
  state.quota.partitions.resize(3);
  auto& lease = state.join(7).lease_of(1);
  lease.permits = 5;
  lease.wanted = {1, 2, 3};
  Wallet wallet;
  EXPECT_TRUE(wallet.is_empty());
  wallet.adopt(state, 7, 10s, Journal(7));
  EXPECT_EQ(wallet.of(1).tokens(), 5);
  EXPECT_EQ(wallet.of(1).registered, 6);
  wallet.rename({0, 2, 1}, 3);
  EXPECT_EQ(wallet.of(1).tokens(), 0);
  EXPECT_EQ(wallet.of(2).tokens(), 5);
  EXPECT_FALSE(wallet.is_empty());
  EXPECT_TRUE(wallet.of(2).may_take_share(bench_begin));
}

}}  // namespace quota_tests::wallet_test
