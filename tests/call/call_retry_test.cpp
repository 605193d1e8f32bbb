// Repeating after a fault: how often, how long in between, and what ends it.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_retry_test {

using Waits = std::vector<Duration>;

/// Answers 503 until the call is done or has sent so often.
CallBench& fail_until_done(CallBench& bench, int most = 100) {
  bench.begin();
  while (!bench.is_done() && bench.attempts() <= most) {
    bench.answer(503);
    while (bench.waits_now()) bench.wake();
  }
  return bench;
}

TEST(CallRetry, backoff_without_jitter_is_exactly_one_two_four_eight_seconds) {
  CallBench bench;
  EXPECT_EQ(fail_until_done(bench).outcome(),
            "fails: server_error (attempts), sent answered, 5 attempts in 15 s, status 503");
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s, 8s}));
}

TEST(CallRetry, backoff_grows_no_further_than_max_backoff) {
  CallBench bench;
  bench.context.retry = {.max_attempts = 6, .max_backoff = 3s, .jitter = 0};
  EXPECT_EQ(fail_until_done(bench).waits, (Waits{1s, 2s, 3s, 3s, 3s}));
}

TEST(CallRetry, transport_faults_back_off_like_5xx) {
  CallBench bench;
  bench.begin().fail(Errc::connect, Sent::no).wake().answer(500).wake().fail(Errc::timeout, Sent::maybe).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s}));
  const auto told = bench.events_of(noun::EventKind::retrying);
  EXPECT_EQ(told.size(), 3U);
  for (const auto& event : told) EXPECT_EQ(event.reason, WaitReason::backoff);
}

/// How long a call waits after its first fault.
Duration first_wait(double jitter, std::uint64_t seed) {
  CallBench bench;
  bench.context.retry.jitter = jitter;
  noun::Call call(bench.context, bench.request, 1, seed);
  call.begin(bench.now);
  return std::get<noun::Wait>(call.on_response(bench.now, noun::Response{503, {}, {}, {}})).until - bench.now.steady;
}

TEST(CallRetry, jitter_only_lengthens_and_by_no_more_than_its_part) {
  auto longest = Duration::zero();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto wait = first_wait(0.1, seed);
    EXPECT_GE(wait, 1s);
    EXPECT_LT(wait, 1100ms);
    longest = std::max(longest, wait);
  }
  EXPECT_GT(longest, 1050ms);
  EXPECT_NE(first_wait(1, 1), first_wait(1, 2)) << "two calls do not wait alike";
}

TEST(CallRetry, a_single_attempt_is_not_repeated_for_any_reason_but_the_quota) {
  for (const int status : {503, 421, 401, 425, 429}) {
    CallBench bench;
    bench.context.retry.max_attempts = 1;
    bench.context.credentials_may_change = true;
    bench.begin().answer(status);
    EXPECT_EQ(bench.waits_now(), status == 429) << status;
    EXPECT_EQ(bench.failed(), status != 429) << status;
    EXPECT_EQ(bench.attempts(), 1) << status;
  }
}

TEST(CallRetry, misdirected_and_unauthorized_answers_count_as_attempts) {
  CallBench bench;
  bench.context.retry.max_attempts = 2;
  bench.context.credentials_may_change = true;
  EXPECT_EQ(bench.begin().answer(503).wake().answer(401).outcome(),
            "fails: unauthorized (permanent), sent answered, 2 attempts in 1 s, status 401");
  for (const int status : {401, 421})
    EXPECT_EQ(bench.begin().answer(status).answer(503).outcome(),
              "fails: server_error (attempts), sent answered, 2 attempts in 0 s, status 503")
        << status;
}

TEST(CallRetry, give_up_after_counts_from_the_first_fault_and_not_from_the_begin) {
  CallBench bench;
  bench.context.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 10s};
  bench.begin().answer(503, {}, {}, 30s).wake().answer(503).wake().answer(503).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s}));
  EXPECT_EQ(bench.answer(503).outcome(),
            "fails: server_error (time), sent answered, 4 attempts in 37 s, status 503, again in 8 s");
  bench.context.retry.give_up_after = 1s;
  EXPECT_EQ(bench.begin().answer(503).outcome(), "waits 1 s (backoff)") << "ends exactly when giving up";
  EXPECT_TRUE(bench.wake().answer(503).failed());
}

TEST(CallRetry, time_held_for_the_quota_after_the_first_fault_and_only_that_puts_giving_up_off) {
  const noun::Headers long_hold = {{"Retry-After", 600}};
  CallBench bench;
  bench.context.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 4s};
  EXPECT_EQ(bench.begin().answer(503).wake().answer(429, long_hold).wake().answer(503).outcome(),
            "waits 2 s (backoff)");
  EXPECT_EQ(bench.wake().answer(503).outcome(),
            "fails: server_error (time), sent answered, 4 attempts in 603 s, status 503, again in 4 s");
  EXPECT_EQ(bench.begin().answer(429, long_hold).wake().answer(503).wake().answer(503).wake().answer(503).outcome(),
            "fails: server_error (time), sent answered, 4 attempts in 603 s, status 503, again in 4 s");
}

TEST(CallRetry, a_retry_takes_a_token_and_without_one_the_call_stops) {
  CallBench bench;
  EXPECT_EQ(fail_until_done(bench.tokens(2, 0.5)).outcome(),
            "fails: server_error (budget), sent answered, 3 attempts in 3 s, status 503");
  EXPECT_EQ(bench.context.budget->tokens(), 0);
}

TEST(CallRetry, what_the_calls_do_to_the_budget) {
  CallBench bench;
  bench.tokens(2, 0.5).begin().answer(503).wake().answer(404);
  EXPECT_DOUBLE_EQ(bench.context.budget->tokens(), 1) << "a retry, and a failure, which gives nothing back";
  bench.begin().answer(200);
  EXPECT_DOUBLE_EQ(bench.context.budget->tokens(), 1.5) << "a success";
  bench.begin().answer(421);
  EXPECT_DOUBLE_EQ(bench.context.budget->tokens(), 0.5) << "a misdirected request, sent again";
  CallBench post(Method::post);
  ASSERT_TRUE(post.begin().answer(503).failed());
  EXPECT_DOUBLE_EQ(post.context.budget->tokens(), 10) << "what is not repeated";
}

TEST(CallRetry, in_a_total_outage_requests_per_call_fall_towards_one) {
  CallBench bench;
  int sent = 0;
  constexpr int calls = 200;
  for (int call = 0; call < calls; ++call) sent += fail_until_done(bench).attempts();
  EXPECT_EQ(sent, calls + 10);
}

TEST(CallRetry, a_421_goes_once_more_at_once_on_a_fresh_connection) {
  CallBench bench(Method::post);
  EXPECT_FALSE(bench.begin().send().fresh_connection);
  EXPECT_TRUE(bench.answer(421, {{"Retry-After", 7201}}).send().fresh_connection);
  EXPECT_EQ(bench.answer(421).outcome(),
            "fails: client_error (permanent), sent answered, 2 attempts in 0 s, status 421");
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
  EXPECT_EQ(bench.fail(Errc::send, Sent::maybe).outcome(), "fails: send (attempts), sent maybe, 5 attempts in 15 s");
  EXPECT_EQ(bench.error().idempotency_key(), "k-1");
}

TEST(CallRetry, a_conflict_with_our_key_waits_for_the_first_one_where_the_dialect_says_so) {
  CallBench bench(Method::post);
  bench.context.dialect.retry_conflict_with_key = true;
  bench.request.idempotency_key = "k-1";
  bench.begin().fail(Errc::timeout, Sent::maybe).wake().answer(409).wake().answer(201);
  EXPECT_EQ(bench.outcome(), "succeeds, sent maybe, 3 attempts in 3 s, status 201");
  EXPECT_EQ(bench.waits, (Waits{1s, 2s}));
}

TEST(CallRetry, sent_is_the_worst_over_all_attempts) {
  CallBench bench;
  bench.context.retry.max_attempts = 2;
  EXPECT_EQ(bench.begin().fail(Errc::send, Sent::maybe).wake().answer(404).error().sent(), Sent::maybe);
  EXPECT_EQ(bench.begin().answer(503).wake().fail(Errc::connect, Sent::no).error().sent(), Sent::answered);
  EXPECT_EQ(bench.begin().fail(Errc::connect, Sent::no).wake().fail(Errc::resolve, Sent::no).error().sent(), Sent::no);
}

TEST(CallRetry, a_delete_answered_404_is_a_success_only_after_an_attempt_that_may_have_been_applied) {
  const std::vector<int> usual = {204};
  CallBench bench(Method::delete_);
  const std::string success = "succeeds, sent maybe, 2 attempts in 1 s, status 404";
  EXPECT_EQ(bench.begin().fail(Errc::timeout, Sent::maybe).wake().answer(404).outcome(), success);
  EXPECT_TRUE(bench.begin().answer(502).wake().answer(404).succeeded());
  EXPECT_EQ(bench.begin().answer(404).error().code(), Errc::not_found);
  EXPECT_TRUE(bench.begin().fail(Errc::connect, Sent::no).wake().answer(429).wake().answer(404).failed());
  EXPECT_TRUE(CallBench(Method::put).begin().fail(Errc::timeout, Sent::maybe).wake().answer(404).failed());

  bench.context.strict_statuses = true;
  bench.request.usual_statuses = &usual;
  EXPECT_EQ(bench.begin().fail(Errc::timeout, Sent::maybe).wake().answer(404).outcome(), success);
}

TEST(CallRetry, an_answer_cut_behind_its_head_still_tells_how_long_to_wait) {
  const auto cut = [](int status) {
    auto response = std::make_shared<const noun::Response>(noun::Response{status, {{"Retry-After", 30}}, {}, {}});
    return noun::Error(
        noun::ErrorDetails{.code = Errc::truncated, .what = "cut", .sent = Sent::maybe, .response = response});
  };
  CallBench unavailable;
  EXPECT_EQ(unavailable.begin().fail(cut(503)).outcome(), "waits 30 s (retry_after)");
  EXPECT_EQ(unavailable.cancel().error().status(), 503);
  CallBench rejected(Method::post);
  EXPECT_EQ(rejected.begin().fail(cut(429)).outcome(), "waits 30 s (retry_after)");
  EXPECT_EQ(rejected.only_event(noun::EventKind::attempt_ended).status, 429);
  EXPECT_EQ(rejected.wake().answer(201).outcome(), "succeeds, sent answered, 2 attempts in 30 s, status 201");
}

}  // namespace call_retry_test
}  // namespace call_test
