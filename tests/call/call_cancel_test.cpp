// Stopping: the caller's stop request and the caller's deadline, at every point of a call.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_cancel_test {

const noun::Error no_answer(Errc::timeout, "no complete answer in time", Sent::maybe);

TEST(CallCancel, a_call_is_cancelled_at_any_point_and_tells_what_was_sent) {
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

TEST(CallCancel, a_wait_for_the_first_answer_is_cancelled) {
  CallBench bench;
  const auto other = bench.request_elsewhere();
  ASSERT_EQ(bench.begin().reason(), WaitReason::first_response);
  EXPECT_EQ(bench.cancel().outcome(), "fails: cancelled (cancelled), sent no, 0 attempts in 0 s, 1 in flight");
}

TEST(CallCancel, a_wait_for_retry_after_is_cancelled_and_keeps_the_last_answer) {
  CallBench bench;
  bench.begin().answer(429, {{"Retry-After", 30}, {"X-Request-Id", "r-1"}}, "slow down").cancel();
  ASSERT_EQ(bench.outcome(), "fails: cancelled (cancelled), sent answered, 1 attempt in 0 s, status 429");
  EXPECT_EQ(bench.error().request_id(), "r-1");
  ASSERT_NE(bench.error().response(), nullptr);
  EXPECT_EQ(bench.error().response()->body, "slow down");
  EXPECT_EQ(bench.message().find("saying"), std::string::npos) << bench.message();
}

TEST(CallDeadline, one_that_passed_before_the_begin_sends_nothing) {
  for (const auto deadline : {0s, -1s})
    EXPECT_EQ(CallBench().deadline_in(deadline).begin().outcome(),
              "fails: deadline_exceeded (time), sent no, 0 attempts in 0 s");
}

TEST(CallDeadline, an_attempt_gets_no_more_time_than_is_left) {
  CallBench bench;
  EXPECT_EQ(bench.deadline_in(90s).begin().send().deadline, bench_begin + 60s);
  EXPECT_EQ(bench.answer(503, {}, {}, 40s).wake().send().deadline, bench_begin + 90s);
}

TEST(CallDeadline, one_that_passes_during_an_attempt_is_told_unless_the_attempt_ended_otherwise) {
  EXPECT_EQ(CallBench(Method::post).deadline_in(10s).begin().fail(no_answer, 10s).outcome(),
            "fails: deadline_exceeded (time), sent maybe, 1 attempt in 10 s");
  EXPECT_EQ(CallBench().deadline_in(10s).begin().fail(no_answer, 10s - 400us).outcome(),
            "fails: deadline_exceeded (time), sent maybe, 1 attempt in 9.9996 s")
      << "a rounding early";
  EXPECT_EQ(CallBench().deadline_in(100s).begin().fail(no_answer, 60s).outcome(), "waits 1 s (backoff)")
      << "the attempt's own timeout";
  EXPECT_EQ(CallBench().deadline_in(10s).begin().fail(noun::Error(Errc::connect, "refused"), 11s).outcome(),
            "fails: connect (time), sent no, 1 attempt in 11 s, again in 1 s");
  EXPECT_EQ(CallBench().deadline_in(10s).begin().answer(200, {}, {}, 11s).outcome(),
            "succeeds, sent answered, 1 attempt in 11 s, status 200");
}

TEST(CallDeadline, one_that_has_passed_lets_nothing_more_be_sent) {
  EXPECT_EQ(CallBench().deadline_in(10s).begin().answer(503).wake(11s).outcome(),
            "fails: deadline_exceeded (time), sent answered, 1 attempt in 11 s, status 503");
  EXPECT_EQ(CallBench().deadline_in(10s).begin().answer(302, {{"Location", "/v1/else"}}, {}, 10s).outcome(),
            "fails: deadline_exceeded (time), sent answered, 1 attempt in 10 s, status 302");
}

}  // namespace call_cancel_test
}  // namespace call_test
