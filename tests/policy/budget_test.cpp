// The tokens of a retry budget.
#include "policy/budget.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace policy_test {
namespace budget_test {

using noun::BudgetAccount;

TEST(Budget, a_retry_takes_a_whole_token_and_none_is_lent) {
  BudgetAccount account({.capacity = 2.5});
  EXPECT_TRUE(account.take());
  EXPECT_TRUE(account.take());
  EXPECT_FALSE(account.take());
  EXPECT_DOUBLE_EQ(account.tokens(), 0.5);
}

TEST(Budget, ten_tenths_are_a_token_although_their_sum_falls_short_of_one) {
  BudgetAccount account({.capacity = 1, .per_success = 0.1});
  EXPECT_TRUE(account.take());
  for (int success = 0; success < 9; ++success) account.success();
  EXPECT_FALSE(account.take());
  account.success();
  EXPECT_TRUE(account.take());
  EXPECT_GE(account.tokens(), 0);
}

TEST(Budget, successes_fill_it_up_to_its_capacity_and_no_further) {
  BudgetAccount account({.capacity = 3, .per_success = 2});
  EXPECT_TRUE(account.take());
  account.success();
  account.success();
  EXPECT_DOUBLE_EQ(account.tokens(), 3);
}

TEST(Budget, none_allows_no_retry) {
  BudgetAccount account({.capacity = 0, .per_success = 1});
  account.success();
  EXPECT_FALSE(account.take());
}

TEST(Budget, many_threads_take_exactly_what_there_is) {
  BudgetAccount account({.capacity = 1000});
  std::vector<int> taken(4, 0);
  std::vector<std::thread> threads;
  for (auto& count : taken)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) count += account.take() ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(taken[0] + taken[1] + taken[2] + taken[3], 1000);
}

}  // namespace budget_test
}  // namespace policy_test
