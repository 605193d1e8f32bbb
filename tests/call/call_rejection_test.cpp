// Tests of rejections: waits for Retry-After in all its forms, and doubled waits without it.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_rejection_test {

using Waits = std::vector<Duration>;

noun::Headers after(int seconds) { return {{"Retry-After", seconds}}; }
/// Retry-After with the Date of the bench's start, whatever the client's clock says.
noun::Headers dated(std::string_view retry_after) { return {{"Date", date_at_begin}, {"Retry-After", retry_after}}; }

TEST(CallRejection, retry_after_is_obeyed_exactly_in_every_form_on_429_and_503) {
  constexpr std::pair<std::string_view, std::string_view> forms[] = {
      {"30", "waits 30 s (retry_after)"},
      {" 7 ", "waits 7 s (retry_after)"},
      {"1.5", "waits 1.5 s (retry_after)"},
      {"Tue, 14 Nov 2023 22:14:05 GMT", "waits 45 s (retry_after)"},
      {"Tuesday, 14-Nov-23 22:14:05 GMT", "waits 45 s (retry_after)"},
      {"Tue Nov 14 22:14:05 2023", "waits 45 s (retry_after)"},
      {"Tue, 14 Nov 2023 22:00:00 GMT", "waits 0 s (retry_after)"},
  };
  for (const int status : {429, 503})
    for (const auto& [text, outcome] : forms) {
      CallBench bench;
      bench.now.wall += 24h;
      bench.context.retry.jitter = 1;
      ASSERT_EQ(bench.begin().respond(status, dated(text)).outcome(), outcome) << status << " " << text;
      EXPECT_TRUE(bench.wake().sends()) << status << " " << text;
    }
}

TEST(CallRejection, an_invalid_retry_after_is_ignored) {
  for (const int status : {429, 503})
    for (const std::string_view text : {"-5", "", "abc", "inf", "nan", "Tue, 99 Nov 2023 22:14:05 GMT"})
      EXPECT_EQ(CallBench().begin().respond(status, dated(text)).wait(), 1s) << status << " \"" << text << "\"";
}

TEST(CallRejection, without_retry_after_the_wait_doubles_from_one_second) {
  CallBench bench;
  bench.begin();
  for (int rejection = 0; rejection < 8; ++rejection) bench.respond(429).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}));
  EXPECT_TRUE(bench.sends());
}

TEST(CallRejection, the_doubled_waits_are_at_most_max_backoff) {
  CallBench bench;
  bench.request.retry = {.initial_backoff = 100ms, .max_backoff = 5s, .jitter = 0};
  bench.begin();
  for (int rejection = 0; rejection < 5; ++rejection) bench.respond(429).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s, 5s, 5s}));
  EXPECT_TRUE(bench.sends());
}

TEST(CallRejection, the_first_wait_is_the_default_wait_of_the_dialect) {
  CallBench bench;
  bench.context.dialect.default_wait = 5s;
  bench.begin();
  for (int rejection = 0; rejection < 3; ++rejection) bench.respond(429).wake();
  EXPECT_EQ(bench.waits, (Waits{5s, 10s, 20s}));
}

TEST(CallRejection, a_reported_reset_counts_more_than_the_default_wait) {
  const auto wait = [](const char* remaining) {
    CallBench bench;
    bench.context.dialect = noun::dialects::github();
    const auto reset = std::chrono::time_point_cast<std::chrono::seconds>(bench.now.wall) + 4s;
    bench.begin().respond(403, {{"X-RateLimit-Limit", "60"},
                                {"X-RateLimit-Remaining", remaining},
                                {"X-RateLimit-Reset", std::to_string(reset.time_since_epoch().count())}},
                          R"({"message":"You have exceeded a secondary rate limit"})");
    return bench.wait();
  };
  EXPECT_LE(wait("0"), 5s);
  EXPECT_EQ(wait("7"), 60s) << "another limit, which reports nothing";
}

TEST(CallRejection, a_503_that_the_dialect_lists_is_a_rejection) {
  CallBench bench;
  bench.context.dialect.limited_statuses = {429, 503};
  EXPECT_EQ(bench.begin().respond(503).outcome(), "waits 1 s (rejected)");
  EXPECT_EQ(bench.context.gate->snapshot(bench.now).rejected, 1U);
}

TEST(CallRejection, a_rejection_uses_neither_attempts_nor_budget_nor_give_up_after) {
  CallBench bench(Method::post);
  bench.context.retry = {.max_attempts = 1, .jitter = 0, .give_up_after = 0s};
  bench.tokens(0).begin();
  for (int rejection = 0; rejection < 20; ++rejection) bench.respond(429, after(60)).wake();
  EXPECT_EQ(bench.respond(201).outcome(), "succeeds, sent answered, 21 attempts in 1200 s, status 201");
}

TEST(CallRejection, faults_and_rejections_double_their_waits_separately) {
  CallBench bench;
  bench.begin().respond(503).wake().respond(429).wake().respond(503).wake().respond(429).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 1s, 2s, 2s}));
}

TEST(CallRejection, repeated_retry_after_zero_is_not_a_loop_without_waits) {
  CallBench bench;
  bench.begin();
  int without_pause = 0;
  while (!bench.is_done()) {
    ASSERT_LE(bench.attempts(), 200);
    bench.respond(429, after(0));
    if (bench.waits_now() && bench.wait() == 0s) ++without_pause;
    while (bench.waits_now()) bench.wake();
  }
  EXPECT_EQ(without_pause, 1);
  EXPECT_EQ(CallBench().begin().respond(429, after(0)).wake().respond(429, after(0)).outcome(), "waits 1 s (rejected)");
  EXPECT_EQ(CallBench().begin().respond(429, after(5)).wake().respond(429, after(0)).outcome(), "waits 1 s (rejected)");
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
  EXPECT_LE(bench.error().elapsed(), 2h);
}

TEST(CallRejection, a_repeated_rejection_waits_at_least_the_backoff) {
  const auto waits = [](const noun::Headers& fields) {
    CallBench bench;
    bench.begin();
    for (int rejection = 0; rejection < 6; ++rejection) bench.respond(429, fields).wake();
    return bench.waits;
  };
  EXPECT_EQ(waits(after(0)), (Waits{0s, 1s, 2s, 4s, 8s, 16s}));
  EXPECT_EQ(waits(dated("0.000001")), (Waits{1us, 1s, 2s, 4s, 8s, 16s}));
  EXPECT_EQ(waits(after(1)), (Waits{1s, 1s, 2s, 4s, 8s, 16s}));
  EXPECT_EQ(waits(after(5)), (Waits{5s, 5s, 5s, 5s, 8s, 16s}));
  EXPECT_EQ(waits(after(90)), Waits(6, 90s));
}

TEST(CallRejection, tiny_waits_in_the_body_do_not_make_a_fast_loop) {
  CallBench bench;
  bench.context.dialect.wait_pointer = "/retry_after";
  bench.begin();
  while (!bench.is_done()) {
    ASSERT_LE(bench.attempts(), 200);
    bench.respond(429, {{"Content-Type", "application/json"}}, R"({"retry_after":0.000001})", 1ms);
    while (bench.waits_now()) bench.wake();
  }
  EXPECT_EQ(bench.waits.front(), 1us);
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_LE(bench.error().elapsed(), 2h);
}

TEST(CallRejection, from_the_first_rejection_on_all_time_counts_for_max_wait) {
  CallBench bench;
  bench.context.quota.max_wait = 100s;
  bench.begin().respond(429, after(0), {}, 50s).wake();
  bench.respond(429, after(0), {}, 50s).wake();
  EXPECT_EQ(bench.respond(429, after(0), {}, 50s).outcome(),
            "fails: rate_limited (time), sent answered, 3 attempts in 151 s, status 429, again in 2 s");
}

TEST(CallRejection, repeated_retry_after_zero_on_503_ends_with_max_attempts) {
  CallBench bench;
  bench.begin();
  while (!bench.is_done()) {
    bench.respond(503, after(0));
    while (bench.waits_now()) bench.wake();
  }
  EXPECT_EQ(bench.outcome(), "fails: server_error (attempts), sent answered, 5 attempts in 0 s, status 503");
}

TEST(CallRejection, a_wait_of_max_wait_is_waited_and_a_longer_one_fails_at_once) {
  EXPECT_EQ(CallBench().begin().respond(429, after(7201)).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 0 s, status 429, again in 7201 s");
  CallBench bench;
  EXPECT_EQ(bench.begin().respond(429, after(7200)).outcome(), "waits 7200 s (retry_after)");
  EXPECT_TRUE(bench.wake().respond(429, after(1)).failed());
}

TEST(CallRejection, max_wait_limits_the_sum_of_the_waits) {
  CallBench bench;
  bench.context.quota.max_wait = 100s;
  EXPECT_EQ(bench.begin().respond(429, after(60)).wake().respond(429, after(41)).outcome(),
            "fails: rate_limited (time), sent answered, 2 attempts in 60 s, status 429, again in 41 s");
}

TEST(CallRejection, a_wait_past_the_deadline_fails_at_once) {
  EXPECT_EQ(CallBench().deadline_in(30s).begin().respond(429, after(29)).outcome(), "waits 29 s (retry_after)");
  EXPECT_EQ(CallBench().deadline_in(30s).begin().respond(429, after(30)).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 0 s, status 429, again in 30 s");
  EXPECT_EQ(CallBench().deadline_in(30s).begin().respond(429, after(31)).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 0 s, status 429, again in 31 s");
}

TEST(CallRejection, a_503_whose_wait_is_too_long_fails_at_once) {
  EXPECT_EQ(CallBench().begin().respond(503, after(901)).outcome(),
            "fails: server_error (time), sent answered, 1 attempt in 0 s, status 503, again in 901 s");
  EXPECT_EQ(CallBench().deadline_in(30s).begin().respond(503, after(30)).outcome(),
            "fails: server_error (time), sent answered, 1 attempt in 0 s, status 503, again in 30 s");
  EXPECT_EQ(CallBench().deadline_in(30s).begin().respond(503, after(31)).outcome(),
            "fails: server_error (time), sent answered, 1 attempt in 0 s, status 503, again in 31 s");
}

TEST(CallRejection, a_backoff_past_the_deadline_is_not_started) {
  for (const auto deadline : {500ms, 1000ms})
    EXPECT_EQ(CallBench().deadline_in(deadline).begin().respond(500).outcome(),
              "fails: server_error (time), sent answered, 1 attempt in 0 s, status 500, again in 1 s");
}

TEST(CallRejection, a_huge_retry_after_does_not_overflow) {
  for (const int status : {429, 503})
    for (const auto* text :
         {"99999999999999999999", "2147483648", "9223372036", "9223372037", "1e30", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
      CallBench bench;
      if (bench.begin().respond(status, dated(text)).waits_now()) {
        EXPECT_EQ(bench.wait(), 1s) << text;
        continue;
      }
      ASSERT_TRUE(bench.failed()) << text;
      EXPECT_EQ(bench.error().stopped_because(), StopReason::time) << text;
      EXPECT_GT(bench.error().retry_at(), bench_wall_begin + 24h) << text;
    }
}

TEST(CallRejection, an_infinite_wait_is_not_started_even_without_limits) {
  for (const int status : {429, 503}) {
    CallBench bench;
    bench.context.quota.max_wait = Duration::max();
    bench.context.retry.give_up_after = Duration::max();
    ASSERT_TRUE(bench.begin().respond(status, dated("99999999999999999999")).failed()) << status;
    EXPECT_EQ(bench.error().retry_at(), WallTime::max()) << status;
  }
}

TEST(CallRejection, with_when_exhausted_fail_a_rejection_fails_at_once) {
  CallBench bench;
  bench.context.quota.when_exhausted = noun::WhenExhausted::fail;
  EXPECT_EQ(bench.begin().respond(429, after(5)).outcome(),
            "fails: rate_limited (time), sent answered, 1 attempt in 0 s, status 429, again in 5 s");
}

TEST(CallRejection, a_403_is_a_rejection_only_if_the_quota_is_exhausted) {
  CallBench bench(Method::post);
  bench.context.dialect.limited_if_exhausted = {403};
  EXPECT_EQ(bench.begin().respond(403, {{"X-RateLimit-Remaining", 0}, {"Retry-After", 9}}).wait(), 9s);
  EXPECT_EQ(bench.wake().respond(403).outcome(),
            "fails: forbidden (permanent), sent answered, 2 attempts in 9 s, status 403");
  EXPECT_TRUE(bench.begin().respond(403, {{"X-RateLimit-Remaining", 0}}).waits_now());
  EXPECT_EQ(CallBench().begin().respond(403, after(9)).error().code(), Errc::forbidden);
  bench.context.gate = CallBench().context.gate;
  EXPECT_EQ(bench.begin().respond(403, after(9)).outcome(), "waits 9 s (retry_after)");
}

TEST(CallRejection, an_early_wake_sends_nothing_and_the_wait_is_one_event) {
  CallBench bench;
  EXPECT_TRUE(bench.begin().respond(429, after(30)).wake(10s).wake(19999ms).wake(1ms).sends());
  const auto event = bench.only_event(noun::EventKind::retrying);
  EXPECT_EQ(event.reason, WaitReason::retry_after);
  EXPECT_EQ(event.wait, 30s);
  EXPECT_EQ(event.until, bench_wall_begin + 30s);
  EXPECT_EQ(bench.waits, (Waits{30s, 20s, 1ms}));
}

}  // namespace call_rejection_test
}  // namespace call_test
