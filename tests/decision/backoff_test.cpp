#include "decision/backoff.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace decision_tests { namespace backoff_test {

using namespace std::chrono_literals;
using noun::backoff;
using noun::Duration;
using noun::RetryPolicy;

TEST(Backoff, doubles_up_to_the_longest) {
  constexpr Duration expected[] = {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s};
  for (int attempt = 1; attempt <= 9; ++attempt)
    EXPECT_EQ(backoff({.jitter = 0}, attempt, 0.999), expected[attempt - 1]) << attempt;
  EXPECT_EQ(backoff({.jitter = 0}, 2'000'000'000, 0), 60s);
  EXPECT_EQ(backoff({.initial_backoff = 90s, .max_backoff = 60s, .jitter = 0}, 1, 0), 60s);
  EXPECT_EQ(backoff({.initial_backoff = 60s, .max_backoff = 60s, .jitter = 0}, 5, 0), 60s);
  EXPECT_EQ(backoff({.initial_backoff = 1ns, .max_backoff = 3ns, .jitter = 0}, 2, 0), 2ns);
  EXPECT_EQ(backoff({.initial_backoff = 1ns, .max_backoff = 3ns, .jitter = 0}, 3, 0), 3ns);
}

TEST(Backoff, jitter_lengthens_by_at_most_its_fraction) {
  const RetryPolicy policy{.jitter = 0.5};
  EXPECT_EQ(backoff(policy, 1, 0), 1s);
  EXPECT_EQ(backoff(policy, 1, 0.5), 1250ms);
  EXPECT_LT(backoff(policy, 1, 0.999999), 1500ms);
  EXPECT_EQ(backoff(policy, 9, 0.5), 75s);
}

TEST(Backoff, the_largest_durations_do_not_overflow) {
  const RetryPolicy endless{.initial_backoff = Duration::max() / 3, .max_backoff = Duration::max(), .jitter = 1};
  for (int attempt = 1; attempt <= 4; ++attempt) EXPECT_GE(backoff(endless, attempt, 0.999999), Duration::max() / 3);
  EXPECT_EQ(backoff(endless, 3, 0), Duration::max());
}

}  // namespace backoff_test
}  // namespace decision_tests
