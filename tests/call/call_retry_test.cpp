// Tests of retries after a fault: how many, how long the waits are, and what ends them.
#include <gmock/gmock.h>

#include "call/call_fixture.hpp"

namespace call_test { namespace call_retry_test {

using Waits = std::vector<Duration>;

/// Responds 503 until the call is done or has sent `max_attempts`.
CallBench& fail_until_done(CallBench& bench, int max_attempts = 100) {
  bench.begin();
  while (!bench.is_done() && bench.attempts() <= max_attempts) {
    bench.respond(503);
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

TEST(CallRetry, backoff_is_at_most_max_backoff) {
  CallBench bench;
  bench.context.retry = {.max_attempts = 6, .max_backoff = 3s, .jitter = 0};
  EXPECT_EQ(fail_until_done(bench).waits, (Waits{1s, 2s, 3s, 3s, 3s}));
}

TEST(CallRetry, transport_faults_back_off_like_5xx) {
  CallBench bench;
  bench.begin().fail(Errc::connect, Sent::no).wake().respond(500).wake().fail(Errc::timeout, Sent::maybe).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s}));
  const auto events = bench.events_of(noun::EventKind::retrying);
  EXPECT_EQ(events.size(), 3U);
  for (const auto& event : events) EXPECT_EQ(event.reason, WaitReason::backoff);
}

/// How long a call waits after its first fault.
Duration first_wait(double jitter, std::uint64_t seed) {
  CallBench bench;
  bench.context.retry.jitter = jitter;
  noun::Call call(bench.context, bench.request, 1, seed);
  call.begin(bench.now);
  return std::get<noun::Wait>(call.on_response(bench.now, noun::Response{503, {}, {}, {}})).until - bench.now.steady;
}

TEST(CallRetry, jitter_lengthens_the_wait_by_at_most_its_fraction) {
  auto longest = Duration::zero();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto wait = first_wait(0.1, seed);
    EXPECT_GE(wait, 1s);
    EXPECT_LT(wait, 1100ms);
    longest = std::max(longest, wait);
  }
  EXPECT_GT(longest, 1050ms);
  EXPECT_NE(first_wait(1, 1), first_wait(1, 2)) << "two calls wait differently";
}

TEST(CallRetry, with_max_attempts_1_only_a_rejection_and_a_401_are_repeated) {
  for (const int status : {503, 421, 401, 425, 429}) {
    CallBench bench;
    bench.context.retry.max_attempts = 1;
    bench.context.credentials_may_change = true;
    bench.begin().respond(status);
    EXPECT_EQ(bench.waits_now(), status == 429) << status;
    EXPECT_EQ(bench.sends(), status == 401) << status;
    EXPECT_EQ(bench.attempts(), status == 401 ? 2 : 1) << status;
  }
}

TEST(CallRetry, the_policy_of_a_call_replaces_that_of_the_client) {
  for (const int status : {503, 421, 401, 425, 429}) {
    CallBench bench;
    bench.request.retry = {.max_attempts = 1};
    bench.context.credentials_may_change = true;
    bench.begin().respond(status);
    EXPECT_EQ(bench.waits_now(), status == 429) << status;
    EXPECT_EQ(bench.attempts(), status == 401 ? 2 : 1) << status;
  }
  CallBench bench;
  bench.context.retry.max_attempts = 1;
  bench.request.retry = {.max_attempts = 3, .initial_backoff = 5s, .max_backoff = 7s, .jitter = 0};
  EXPECT_EQ(fail_until_done(bench).waits, (Waits{5s, 7s}));
  bench.waits.clear();
  EXPECT_EQ(bench.begin().respond(429).waits, (Waits{5s})) << "the backoff of rejections too";
}

TEST(CallRetry, a_limit_of_time_is_named_by_the_option_that_has_it) {
  using ::testing::HasSubstr;
  CallBench bench;
  bench.request.retry = {.give_up_after = 1min};
  EXPECT_THAT(bench.begin().respond(503, {{"Retry-After", 61}}).message(),
              HasSubstr("a wait of 61 s would exceed CallOptions::retry.give_up_after;"));
  EXPECT_THAT(bench.begin().respond(302, {{"Retry-After", 61}, {"Location", "/v1/other"}}).message(),
              HasSubstr("would exceed CallOptions::retry.give_up_after; raise CallOptions::retry.give_up_after"));
}

TEST(CallRetry, a_status_that_the_dialect_leaves_out_is_permanent) {
  CallBench bench(Method::put);
  bench.context.dialect.transient_statuses = {503};
  EXPECT_EQ(bench.begin().respond(500).outcome(),
            "fails: server_error (permanent), sent answered, 1 attempt in 0 s, status 500");
  EXPECT_TRUE(bench.begin().respond(503).waits_now());
}

TEST(CallRetry, misdirected_responses_count_as_attempts) {
  CallBench bench;
  bench.context.retry.max_attempts = 2;
  EXPECT_EQ(bench.begin().respond(421).respond(503).outcome(),
            "fails: server_error (attempts), sent answered, 2 attempts in 0 s, status 503");
}

TEST(CallRetry, a_401_that_is_repeated_does_not_count_as_an_attempt) {
  CallBench bench;
  bench.context.retry.max_attempts = 2;
  bench.context.credentials_may_change = true;
  EXPECT_EQ(bench.begin().respond(503).wake().respond(401).respond(503).outcome(),
            "fails: server_error (attempts), sent answered, 3 attempts in 1 s, status 503");
  EXPECT_EQ(bench.begin().respond(401).respond(503).wake().respond(401).outcome(),
            "fails: unauthorized (permanent), sent answered, 3 attempts in 1 s, status 401");
}

TEST(CallRetry, give_up_after_counts_from_the_first_fault) {
  CallBench bench;
  bench.context.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 10s};
  bench.begin().respond(503, {}, {}, 30s).wake().respond(503).wake().respond(503).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s}));
  EXPECT_EQ(bench.respond(503).outcome(),
            "fails: server_error (time), sent answered, 4 attempts in 37 s, status 503, again in 8 s");
  bench.context.retry.give_up_after = 1s;
  EXPECT_EQ(bench.begin().respond(503).outcome(), "waits 1 s (backoff)") << "a wait of exactly give_up_after";
  EXPECT_TRUE(bench.wake().respond(503).failed());
}

TEST(CallRetry, give_up_after_excludes_holds_after_the_first_fault) {
  const noun::Headers long_hold = {{"Retry-After", 600}};
  CallBench bench;
  bench.context.retry = {.max_attempts = 100, .jitter = 0, .give_up_after = 4s};
  EXPECT_EQ(bench.begin().respond(503).wake().respond(429, long_hold).wake().respond(503).outcome(),
            "waits 2 s (backoff)");
  EXPECT_EQ(bench.wake().respond(503).outcome(),
            "fails: server_error (time), sent answered, 4 attempts in 603 s, status 503, again in 4 s");
  EXPECT_EQ(bench.begin().respond(429, long_hold).wake().respond(503).wake().respond(503).wake().respond(503).outcome(),
            "fails: server_error (time), sent answered, 4 attempts in 603 s, status 503, again in 4 s");
}

TEST(CallRetry, a_retry_takes_a_token_and_without_tokens_the_call_fails) {
  CallBench bench;
  EXPECT_EQ(fail_until_done(bench.tokens(2, 0.5)).outcome(),
            "fails: server_error (budget), sent answered, 3 attempts in 3 s, status 503");
  EXPECT_EQ(bench.context.budget->tokens(), 0);
}

TEST(CallRetry, retries_take_tokens_and_successes_return_them) {
  CallBench bench;
  bench.tokens(2, 0.5).begin().respond(503).wake().respond(404);
  EXPECT_DOUBLE_EQ(bench.context.budget->tokens(), 1) << "a retry, and a failure, which returns no token";
  bench.begin().respond(200);
  EXPECT_DOUBLE_EQ(bench.context.budget->tokens(), 1.5) << "a success";
  bench.begin().respond(421);
  EXPECT_DOUBLE_EQ(bench.context.budget->tokens(), 0.5) << "a misdirected request, repeated";
  CallBench post(Method::post);
  ASSERT_TRUE(post.begin().respond(503).failed());
  EXPECT_DOUBLE_EQ(post.context.budget->tokens(), 100) << "a request that is not repeated";
}

TEST(CallRetry, in_an_outage_the_budget_ends_retries) {
  CallBench bench;
  int sent = 0;
  constexpr int calls = 200;
  for (int call = 0; call < calls; ++call) sent += fail_until_done(bench).attempts();
  EXPECT_EQ(sent, calls + 100);
}

TEST(CallRetry, a_421_is_repeated_once_on_a_new_connection) {
  CallBench bench(Method::post);
  EXPECT_FALSE(bench.begin().send().fresh_connection);
  EXPECT_TRUE(bench.respond(421, {{"Retry-After", 7201}}).send().fresh_connection);
  EXPECT_EQ(bench.respond(421).outcome(),
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

TEST(CallRetry, a_409_with_a_key_is_repeated_if_the_dialect_says_so) {
  CallBench bench(Method::post);
  bench.context.dialect.retry_conflict_with_key = true;
  bench.request.idempotency_key = "k-1";
  bench.begin().fail(Errc::timeout, Sent::maybe).wake().respond(409).wake().respond(201);
  EXPECT_EQ(bench.outcome(), "succeeds, sent maybe, 3 attempts in 3 s, status 201");
  EXPECT_EQ(bench.waits, (Waits{1s, 2s}));
}

TEST(CallRetry, sent_is_the_worst_over_all_attempts) {
  CallBench bench;
  bench.context.retry.max_attempts = 2;
  EXPECT_EQ(bench.begin().fail(Errc::send, Sent::maybe).wake().respond(404).error().sent(), Sent::maybe);
  EXPECT_EQ(bench.begin().respond(503).wake().fail(Errc::connect, Sent::no).error().sent(), Sent::answered);
  EXPECT_EQ(bench.begin().fail(Errc::connect, Sent::no).wake().fail(Errc::resolve, Sent::no).error().sent(), Sent::no);
}

TEST(CallRetry, a_404_to_a_repeated_delete_is_a_success) {
  const std::vector<int> usual = {204};
  CallBench bench(Method::delete_);
  const std::string success = "succeeds, sent maybe, 2 attempts in 1 s, status 404";
  EXPECT_EQ(bench.begin().fail(Errc::timeout, Sent::maybe).wake().respond(404).outcome(), success);
  EXPECT_NE(bench.only_event(noun::EventKind::notice).note.find("may have removed it"), std::string::npos);
  EXPECT_TRUE(bench.begin().respond(502).wake().respond(404).succeeded());
  EXPECT_TRUE(bench.begin().respond(502).wake().respond(410).succeeded()) << "Gone";
  EXPECT_EQ(bench.begin().respond(404).error().code(), Errc::not_found);
  EXPECT_TRUE(bench.begin().fail(Errc::connect, Sent::no).wake().respond(429).wake().respond(404).failed());
  EXPECT_TRUE(CallBench(Method::put).begin().fail(Errc::timeout, Sent::maybe).wake().respond(404).failed());

  bench.context.strict_statuses = true;
  bench.request.usual_statuses = &usual;
  EXPECT_EQ(bench.begin().fail(Errc::timeout, Sent::maybe).wake().respond(404).outcome(), success);
}

TEST(CallRetry, retry_after_of_a_truncated_response_is_obeyed) {
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
  EXPECT_EQ(rejected.wake().respond(201).outcome(), "succeeds, sent answered, 2 attempts in 30 s, status 201");
}

}  // namespace call_retry_test
}  // namespace call_test
