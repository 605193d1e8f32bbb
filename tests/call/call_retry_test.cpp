// Repeating after a fault: how often, how long in between, and what ends it.
#include "call/call_fixture.hpp"

namespace call_test {
namespace call_retry_test {

using Waits = std::vector<Duration>;

/// Answers 503 until the call is done or has sent so often.
void fail_until_done(CallBench& bench, int most = 100) {
  bench.begin();
  while (!bench.is_done() && bench.attempts() <= most) {
    bench.answer(503);
    while (bench.waits_now()) bench.wake();
  }
}

TEST(CallRetry, backoff_without_jitter_is_exactly_one_two_four_eight_seconds) {
  CallBench bench;
  fail_until_done(bench);
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s, 8s}));
  EXPECT_EQ(bench.error().attempts(), 5);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::attempts);
  EXPECT_EQ(bench.error().code(), Errc::server_error);
  EXPECT_EQ(bench.error().elapsed(), 15s);
}

TEST(CallRetry, transport_faults_back_off_like_5xx) {
  CallBench bench;
  bench.begin().fail(Errc::connect, Sent::no).wake().answer(500).wake().fail(Errc::timeout, Sent::maybe).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s}));
  for (const auto& event : bench.events_of(noun::EventKind::retrying)) EXPECT_EQ(event.reason, WaitReason::backoff);
  EXPECT_EQ(bench.events_of(noun::EventKind::retrying).size(), 3U);
}

TEST(CallRetry, backoff_grows_no_further_than_max_backoff) {
  CallBench bench;
  bench.environment.retry = {.max_attempts = 6, .max_backoff = 3s, .jitter = 0};
  fail_until_done(bench);
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 3s, 3s, 3s}));
}

TEST(CallRetry, jitter_only_lengthens_and_by_no_more_than_its_part) {
  bool lengthened = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CallBench bench;
    bench.environment.retry.jitter = 0.1;
    noun::Call call(bench.environment, bench.request, seed, seed);
    call.begin(bench.now);
    const auto step = call.on_answer(bench.now, noun::Response{503, {}, {}, {}});
    const auto wait = std::get<noun::Wait>(step).until - bench.now.steady;
    EXPECT_GE(wait, 1s);
    EXPECT_LT(wait, 1100ms);
    lengthened = lengthened || wait > 1050ms;
  }
  EXPECT_TRUE(lengthened);
}

TEST(CallRetry, two_calls_with_two_seeds_do_not_wait_alike) {
  CallBench bench;
  bench.environment.retry.jitter = 1;
  std::vector<Duration> waits;
  for (const std::uint64_t seed : {1U, 2U}) {
    noun::Call call(bench.environment, bench.request, 1, seed);
    call.begin(bench.now);
    const auto step = call.on_answer(bench.now, noun::Response{503, {}, {}, {}});
    waits.push_back(std::get<noun::Wait>(step).until - bench.now.steady);
  }
  EXPECT_NE(waits[0], waits[1]);
}

TEST(CallRetry, a_single_attempt_is_not_repeated_for_any_reason_but_the_quota) {
  for (const int status : {503, 421, 401, 425}) {
    CallBench bench;
    bench.environment.retry.max_attempts = 1;
    bench.environment.credentials_may_change = true;
    bench.begin().answer(status);
    ASSERT_TRUE(bench.failed()) << status;
    EXPECT_EQ(bench.attempts(), 1) << status;
  }
  CallBench rejected;
  rejected.environment.retry.max_attempts = 1;
  rejected.begin().answer(429).wake().answer(200);
  EXPECT_TRUE(rejected.succeeded());
}

TEST(CallRetry, misdirected_and_unauthorized_answers_count_as_attempts) {
  CallBench bench;
  bench.environment.retry.max_attempts = 2;
  bench.environment.credentials_may_change = true;
  bench.begin().answer(503).wake().answer(401);
  EXPECT_TRUE(bench.failed());
  EXPECT_EQ(bench.attempts(), 2);

  CallBench other;
  other.environment.retry.max_attempts = 2;
  other.begin().answer(421).answer(503);
  EXPECT_TRUE(other.failed());
  EXPECT_EQ(other.error().stopped_because(), StopReason::attempts);
  EXPECT_EQ(other.attempts(), 2);
}

TEST(CallRetry, give_up_after_counts_from_the_first_fault_and_not_from_the_begin) {
  CallBench bench;
  bench.environment.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 10s};
  bench.begin().answer(503, {}, {}, 30s);
  ASSERT_EQ(bench.wait(), 1s);
  bench.wake().answer(503).wake().answer(503).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s}));
  bench.answer(503);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
  EXPECT_EQ(bench.error().retry_at(), bench.now.wall + 8s);
}

TEST(CallRetry, a_wait_that_ends_exactly_when_giving_up_is_begun) {
  CallBench bench;
  bench.environment.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 1s};
  bench.begin().answer(503);
  EXPECT_EQ(bench.wait(), 1s);
  bench.wake().answer(503);
  EXPECT_TRUE(bench.failed());
}

TEST(CallRetry, time_held_for_the_quota_is_not_time_to_give_up) {
  CallBench bench;
  bench.environment.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 4s};
  bench.begin().answer(503).wake().answer(429, {{"Retry-After", 600}}).wake().answer(503);
  EXPECT_EQ(bench.wait(), 2s);
  bench.wake().answer(503);
  EXPECT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
}

TEST(CallRetry, time_held_before_the_first_fault_is_not_added_to_the_time_to_give_up) {
  CallBench bench;
  bench.environment.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 4s};
  bench.begin().answer(429, {{"Retry-After", 600}}).wake().answer(503).wake().answer(503).wake().answer(503);
  EXPECT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
}

TEST(CallRetry, a_retry_takes_a_token_and_without_one_the_call_stops) {
  CallBench bench;
  bench.environment.budget =
      std::make_shared<noun::BudgetAccount>(noun::RetryBudget{.capacity = 2, .per_success = 0.5});
  fail_until_done(bench);
  EXPECT_EQ(bench.attempts(), 3);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::budget);
  EXPECT_EQ(bench.environment.budget->tokens(), 0);
}

TEST(CallRetry, a_success_gives_a_part_of_a_token_back_and_a_failure_gives_none) {
  CallBench bench;
  bench.environment.budget =
      std::make_shared<noun::BudgetAccount>(noun::RetryBudget{.capacity = 2, .per_success = 0.5});
  bench.begin().answer(503).wake().answer(404);
  EXPECT_DOUBLE_EQ(bench.environment.budget->tokens(), 1);
  bench.begin().answer(200);
  EXPECT_DOUBLE_EQ(bench.environment.budget->tokens(), 1.5);
}

TEST(CallRetry, what_is_not_repeated_takes_no_token) {
  CallBench bench(Method::post);
  bench.begin().answer(503);
  EXPECT_TRUE(bench.failed());
  EXPECT_DOUBLE_EQ(bench.environment.budget->tokens(), 10);
}

TEST(CallRetry, a_misdirected_request_takes_a_token_too) {
  CallBench bench;
  bench.begin().answer(421);
  EXPECT_TRUE(bench.sends());
  EXPECT_DOUBLE_EQ(bench.environment.budget->tokens(), 9);
}

TEST(CallRetry, in_a_total_outage_requests_per_call_fall_towards_one) {
  CallBench bench;
  int sent = 0;
  constexpr int calls = 200;
  for (int call = 0; call < calls; ++call) {
    fail_until_done(bench);
    sent += bench.attempts();
  }
  EXPECT_EQ(sent, calls + 10);
}

TEST(CallRetry, a_421_goes_once_more_at_once_on_a_fresh_connection) {
  CallBench bench(Method::post);
  bench.begin();
  EXPECT_FALSE(bench.send().fresh_connection);
  bench.answer(421);
  ASSERT_TRUE(bench.sends());
  EXPECT_TRUE(bench.send().fresh_connection);
  bench.answer(421);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::client_error);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::permanent);
  EXPECT_EQ(bench.error().sent(), Sent::answered);
}

TEST(CallRetry, a_post_that_may_have_been_applied_is_not_repeated) {
  CallBench bench(Method::post);
  bench.begin().fail(Errc::send, Sent::maybe);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().sent(), Sent::maybe);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::not_repeatable);
  EXPECT_EQ(bench.attempts(), 1);
}

TEST(CallRetry, a_post_with_a_key_is_repeated_with_the_same_key) {
  CallBench bench(Method::post);
  bench.request.headers.set("Idempotency-Key", "k-1");
  bench.request.idempotency_key = "k-1";
  bench.begin();
  for (int attempt = 1; attempt <= 4; ++attempt) {
    EXPECT_EQ(bench.send().headers->get("Idempotency-Key"), "k-1");
    bench.fail(Errc::send, Sent::maybe).wake();
  }
  bench.fail(Errc::send, Sent::maybe);
  EXPECT_EQ(bench.error().idempotency_key(), "k-1");
  EXPECT_EQ(bench.error().stopped_because(), StopReason::attempts);
}

TEST(CallRetry, a_conflict_with_our_key_waits_for_the_first_one_where_the_dialect_says_so) {
  CallBench bench(Method::post);
  bench.request.idempotency_key = "k-1";
  bench.environment.dialect.retry_conflict_with_key = true;
  bench.begin().fail(Errc::timeout, Sent::maybe).wake().answer(409).wake().answer(201);
  EXPECT_TRUE(bench.succeeded());
  EXPECT_EQ(bench.waits, (Waits{1s, 2s}));
}

TEST(CallRetry, sent_is_the_worst_over_all_attempts) {
  CallBench maybe_then_answered;
  maybe_then_answered.begin().fail(Errc::send, Sent::maybe).wake().answer(404);
  EXPECT_EQ(maybe_then_answered.error().sent(), Sent::maybe);
  CallBench answered_then_no;
  answered_then_no.environment.retry.max_attempts = 2;
  answered_then_no.begin().answer(503).wake().fail(Errc::connect, Sent::no);
  EXPECT_EQ(answered_then_no.error().sent(), Sent::answered);
  CallBench never;
  never.environment.retry.max_attempts = 2;
  never.begin().fail(Errc::connect, Sent::no).wake().fail(Errc::resolve, Sent::no);
  EXPECT_EQ(never.error().sent(), Sent::no);
}

TEST(CallRetry, a_delete_answered_404_after_an_attempt_that_may_have_been_applied_is_a_success) {
  CallBench timed_out(Method::delete_);
  timed_out.begin().fail(Errc::timeout, Sent::maybe).wake().answer(404);
  EXPECT_TRUE(timed_out.succeeded());
  ASSERT_NE(timed_out.done().response, nullptr);
  EXPECT_EQ(timed_out.done().response->status, 404);
  CallBench gateway(Method::delete_);
  gateway.begin().answer(502).wake().answer(404);
  EXPECT_TRUE(gateway.succeeded());
}

TEST(CallRetry, such_a_delete_is_a_success_under_strict_statuses_too) {
  const std::vector<int> usual = {204};
  CallBench bench(Method::delete_);
  bench.environment.strict_statuses = true;
  bench.request.usual_statuses = &usual;
  bench.begin().fail(Errc::timeout, Sent::maybe).wake().answer(404);
  EXPECT_TRUE(bench.succeeded()) << bench.message();
}

TEST(CallRetry, a_404_to_a_delete_that_cannot_have_been_applied_is_not_found) {
  CallBench first(Method::delete_);
  first.begin().answer(404);
  ASSERT_TRUE(first.failed());
  EXPECT_EQ(first.error().code(), Errc::not_found);
  CallBench unsent(Method::delete_);
  unsent.begin().fail(Errc::connect, Sent::no).wake().answer(429).wake().answer(404);
  EXPECT_TRUE(unsent.failed());
  CallBench put(Method::put);
  put.begin().fail(Errc::timeout, Sent::maybe).wake().answer(404);
  EXPECT_TRUE(put.failed());
}

TEST(CallRetry, an_answer_cut_behind_its_head_still_tells_how_long_to_wait) {
  const auto cut = [](int status) {
    auto response = std::make_shared<const noun::Response>(noun::Response{status, {{"Retry-After", 30}}, {}, {}});
    return noun::Error(
        noun::ErrorDetails{.code = Errc::truncated, .message = "cut", .sent = Sent::maybe, .response = response});
  };
  CallBench unavailable;
  unavailable.begin().fail(cut(503));
  EXPECT_EQ(unavailable.wait(), 30s);
  CallBench rejected(Method::post);
  rejected.begin().fail(cut(429));
  EXPECT_EQ(rejected.wait(), 30s);
  rejected.wake().answer(201);
  EXPECT_TRUE(rejected.succeeded());
}

}  // namespace call_retry_test
}  // namespace call_test
