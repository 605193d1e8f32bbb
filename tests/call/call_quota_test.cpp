// The gate before every attempt: holds, their ends, and what a call does that may not wait.
#include "call/call_fixture.hpp"

namespace call_test {
namespace call_quota_test {

using noun::EventKind;
using noun::WhenExhausted;

/// Rate headers of a service that counts ten.
noun::Headers rate(int remaining, int reset) {
  return {{"Date", date_at_begin},
          {"X-RateLimit-Limit", 10},
          {"X-RateLimit-Remaining", remaining},
          {"X-RateLimit-Reset", reset}};
}
/// Somebody else's request, still unanswered.
noun::Permit request_elsewhere(CallBench& bench) {
  auto asked = bench.environment.gate->admit(bench.now, bench.environment.quota);
  EXPECT_TRUE(std::holds_alternative<noun::Permit>(asked));
  return std::move(std::get<noun::Permit>(asked));
}

TEST(CallQuota, an_exhausted_quota_holds_the_first_attempt_until_its_reset) {
  CallBench bench;
  exhaust_elsewhere(bench, 40s);
  bench.begin();
  ASSERT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.wait(), 40s);
  EXPECT_EQ(bench.reason(), WaitReason::quota);
  EXPECT_EQ(bench.held(), 1U);
  const auto holding = bench.events_of(EventKind::holding);
  ASSERT_EQ(holding.size(), 1U);
  EXPECT_EQ(holding[0].until, bench_wall_begin + 40s);
  EXPECT_EQ(holding[0].attempt, 0);
  bench.wake();
  EXPECT_TRUE(bench.sends());
  EXPECT_EQ(bench.held(), 0U);
  bench.answer(200);
  EXPECT_EQ(bench.in_flight(), 0U);
}

TEST(CallQuota, every_attempt_passes_the_gate_and_not_only_the_first) {
  CallBench bench;
  bench.begin().answer(503, rate(0, 30));
  ASSERT_EQ(bench.wait(), 1s);
  EXPECT_EQ(bench.reason(), WaitReason::backoff);
  bench.wake();
  ASSERT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.reason(), WaitReason::quota);
  EXPECT_EQ(bench.wait(), 29s);
  EXPECT_TRUE(bench.wake().sends());
  EXPECT_EQ(bench.attempts(), 2);
}

TEST(CallQuota, a_redirected_and_a_renewed_attempt_pass_the_gate_too) {
  CallBench redirected;
  auto headers = rate(0, 30);
  headers.add("Location", "/v1/other");
  redirected.begin().answer(307, headers);
  EXPECT_EQ(redirected.reason(), WaitReason::quota);
  CallBench misdirected;
  misdirected.begin().answer(421, rate(0, 30));
  EXPECT_EQ(misdirected.reason(), WaitReason::quota);
  CallBench renewed;
  renewed.environment.credentials_may_change = true;
  renewed.begin().answer(401, rate(0, 30));
  EXPECT_EQ(renewed.reason(), WaitReason::quota);
}

TEST(CallQuota, a_rejection_waits_for_the_later_of_its_doubling_and_the_reset) {
  CallBench reset_later;
  reset_later.begin().answer(429, rate(0, 30));
  EXPECT_EQ(reset_later.wait(), 30s);
  EXPECT_EQ(reset_later.reason(), WaitReason::rejected);
  CallBench told;
  auto headers = rate(0, 30);
  headers.add("Retry-After", 5);
  told.begin().answer(429, headers);
  EXPECT_EQ(told.wait(), 5s);
}

TEST(CallQuota, a_reset_that_does_not_fit_fails_at_once_after_a_rejection) {
  CallBench bench;
  bench.request.deadline = bench_begin + 20s;
  bench.begin().answer(429, rate(0, 30));
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + 30s);
}

TEST(CallQuota, a_hold_that_does_not_fit_fails_at_once_with_retry_at) {
  struct Case {
    Duration max_wait;
    Instant deadline;
  };
  for (const auto& one : {Case{39s, Instant::max()}, Case{2h, bench_begin + 39s}, Case{2h, bench_begin + 40s}}) {
    CallBench bench;
    bench.environment.quota.max_wait = one.max_wait;
    bench.request.deadline = one.deadline;
    exhaust_elsewhere(bench, 40s);
    bench.begin();
    ASSERT_TRUE(bench.failed());
    EXPECT_EQ(bench.error().code(), Errc::rate_limited);
    EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
    EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + 40s);
    EXPECT_EQ(bench.error().sent(), Sent::no);
    EXPECT_EQ(bench.error().attempts(), 0);
    EXPECT_EQ(bench.held(), 0U);
  }
}

TEST(CallQuota, a_hold_that_just_fits_max_wait_is_waited_for) {
  CallBench bench;
  bench.environment.quota.max_wait = 40s;
  exhaust_elsewhere(bench, 40s);
  EXPECT_TRUE(bench.begin().waits_now());
  EXPECT_TRUE(bench.wake().sends());
}

TEST(CallQuota, a_call_that_is_not_to_wait_fails_at_once) {
  CallBench bench;
  bench.environment.quota.when_exhausted = WhenExhausted::fail;
  exhaust_elsewhere(bench, 40s);
  bench.begin();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + 40s);
}

TEST(CallQuota, a_call_that_is_not_to_wait_still_waits_for_the_first_answer) {
  CallBench bench;
  bench.environment.quota.when_exhausted = WhenExhausted::fail;
  auto other = request_elsewhere(bench);
  bench.begin();
  ASSERT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.reason(), WaitReason::first_answer);
  EXPECT_FALSE(bench.ticket().overtaken());
  bench.environment.gate->settle(std::move(other), bench.now, bench.now, {});
  EXPECT_TRUE(bench.ticket().overtaken());
  EXPECT_TRUE(bench.wake(0s).sends());
}

TEST(CallQuota, an_indefinite_hold_ends_at_the_deadline) {
  CallBench bench;
  bench.request.deadline = bench_begin + 300ms;
  const auto other = request_elsewhere(bench);
  bench.begin();
  EXPECT_EQ(bench.wait(), 300ms);
  bench.wake();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
  EXPECT_EQ(bench.error().sent(), Sent::no);
  EXPECT_EQ(bench.held(), 0U);
}

TEST(CallQuota, an_indefinite_hold_ends_with_max_wait) {
  CallBench bench;
  bench.environment.quota.max_wait = 300ms;
  const auto other = request_elsewhere(bench);
  bench.begin();
  EXPECT_EQ(bench.wait(), 300ms);
  bench.wake();
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
}

TEST(CallQuota, holds_before_and_after_a_rejection_add_up) {
  CallBench bench;
  bench.environment.quota.max_wait = 60s;
  exhaust_elsewhere(bench, 40s);
  bench.begin().wake().answer(429, {{"Retry-After", 21}});
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.call().trail().held, 40s);
}

TEST(CallQuota, a_backoff_is_not_time_held_for_the_quota) {
  CallBench bench;
  bench.environment.quota.max_wait = 1s;
  bench.begin().answer(503).wake().answer(503).wake().answer(429, {{"Retry-After", 1}});
  EXPECT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.call().trail().backed_off, 3s);
  EXPECT_EQ(bench.call().trail().held, 0s);
}

TEST(CallQuota, a_request_that_was_never_sent_costs_no_permit) {
  CallBench bench;
  noun::QuotaAnswer answer;
  answer.reading.limit = 10;
  answer.reading.remaining = 5;
  spend_elsewhere(bench, answer);
  bench.begin().fail(Errc::connect, Sent::no);
  EXPECT_EQ(bench.environment.gate->snapshot(bench.now).remaining, 5);
  bench.wake().fail(Errc::timeout, Sent::maybe);
  EXPECT_EQ(bench.environment.gate->snapshot(bench.now).remaining, 4);
}

TEST(CallQuota, what_an_answer_says_is_in_the_event_of_that_answer) {
  CallBench bench;
  bench.begin().answer(404, rate(7, 30));
  const auto answered = bench.events_of(EventKind::answered);
  ASSERT_EQ(answered.size(), 1U);
  EXPECT_EQ(answered[0].quota.remaining, 7);
  EXPECT_EQ(answered[0].quota.limit, 10);
  EXPECT_TRUE(answered[0].quota.resets_in);
}

TEST(CallQuota, an_error_answer_and_a_head_without_its_body_count_too) {
  CallBench bench;
  auto response = std::make_shared<const noun::Response>(noun::Response{200, rate(3, 30), {}, {}});
  bench.begin().fail(noun::Error(
      noun::ErrorDetails{.code = Errc::too_large, .message = "big", .sent = Sent::answered, .response = response}));
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().sent(), Sent::answered);
  EXPECT_EQ(bench.error().status(), 200);
  EXPECT_EQ(bench.environment.gate->snapshot(bench.now).remaining, 3);
}

TEST(CallQuota, an_odd_reset_is_told_to_the_observer) {
  CallBench bench;
  bench.begin().answer(200, {{"X-RateLimit-Remaining", 3}, {"X-RateLimit-Reset", "99999999999999999999999"}});
  const auto notices = bench.events_of(EventKind::notice);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].note.find("reset"), std::string::npos);
  EXPECT_LT(bench.events_of(EventKind::answered).size(), 2U);
}

TEST(CallQuota, the_reserve_is_for_interactive_calls) {
  CallBench bulk;
  bulk.environment.quota.reserve = 5;
  bulk.request.priority = noun::Priority::bulk;
  noun::QuotaAnswer answer;
  answer.reading.remaining = 5;
  answer.reading.reset = noun::wire::ResetReading{.in = 30s, .at = {}};
  spend_elsewhere(bulk, answer);
  EXPECT_TRUE(bulk.begin().waits_now());
  bulk.request.priority = noun::Priority::interactive;
  EXPECT_TRUE(bulk.begin().sends());
}

TEST(CallQuota, the_wake_counter_rises_when_the_answer_came) {
  CallBench bench;
  bench.begin();
  const auto before = bench.call().wake_counter().load();
  bench.answer(200, rate(5, 30));
  EXPECT_GT(bench.call().wake_counter().load(), before);
}

}  // namespace call_quota_test
}  // namespace call_test
