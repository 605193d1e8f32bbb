// Stopping: the caller's stop request and the caller's deadline, at every point of a call.
#include "call/call_fixture.hpp"

namespace call_test {
namespace call_cancel_test {

TEST(CallCancel, a_call_cancelled_before_its_begin_sends_nothing) {
  CallBench bench;
  bench.cancel();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::cancelled);
  EXPECT_EQ(bench.error().sent(), Sent::no);
  EXPECT_EQ(bench.error().attempts(), 0);
  EXPECT_EQ(bench.error().elapsed(), 0s);
  EXPECT_EQ(bench.error().message(),
            "GET https://api.example.com/v1/things/7: cancelled by the caller before anything was sent");
}

TEST(CallCancel, a_hold_for_the_quota_is_cancelled) {
  CallBench bench;
  exhaust_elsewhere(bench, 40s);
  bench.begin().pass(10s).cancel();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.error().elapsed(), 10s);
  EXPECT_EQ(bench.held(), 0U);
}

TEST(CallCancel, a_wait_for_the_first_answer_is_cancelled) {
  CallBench bench;
  auto asked = bench.environment.gate->admit(bench.now, {});
  bench.begin();
  ASSERT_EQ(bench.reason(), WaitReason::first_answer);
  bench.cancel();
  EXPECT_EQ(bench.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.held(), 0U);
}

TEST(CallCancel, a_backoff_is_cancelled_and_the_earlier_attempt_still_counts) {
  CallBench bench;
  bench.begin().fail(Errc::timeout, Sent::maybe).cancel();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.error().sent(), Sent::maybe);
  EXPECT_EQ(bench.error().attempts(), 1);
}

TEST(CallCancel, a_wait_for_retry_after_is_cancelled_and_keeps_the_last_answer) {
  CallBench bench;
  bench.begin().answer(429, {{"Retry-After", 30}, {"X-Request-Id", "r-1"}}, "slow down").cancel();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.error().sent(), Sent::answered);
  EXPECT_EQ(bench.error().status(), 429);
  EXPECT_EQ(bench.error().request_id(), "r-1");
  ASSERT_NE(bench.error().response(), nullptr);
  EXPECT_EQ(bench.error().response()->body, "slow down");
  EXPECT_EQ(bench.message().find("saying"), std::string::npos) << bench.message();
}

TEST(CallCancel, an_attempt_that_the_transport_cancelled_is_not_repeated) {
  CallBench bench;
  bench.begin().fail(Errc::cancelled, Sent::maybe);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::cancelled);
  EXPECT_EQ(bench.error().sent(), Sent::maybe);
  EXPECT_EQ(bench.in_flight(), 0U);
}

TEST(CallDeadline, one_that_passed_before_the_begin_sends_nothing) {
  for (const auto deadline : {bench_begin, bench_begin - 1s}) {
    CallBench bench;
    bench.request.deadline = deadline;
    bench.begin();
    ASSERT_TRUE(bench.failed());
    EXPECT_EQ(bench.error().code(), Errc::deadline_exceeded);
    EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
    EXPECT_EQ(bench.error().sent(), Sent::no);
    EXPECT_EQ(bench.attempts(), 0);
  }
}

TEST(CallDeadline, an_attempt_gets_no_more_time_than_is_left) {
  CallBench bench;
  bench.request.deadline = bench_begin + 90s;
  bench.begin();
  EXPECT_EQ(bench.send().deadline, bench_begin + 60s);
  bench.answer(503, {}, {}, 40s).wake();
  EXPECT_EQ(bench.send().deadline, bench_begin + 90s);
}

TEST(CallDeadline, one_that_passes_during_an_attempt_is_deadline_exceeded) {
  CallBench bench(Method::post);
  bench.request.deadline = bench_begin + 10s;
  bench.begin().fail(noun::Error(Errc::timeout, "no complete answer in time", Sent::maybe), 10s);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
  EXPECT_EQ(bench.error().sent(), Sent::maybe);
  EXPECT_EQ(bench.in_flight(), 0U);
}

TEST(CallDeadline, an_attempt_that_ends_a_rounding_early_is_deadline_exceeded_too) {
  CallBench bench;
  bench.request.deadline = bench_begin + 10s;
  bench.begin().fail(noun::Error(Errc::timeout, "no complete answer in time", Sent::maybe), 10s - 400us);
  EXPECT_EQ(bench.error().code(), Errc::deadline_exceeded);
}

TEST(CallDeadline, an_attempts_own_timeout_is_a_timeout_and_repeated) {
  CallBench bench;
  bench.request.deadline = bench_begin + 100s;
  bench.begin().fail(noun::Error(Errc::timeout, "no complete answer in time", Sent::maybe), 60s);
  EXPECT_EQ(bench.wait(), 1s);
}

TEST(CallDeadline, another_failure_behind_the_deadline_keeps_its_own_code) {
  CallBench bench;
  bench.request.deadline = bench_begin + 10s;
  bench.begin().fail(noun::Error(Errc::connect, "refused", Sent::no), 11s);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::connect);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
}

TEST(CallDeadline, an_answer_behind_the_deadline_is_still_an_answer) {
  CallBench bench;
  bench.request.deadline = bench_begin + 10s;
  EXPECT_TRUE(bench.begin().answer(200, {}, {}, 11s).succeeded());
}

TEST(CallDeadline, one_that_passes_during_a_wait_that_woke_late_sends_nothing_more) {
  CallBench bench;
  bench.request.deadline = bench_begin + 10s;
  bench.begin().answer(503).wake(11s);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(bench.error().status(), 503);
  EXPECT_EQ(bench.attempts(), 1);
}

TEST(CallDeadline, redirects_do_not_go_on_behind_it) {
  CallBench bench;
  bench.request.deadline = bench_begin + 10s;
  bench.begin().answer(302, {{"Location", "/v1/else"}}, {}, 10s);
  EXPECT_EQ(bench.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(bench.attempts(), 1);
}

}  // namespace call_cancel_test
}  // namespace call_test
