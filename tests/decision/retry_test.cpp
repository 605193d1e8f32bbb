#include "decision/retry.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace decision_tests { namespace retry_test {

using namespace std::chrono_literals;
using noun::BudgetAccount;
using noun::Duration;
using noun::Instant;
using noun::Method;
using noun::StopReason;
using noun::Verdict;
using noun::WaitReason;

constexpr Instant now{1000s};

TEST(Retry, methods_and_keys_decide_what_is_repeated) {
  for (const auto method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_, Method::options,
        Method::query})
    for (const bool key : {false, true}) {
      const bool twice = key || (method != Method::post && method != Method::patch);
      for (const auto verdict : {Verdict::limited, Verdict::unprocessed, Verdict::misdirected, Verdict::still_running})
        EXPECT_TRUE(may_repeat(verdict, method, key));
      EXPECT_EQ(may_repeat(Verdict::maybe_processed, method, key), twice) << to_string(method) << key;
      for (const auto verdict : {Verdict::success, Verdict::unauthorized, Verdict::redirect, Verdict::permanent})
        EXPECT_FALSE(may_repeat(verdict, method, key));
    }
}

struct Case {
  std::optional<StopReason> stop = {};
  /// The expected backoff if the response has no Retry-After.
  Duration backoff = 1s;
  std::optional<Duration> retry_after = {};
  std::optional<Duration> reconnection = {};
  /// Whether that is the expected wait.
  bool is_reconnection = false;
  bool progressed = false;
  int faults = 1;
  int at_once = 0;
  int max_attempts = 5;
  bool repeatable = true;
  std::optional<Duration> since_first_fault = 0s;
  Duration held_since = 0s;
  Duration give_up_after = 15min;
  Instant deadline = Instant::max();
  double jitter = 0;
  double tokens = 10;
};
const Case cases[] = {
    {},
    {.backoff = 4s, .faults = 3},
    {.backoff = 1500ms, .jitter = 1},
    // Retry-After is used without jitter, whether shorter or longer than the backoff.
    {.retry_after = 0s, .jitter = 1},
    {.retry_after = 10ms, .jitter = 1},
    {.retry_after = 300s, .jitter = 1},
    // The wait between the connections of a stream does not shorten the backoff, unless something was received.
    {.reconnection = 300ms},
    {.backoff = 4s, .reconnection = 3s, .faults = 3},
    {.reconnection = 5s, .is_reconnection = true},
    {.reconnection = 300ms, .is_reconnection = true, .progressed = true},
    {.retry_after = 10ms, .reconnection = 5s},
    // Of several reasons to stop the first is returned.
    {.stop = StopReason::not_repeatable,
     .retry_after = 10h,
     .max_attempts = 1,
     .repeatable = false,
     .deadline = now + 1s,
     .tokens = 0},
    {.stop = StopReason::attempts, .retry_after = 10h, .max_attempts = 1, .deadline = now + 1s, .tokens = 0},
    {.stop = StopReason::time, .retry_after = 10h, .deadline = now + 1s, .tokens = 0},
    {.stop = StopReason::budget, .deadline = now + 2s, .tokens = 0},
    {.deadline = now + 2s, .tokens = 1},
    {.stop = StopReason::not_repeatable, .repeatable = false},
    // Attempts repeated at once count as attempts, but do not lengthen the backoff.
    {.at_once = 1, .max_attempts = 3, .since_first_fault = {}},
    {.stop = StopReason::attempts, .at_once = 2, .max_attempts = 3},
    // The time limits are exact.
    {.stop = StopReason::time, .retry_after = 10s, .deadline = now + 10s},
    {.retry_after = 10s, .deadline = now + 10s + 1ns},
    {.retry_after = 10s, .since_first_fault = 20s, .give_up_after = 30s},
    {.stop = StopReason::time, .retry_after = 10s, .since_first_fault = 20s + 1ns, .give_up_after = 30s},
    {.retry_after = 10s, .since_first_fault = 20s + 1ns, .held_since = 1ns, .give_up_after = 30s},
    // No overflow with the largest values.
    {.stop = StopReason::time,
     .retry_after = Duration::max(),
     .held_since = Duration::max(),
     .give_up_after = Duration::max()},
};

TEST(Retry, takes_a_token_only_before_a_wait) {
  for (const auto& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    BudgetAccount budget({.capacity = one.tokens});
    noun::RetryHistory history{.faults = one.faults, .at_once = one.at_once, .held_since = one.held_since,
                               .progressed = one.progressed};
    if (one.since_first_fault) history.first_fault = now - *one.since_first_fault;
    const auto decision =
        decide_retry({.max_attempts = one.max_attempts, .jitter = one.jitter, .give_up_after = one.give_up_after},
                     budget, history, one.repeatable, {one.retry_after, one.reconnection}, 0.5, now, one.deadline);
    EXPECT_EQ(decision.stop, one.stop);
    EXPECT_DOUBLE_EQ(budget.tokens(), one.tokens - (one.stop || one.progressed ? 0 : 1));
    if (one.stop == StopReason::not_repeatable || one.stop == StopReason::attempts) continue;
    const auto asked = one.is_reconnection ? one.reconnection : one.retry_after;
    EXPECT_EQ(decision.wait, asked.value_or(one.backoff));
    EXPECT_EQ(decision.reason, asked ? WaitReason::retry_after : WaitReason::backoff);
  }
}

}  // namespace retry_test
}  // namespace decision_tests
