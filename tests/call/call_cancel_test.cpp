// Tests of the caller's stop request and the caller's deadline at every step of a call.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_cancel_test {

const noun::Error no_response(Errc::timeout, "no complete response in time", Sent::maybe);

TEST(CallCancel, a_cancelled_call_reports_what_was_sent) {
  EXPECT_EQ(CallBench().cancel().outcome(), "fails: cancelled (cancelled), sent no, 0 attempts in 0 s");
  EXPECT_EQ(CallBench().cancel().message(),
            "GET https://api.example.com/v1/things/7: cancelled by the caller before anything was sent");
  EXPECT_EQ(CallBench().exhausted_for(40s).begin().pass(10s).cancel().outcome(),
            "fails: cancelled (cancelled), sent no, 0 attempts in 10 s");
  EXPECT_EQ(CallBench().begin().fail(Errc::timeout, Sent::maybe).cancel().outcome(),
            "fails: cancelled (cancelled), sent maybe, 1 attempt in 0 s");
  EXPECT_EQ(CallBench().begin().fail(Errc::cancelled, Sent::maybe).outcome(),
            "fails: cancelled (cancelled), sent maybe, 1 attempt in 0 s");
}

TEST(CallCancel, does_not_say_what_was_sent_before_a_delayed_call) {
  CallBench bench;
  bench.request.not_before = bench_begin + 5s;
  EXPECT_EQ(bench.begin().cancel().message(),
            "GET https://api.example.com/v1/things/7: cancelled by the caller before the request was sent");
  CallBench late;
  late.request.not_before = bench_begin + 5s;
  EXPECT_EQ(late.deadline_in(10s).begin().wake(12s).message(),
            "GET https://api.example.com/v1/things/7: the caller's deadline passed before the request was sent; set a "
            "later deadline");
}

TEST(CallCancel, cancels_a_wait_for_the_first_response) {
  CallBench bench;
  const auto other = bench.request_elsewhere();
  ASSERT_EQ(bench.begin().reason(), WaitReason::first_response);
  EXPECT_EQ(bench.cancel().outcome(), "fails: cancelled (cancelled), sent no, 0 attempts in 0 s, 1 in flight");
}

TEST(CallCancel, cancels_a_wait_for_retry_after_and_keeps_the_last_response) {
  CallBench bench;
  bench.begin().respond(429, {{"Retry-After", 30}, {"X-Request-Id", "r-1"}}, "slow down").cancel();
  ASSERT_EQ(bench.outcome(), "fails: cancelled (cancelled), sent answered, 1 attempt in 0 s, status 429");
  EXPECT_EQ(bench.error().request_id(), "r-1");
  ASSERT_NE(bench.error().response(), nullptr);
  EXPECT_EQ(bench.error().response()->body, "slow down");
  EXPECT_EQ(bench.message().find("saying"), std::string::npos) << bench.message();
}

TEST(CallDeadline, a_deadline_in_the_past_sends_nothing) {
  for (const auto deadline : {0s, -1s})
    EXPECT_EQ(CallBench().deadline_in(deadline).begin().outcome(),
              "fails: deadline_exceeded (time), sent no, 0 attempts in 0 s");
}

TEST(CallDeadline, an_attempt_ends_at_the_deadline) {
  CallBench bench;
  EXPECT_EQ(bench.deadline_in(90s).begin().send().deadline, bench_begin + 60s);
  EXPECT_EQ(bench.respond(503, {}, {}, 40s).wake().send().deadline, bench_begin + 90s);
}

TEST(CallDeadline, a_timeout_at_the_deadline_is_deadline_exceeded) {
  EXPECT_EQ(CallBench(Method::post).deadline_in(10s).begin().fail(no_response, 10s).outcome(),
            "fails: deadline_exceeded (time), sent maybe, 1 attempt in 10 s");
  EXPECT_EQ(CallBench().deadline_in(10s).begin().fail(no_response, 10s - 400us).outcome(),
            "fails: deadline_exceeded (time), sent maybe, 1 attempt in 9.9996 s")
      << "a timeout shortly before the deadline, from rounding";
  EXPECT_EQ(CallBench().deadline_in(100s).begin().fail(no_response, 60s).outcome(), "waits 1 s (backoff)")
      << "the attempt's own timeout";
  EXPECT_EQ(CallBench().deadline_in(10s).begin().fail(noun::Error(Errc::connect, "refused"), 11s).outcome(),
            "fails: connect (time), sent no, 1 attempt in 11 s, again in 1 s");
  EXPECT_EQ(CallBench().deadline_in(10s).begin().respond(200, {}, {}, 11s).outcome(),
            "succeeds, sent answered, 1 attempt in 11 s, status 200");
}

TEST(CallDeadline, after_the_deadline_nothing_is_sent) {
  EXPECT_EQ(CallBench().deadline_in(10s).begin().respond(503).wake(11s).outcome(),
            "fails: deadline_exceeded (time), sent answered, 1 attempt in 11 s, status 503");
  EXPECT_EQ(CallBench().deadline_in(10s).begin().respond(302, {{"Location", "/v1/else"}}, {}, 10s).outcome(),
            "fails: deadline_exceeded (time), sent answered, 1 attempt in 10 s, status 302");
}

}  // namespace call_cancel_test
}  // namespace call_test
