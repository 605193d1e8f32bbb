// Tests of the quota gate before every attempt: holds, their ends, and calls that may not wait.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_quota_test {

using noun::EventKind;
using noun::WhenExhausted;

/// The rate headers of a server with a limit of ten.
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
  EXPECT_EQ(bench.respond(200).outcome(), "succeeds, sent answered, 1 attempt in 40 s, status 200");
}

TEST(CallQuota, a_304_that_costs_nothing_leaves_its_permit_to_others_if_the_request_was_authorized) {
  const auto remaining_after = [](int status, bool authorized) {
    CallBench bench;
    bench.context.dialect.not_modified_cost = 0;
    if (authorized) bench.request.headers.add("Authorization", "Bearer t");
    bench.report_elsewhere(5, 40s).begin().respond(status);
    return bench.context.gate->snapshot(bench.now).remaining;
  };
  EXPECT_EQ(remaining_after(304, true), 5);
  EXPECT_EQ(remaining_after(304, false), 4);
  EXPECT_EQ(remaining_after(200, true), 4);
}

TEST(CallQuota, a_quota_by_route_is_named_by_its_first_request) {
  CallBench bench;
  bench.context.dialect.quota_by_route = true;
  bench.request.route = 1;
  bench.begin().respond(429, {{"Retry-After", "5"}});
  const auto partitions = bench.context.gate->snapshot(bench.now).partitions;
  ASSERT_EQ(partitions.size(), 2U);
  EXPECT_EQ(partitions[1].partition, "GET /v1/things/7");
  EXPECT_EQ(partitions[1].rejected, 1U);
}

TEST(CallQuota, the_name_of_a_route_is_shortened_after_its_secrets_are_hidden) {
  CallBench bench;
  const std::string secret = "abcdefghijklmnopqrstuvwxyz0123456789";
  bench.context.dialect.quota_by_route = true;
  bench.request.route = 1;
  bench.request.secrets = {secret};
  bench.request.url = "https://api.example.com/v1/" + std::string(40, 'x') + '/' + secret;
  bench.begin().respond(429, {{"Retry-After", "5"}});
  const auto partitions = bench.context.gate->snapshot(bench.now).partitions;
  ASSERT_EQ(partitions.size(), 2U);
  EXPECT_EQ(partitions[1].partition.find("abcdef"), std::string::npos) << partitions[1].partition;
  EXPECT_LE(partitions[1].partition.size(), 64U);
}

TEST(CallQuota, every_attempt_acquires_a_permit) {
  CallBench bench;
  EXPECT_EQ(bench.begin().respond(503, rate(0, 30)).outcome(), "waits 1 s (backoff)");
  EXPECT_EQ(bench.wake().outcome(), "waits 29 s (quota)");
  EXPECT_TRUE(bench.wake().sends());
  EXPECT_EQ(bench.attempts(), 2);
}

TEST(CallQuota, redirected_and_reauthorized_attempts_acquire_a_permit) {
  EXPECT_EQ(CallBench().begin().respond(307, rate_and("Location", "/v1/other")).outcome(), "waits 30 s (quota)");
  EXPECT_EQ(CallBench().begin().respond(421, rate(0, 30)).outcome(), "waits 30 s (quota)");
  CallBench renewed;
  renewed.context.credentials_may_change = true;
  EXPECT_EQ(renewed.begin().respond(401, rate(0, 30)).outcome(), "waits 30 s (quota)");
}

TEST(CallQuota, a_rejection_waits_for_the_reset_or_retry_after) {
  EXPECT_EQ(CallBench().begin().respond(429, rate(0, 30)).outcome(), "waits 30 s (rejected)");
  EXPECT_EQ(CallBench().begin().respond(429, rate_and("Retry-After", "5")).outcome(), "waits 5 s (retry_after)");
  EXPECT_EQ(CallBench().deadline_in(20s).begin().respond(429, rate(0, 30)).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 0 s, status 429, again in 30 s");
}

TEST(CallQuota, a_call_waits_for_the_quota_only_within_max_wait_and_deadline) {
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

TEST(CallQuota, with_when_exhausted_fail_a_call_still_waits_for_the_first_response) {
  CallBench bench;
  bench.context.quota.when_exhausted = WhenExhausted::fail;
  auto other = bench.request_elsewhere();
  ASSERT_EQ(bench.begin().reason(), WaitReason::first_response);
  EXPECT_FALSE(bench.ticket().overtaken());
  bench.context.gate->record(std::move(other), bench.now, {});
  EXPECT_TRUE(bench.ticket().overtaken());
  EXPECT_TRUE(bench.wake(0s).sends());
}

TEST(CallQuota, a_wait_for_the_first_response_ends_at_the_deadline_or_after_max_wait) {
  CallBench with_deadline;
  const auto other = with_deadline.request_elsewhere();
  EXPECT_EQ(with_deadline.deadline_in(300ms).begin().outcome(), "waits 0.3 s (first_response)");
  EXPECT_EQ(with_deadline.wake().outcome(),
            "fails: deadline_exceeded (time), sent no, 0 attempts in 0.3 s, 1 in flight");
  CallBench with_max_wait;
  with_max_wait.context.quota.max_wait = 300ms;
  const auto another = with_max_wait.request_elsewhere();
  EXPECT_EQ(with_max_wait.begin().outcome(), "waits 0.3 s (first_response)");
  EXPECT_EQ(with_max_wait.wake().outcome(),
            "fails: rate_limited (time), sent no, 0 attempts in 0.3 s, again in 0.7 s, 1 in flight");
}

TEST(CallQuota, max_wait_includes_holds_before_and_after_a_rejection) {
  CallBench bench;
  bench.context.quota.max_wait = 60s;
  EXPECT_EQ(bench.exhausted_for(40s).begin().wake().respond(429, {{"Retry-After", 21}}).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 40 s, status 429, again in 21 s");
  EXPECT_EQ(bench.call().history().held, 40s);
}

TEST(CallQuota, a_backoff_does_not_count_against_max_wait) {
  CallBench bench;
  bench.context.quota.max_wait = 1s;
  bench.begin().respond(503).wake().respond(503).wake().respond(429, {{"Retry-After", 1}});
  EXPECT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.call().history().backed_off, 3s);
  EXPECT_EQ(bench.call().history().held, 0s);
}

TEST(CallQuota, a_request_that_was_not_sent_uses_no_permit) {
  CallBench bench;
  bench.report_elsewhere(5).begin().fail(Errc::connect, Sent::no);
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).remaining, 5);
  bench.wake().fail(Errc::timeout, Sent::maybe);
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).remaining, 4);
}

TEST(CallQuota, the_event_of_an_attempt_has_the_reported_quota) {
  CallBench bench;
  bench.begin().respond(404, rate(7, 30));
  const auto quota = bench.only_event(EventKind::attempt_ended).quota;
  EXPECT_EQ(quota.remaining, 7);
  EXPECT_EQ(quota.limit, 10);
  EXPECT_TRUE(quota.resets_in);
}

TEST(CallQuota, rate_headers_of_a_response_without_body_are_recorded) {
  CallBench bench;
  auto response = std::make_shared<const noun::Response>(noun::Response{200, rate(3, 30), {}, {}});
  bench.begin().fail(noun::Error(
      noun::ErrorDetails{.code = Errc::too_large, .what = "big", .sent = Sent::answered, .response = response}));
  EXPECT_EQ(bench.outcome(), "fails: too_large (permanent), sent answered, 1 attempt in 0 s, status 200");
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).remaining, 3);
}

TEST(CallQuota, an_implausible_reset_is_a_notice) {
  CallBench bench;
  bench.begin().respond(200, {{"X-RateLimit-Remaining", 3}, {"X-RateLimit-Reset", "99999999999999999999999"}});
  EXPECT_NE(bench.only_event(EventKind::notice).note.find("reset"), std::string::npos);
  EXPECT_EQ(bench.events_of(EventKind::attempt_ended).size(), 1U);
}

TEST(CallQuota, the_reserve_is_for_interactive_calls) {
  CallBench bench;
  bench.context.quota.reserve = 5;
  bench.request.priority = noun::Priority::bulk;
  EXPECT_TRUE(bench.report_elsewhere(5, 30s).begin().waits_now());
  bench.request.priority = noun::Priority::interactive;
  EXPECT_TRUE(bench.begin().sends());
}

TEST(CallQuota, a_response_wakes_the_call_that_waits_for_it) {
  CallBench bench;
  bench.begin();
  const auto other = bench.context.gate->acquire(bench.now, {});
  ASSERT_TRUE(std::holds_alternative<noun::quota::Hold>(other));
  EXPECT_TRUE(bench.call().gate()->take_woken().empty());
  bench.respond(200, rate(5, 30));
  EXPECT_EQ(bench.call().gate()->take_woken().size(), 1U);
}

}  // namespace call_quota_test
}  // namespace call_test
