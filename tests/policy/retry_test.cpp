// The decision after a fault, on its own.
#include "policy/retry.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace policy_test {
namespace retry_test {

using namespace std::chrono_literals;
using noun::BudgetAccount;
using noun::Duration;
using noun::Instant;
using noun::Method;
using noun::StopReason;
using noun::Verdict;
using noun::WaitReason;

constexpr Instant now{1000s};

struct Question {
  noun::RetryPolicy policy = {.jitter = 0};
  noun::RetryHistory history = {.faults = 1, .first_fault = now};
  bool repeatable = true;
  std::optional<Duration> told = {};
  double spread = 0.5;
  Instant deadline = Instant::max();
  double tokens = 10;

  noun::RetryDecision ask() const {
    BudgetAccount budget({.capacity = tokens});
    return decide_retry(policy, budget, history, repeatable, told, spread, now, deadline);
  }
};

TEST(Retry, who_may_repeat_what) {
  for (const auto method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_, Method::options})
    for (const bool key : {false, true}) {
      const bool twice = key || (method != Method::post && method != Method::patch);
      for (const auto verdict : {Verdict::limited, Verdict::unprocessed, Verdict::misdirected, Verdict::still_running})
        EXPECT_TRUE(may_repeat(verdict, method, key));
      EXPECT_EQ(may_repeat(Verdict::maybe_processed, method, key), twice) << to_string(method) << key;
      for (const auto verdict : {Verdict::success, Verdict::unauthorized, Verdict::redirect, Verdict::permanent})
        EXPECT_FALSE(may_repeat(verdict, method, key));
    }
}

TEST(Retry, waits_its_own_backoff_when_nothing_was_told) {
  const auto decision = Question{.history = {.faults = 3, .first_fault = now}}.ask();
  EXPECT_FALSE(decision.stop);
  EXPECT_EQ(decision.wait, 4s);
  EXPECT_EQ(decision.reason, WaitReason::backoff);
}

TEST(Retry, waits_what_was_told_without_jitter_be_it_shorter_or_longer) {
  for (const Duration told : {Duration(0s), Duration(10ms), Duration(300s)}) {
    const auto decision = Question{.policy = {.jitter = 1}, .told = told}.ask();
    EXPECT_FALSE(decision.stop);
    EXPECT_EQ(decision.wait, told);
    EXPECT_EQ(decision.reason, WaitReason::retry_after);
  }
}

TEST(Retry, the_first_reason_to_stop_is_the_one_that_is_told) {
  Question question{
      .policy = {.max_attempts = 1, .jitter = 0}, .repeatable = false, .told = 10h, .deadline = now + 1s, .tokens = 0};
  EXPECT_EQ(question.ask().stop, StopReason::not_repeatable);
  question.repeatable = true;
  EXPECT_EQ(question.ask().stop, StopReason::attempts);
  question.policy.max_attempts = 2;
  EXPECT_EQ(question.ask().stop, StopReason::time);
  question.told.reset();
  question.deadline = now + 2s;
  EXPECT_EQ(question.ask().stop, StopReason::budget);
  question.tokens = 1;
  EXPECT_FALSE(question.ask().stop);
}

TEST(Retry, attempts_repeated_at_once_are_attempts_but_lengthen_no_backoff) {
  Question question{.policy = {.max_attempts = 3, .jitter = 0}, .history = {.faults = 1, .at_once = 1}};
  EXPECT_EQ(question.ask().wait, 1s);
  question.history.at_once = 2;
  EXPECT_EQ(question.ask().stop, StopReason::attempts);
}

TEST(Retry, the_limits_of_time_are_sharp) {
  Question question{.told = 10s};
  question.deadline = now + 10s;
  EXPECT_EQ(question.ask().stop, StopReason::time);
  EXPECT_EQ(question.ask().wait, 10s);
  question.deadline = now + 10s + 1ns;
  EXPECT_FALSE(question.ask().stop);

  question = {.told = 10s};
  question.policy.give_up_after = 30s;
  question.history.first_fault = now - 20s;
  EXPECT_FALSE(question.ask().stop);
  question.history.first_fault = now - 20s - 1ns;
  EXPECT_EQ(question.ask().stop, StopReason::time);
  question.history.held_since = 1ns;
  EXPECT_FALSE(question.ask().stop);
}

TEST(Retry, only_a_decision_to_retry_takes_a_token) {
  BudgetAccount budget({.capacity = 5});
  const noun::RetryPolicy policy{.max_attempts = 2, .jitter = 0};
  const noun::RetryHistory first{.faults = 1, .first_fault = now};
  decide_retry(policy, budget, first, false, {}, 0, now, Instant::max());
  decide_retry(policy, budget, {.faults = 2, .first_fault = now}, true, {}, 0, now, Instant::max());
  decide_retry(policy, budget, first, true, {}, 0, now, now);
  EXPECT_DOUBLE_EQ(budget.tokens(), 5);
  decide_retry(policy, budget, first, true, {}, 0, now, Instant::max());
  EXPECT_DOUBLE_EQ(budget.tokens(), 4);
}

TEST(Retry, the_largest_of_everything_overflows_nothing) {
  const Question question{.policy = {.jitter = 1, .give_up_after = Duration::max()},
                          .history = {.faults = 1, .first_fault = now, .held_since = Duration::max()},
                          .told = Duration::max(),
                          .spread = 0.999};
  EXPECT_EQ(question.ask().stop, StopReason::time);
}

}  // namespace retry_test
}  // namespace policy_test
