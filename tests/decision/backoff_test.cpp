#include "decision/backoff.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace decision_tests { namespace backoff_test {

using namespace std::chrono_literals;
using noun::backoff;
using noun::Duration;
using noun::Rejection;
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

TEST(Backoff, after_a_rejection_max_backoff_bounds_the_doubling_and_not_what_the_server_gave) {
  const auto wait = [](Rejection rejection) {
    rejection.retry = {.initial_backoff = 100ms, .max_backoff = 5s, .jitter = 0};
    return noun::wait_after_rejection(rejection).wait;
  };
  constexpr Duration expected[] = {1s, 2s, 4s, 5s, 5s};
  for (int count = 1; count <= 5; ++count) EXPECT_EQ(wait({.count = count}), expected[count - 1]) << count;
  EXPECT_EQ(wait({.retry_after = 50ms}), 50ms);
  EXPECT_EQ(wait({.retry_after = 90s, .count = 9, .again = true}), 90s);
  EXPECT_EQ(wait({.retry_after = 3s, .count = 9, .again = true}), 5s);
  EXPECT_EQ(wait({.retry_after = 0s, .freed_in = 7s, .count = 9, .again = true}), 7s) << "0 says nothing";
  EXPECT_EQ(wait({.retry_after = 1ms, .freed_in = 7s, .count = 9, .again = true}), 5s);
  EXPECT_EQ(wait({.freed_in = 300ms}), 300ms);
  EXPECT_EQ(wait({.freed_in = 300ms, .count = 9}), 5s);
  EXPECT_EQ(wait({.freed_in = 90s, .count = 9}), 90s);
  EXPECT_EQ(wait({.default_wait = 8s, .count = 9}), 8s);
}

TEST(Backoff, after_a_rejection_the_longer_of_initial_backoff_and_a_second_is_doubled) {
  const auto wait = [](Duration initial, Duration longest) {
    const RetryPolicy retry{.initial_backoff = initial, .max_backoff = longest, .jitter = 0};
    return noun::wait_after_rejection({.retry = retry}).wait;
  };
  EXPECT_EQ(wait(3s, 60s), 3s);
  EXPECT_EQ(wait(1ms, 60s), 1s);
  EXPECT_EQ(wait(1ms, 20ms), 20ms);
}

}  // namespace backoff_test
}  // namespace decision_tests
