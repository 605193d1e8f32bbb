// The gate before every attempt: holds, their ends, and what a call does that may not wait.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_quota_test {

using noun::EventKind;
using noun::WhenExhausted;

/// Rate headers of a service that counts ten.
noun::Headers rate(int remaining, int reset) {
  return {{"Date", date_at_begin},
          {"X-RateLimit-Limit", 10},
          {"X-RateLimit-Remaining", remaining},
          {"X-RateLimit-Reset", reset}};
}
noun::Headers rate_and(std::string_view name, std::string_view value) {
  auto headers = rate(0, 30);
  headers.add(name, value);
  return headers;
}

TEST(CallQuota, an_exhausted_quota_holds_the_first_attempt_until_its_reset) {
  CallBench bench;
  EXPECT_EQ(bench.exhausted_for(40s).begin().outcome(), "waits 40 s (quota)");
  EXPECT_EQ(bench.held(), 1U);
  EXPECT_EQ(bench.only_event(EventKind::holding).until, bench_wall_begin + 40s);
  EXPECT_EQ(bench.only_event(EventKind::holding).attempt, 0);
  EXPECT_TRUE(bench.wake().sends());
  EXPECT_EQ(bench.held(), 0U);
  EXPECT_EQ(bench.answer(200).outcome(), "succeeds, sent answered, 1 attempt in 40 s, status 200");
}

TEST(CallQuota, every_attempt_passes_the_gate_and_not_only_the_first) {
  CallBench bench;
  EXPECT_EQ(bench.begin().answer(503, rate(0, 30)).outcome(), "waits 1 s (backoff)");
  EXPECT_EQ(bench.wake().outcome(), "waits 29 s (quota)");
  EXPECT_TRUE(bench.wake().sends());
  EXPECT_EQ(bench.attempts(), 2);
}

TEST(CallQuota, a_redirected_and_a_renewed_attempt_pass_the_gate_too) {
  EXPECT_EQ(CallBench().begin().answer(307, rate_and("Location", "/v1/other")).outcome(), "waits 30 s (quota)");
  EXPECT_EQ(CallBench().begin().answer(421, rate(0, 30)).outcome(), "waits 30 s (quota)");
  CallBench renewed;
  renewed.context.credentials_may_change = true;
  EXPECT_EQ(renewed.begin().answer(401, rate(0, 30)).outcome(), "waits 30 s (quota)");
}

TEST(CallQuota, a_rejection_waits_for_the_later_of_its_doubling_and_the_reset_if_that_fits) {
  EXPECT_EQ(CallBench().begin().answer(429, rate(0, 30)).outcome(), "waits 30 s (rejected)");
  EXPECT_EQ(CallBench().begin().answer(429, rate_and("Retry-After", "5")).outcome(), "waits 5 s (retry_after)");
  EXPECT_EQ(CallBench().deadline_in(20s).begin().answer(429, rate(0, 30)).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 0 s, status 429, again in 30 s");
}

TEST(CallQuota, a_hold_is_waited_for_only_if_it_fits_and_the_call_may_wait) {
  struct Case {
    Duration max_wait;
    Duration deadline;
    WhenExhausted when_exhausted;
    bool waits;
  };
  for (const auto& one : {Case{40s, 1h, WhenExhausted::wait, true}, Case{39s, 1h, WhenExhausted::wait, false},
                          Case{2h, 39s, WhenExhausted::wait, false}, Case{2h, 40s, WhenExhausted::wait, false},
                          Case{2h, 1h, WhenExhausted::fail, false}}) {
    CallBench bench;
    bench.context.quota.max_wait = one.max_wait;
    bench.context.quota.when_exhausted = one.when_exhausted;
    EXPECT_EQ(
        bench.deadline_in(one.deadline).exhausted_for(40s).begin().outcome(),
        one.waits ? "waits 40 s (quota)" : "fails: rate_limited (time), sent no, 0 attempts in 0 s, again in 40 s")
        << one.max_wait.count() << " " << one.deadline.count();
    if (one.waits) EXPECT_TRUE(bench.wake().sends());
  }
}

TEST(CallQuota, a_call_that_is_not_to_wait_still_waits_for_the_first_answer) {
  CallBench bench;
  bench.context.quota.when_exhausted = WhenExhausted::fail;
  auto other = bench.request_elsewhere();
  ASSERT_EQ(bench.begin().reason(), WaitReason::first_response);
  EXPECT_FALSE(bench.ticket().overtaken());
  bench.context.gate->record(std::move(other), bench.now, {});
  EXPECT_TRUE(bench.ticket().overtaken());
  EXPECT_TRUE(bench.wake(0s).sends());
}

TEST(CallQuota, an_indefinite_hold_ends_at_the_deadline_or_with_max_wait) {
  CallBench hurried;
  const auto other = hurried.request_elsewhere();
  EXPECT_EQ(hurried.deadline_in(300ms).begin().outcome(), "waits 0.3 s (first_answer)");
  EXPECT_EQ(hurried.wake().outcome(), "fails: deadline_exceeded (time), sent no, 0 attempts in 0.3 s, 1 in flight");
  CallBench impatient;
  impatient.context.quota.max_wait = 300ms;
  const auto another = impatient.request_elsewhere();
  EXPECT_EQ(impatient.begin().outcome(), "waits 0.3 s (first_answer)");
  EXPECT_EQ(impatient.wake().outcome(),
            "fails: rate_limited (time), sent no, 0 attempts in 0.3 s, again in 0.7 s, 1 in flight");
}

TEST(CallQuota, holds_before_and_after_a_rejection_add_up) {
  CallBench bench;
  bench.context.quota.max_wait = 60s;
  EXPECT_EQ(bench.exhausted_for(40s).begin().wake().answer(429, {{"Retry-After", 21}}).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 40 s, status 429, again in 21 s");
  EXPECT_EQ(bench.call().history().held, 40s);
}

TEST(CallQuota, a_backoff_is_not_time_held_for_the_quota) {
  CallBench bench;
  bench.context.quota.max_wait = 1s;
  bench.begin().answer(503).wake().answer(503).wake().answer(429, {{"Retry-After", 1}});
  EXPECT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.call().history().backed_off, 3s);
  EXPECT_EQ(bench.call().history().held, 0s);
}

TEST(CallQuota, a_request_that_was_never_sent_costs_no_permit) {
  CallBench bench;
  bench.told_elsewhere(5).begin().fail(Errc::connect, Sent::no);
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).remaining, 5);
  bench.wake().fail(Errc::timeout, Sent::maybe);
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).remaining, 4);
}

TEST(CallQuota, what_an_answer_says_is_in_the_event_of_that_answer) {
  CallBench bench;
  bench.begin().answer(404, rate(7, 30));
  const auto quota = bench.only_event(EventKind::attempt_ended).quota;
  EXPECT_EQ(quota.remaining, 7);
  EXPECT_EQ(quota.limit, 10);
  EXPECT_TRUE(quota.resets_in);
}

TEST(CallQuota, a_head_without_its_body_counts_too) {
  CallBench bench;
  auto response = std::make_shared<const noun::Response>(noun::Response{200, rate(3, 30), {}, {}});
  bench.begin().fail(noun::Error(
      noun::ErrorDetails{.code = Errc::too_large, .what = "big", .sent = Sent::answered, .response = response}));
  EXPECT_EQ(bench.outcome(), "fails: too_large (permanent), sent answered, 1 attempt in 0 s, status 200");
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).remaining, 3);
}

TEST(CallQuota, an_odd_reset_is_told_to_the_observer) {
  CallBench bench;
  bench.begin().answer(200, {{"X-RateLimit-Remaining", 3}, {"X-RateLimit-Reset", "99999999999999999999999"}});
  EXPECT_NE(bench.only_event(EventKind::notice).note.find("reset"), std::string::npos);
  EXPECT_EQ(bench.events_of(EventKind::attempt_ended).size(), 1U);
}

TEST(CallQuota, the_reserve_is_for_interactive_calls) {
  CallBench bench;
  bench.context.quota.reserve = 5;
  bench.request.priority = noun::Priority::bulk;
  EXPECT_TRUE(bench.told_elsewhere(5, 30s).begin().waits_now());
  bench.request.priority = noun::Priority::interactive;
  EXPECT_TRUE(bench.begin().sends());
}

TEST(CallQuota, a_response_wakes_the_call_that_waits_for_it) {
  CallBench bench;
  bench.begin();
  const auto other = bench.context.gate->acquire(bench.now, {});
  ASSERT_TRUE(std::holds_alternative<noun::quota::Hold>(other));
  EXPECT_TRUE(bench.call().gate()->take_woken().empty());
  bench.answer(200, rate(5, 30));
  EXPECT_EQ(bench.call().gate()->take_woken().size(), 1U);
}

}  // namespace call_quota_test
}  // namespace call_test
