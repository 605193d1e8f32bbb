#include <gtest/gtest.h>

#include <string_view>
#include <thread>
#include <vector>

#include "decision/retry.hpp"

namespace decision_tests { namespace budget_test {

using noun::BudgetAccount;

TEST(Budget, a_retry_takes_a_token_and_successes_refill_up_to_the_capacity) {
  struct Case {
    noun::RetryBudget budget;
    /// `t` takes a token, `x` fails to take one, `s` is a success.
    std::string_view events;
    double tokens;
  };
  constexpr Case cases[] = {
      {{.capacity = 2.5}, "ttx", 0.5},
      {{.capacity = 0, .per_success = 1}, "sx", 0},
      {{.capacity = 3, .per_success = 2}, "tss", 3},
      // Ten tenths make a token, although their floating-point sum is less than 1.
      {{.capacity = 1, .per_success = 0.1}, "tsssssssssxst", 0},
  };
  for (const auto& [budget, events, tokens] : cases) {
    BudgetAccount account(budget);
    for (const char event : events) {
      if (event == 's')
        account.success();
      else
        EXPECT_EQ(account.take(), event == 't') << events;
      EXPECT_GE(account.tokens(), 0) << events;
    }
    EXPECT_DOUBLE_EQ(account.tokens(), tokens) << events;
  }
}

TEST(Budget, many_threads_take_exactly_the_available_tokens) {
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
}  // namespace decision_tests
