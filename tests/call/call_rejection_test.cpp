// 429: waiting as long as the service says, or by the call's own doubling; and Retry-After in all its forms.
#include "call/call_fixture.hpp"

namespace call_test {
namespace call_rejection_test {

using Waits = std::vector<Duration>;
using noun::EventKind;

/// Retry-After on an answer whose Date is the bench's begin, though the client's own clock is a day off.
noun::Headers told(std::string_view retry_after) { return {{"Date", date_at_begin}, {"Retry-After", retry_after}}; }

struct Form {
  std::string_view text;
  Duration wait;
};
constexpr Form readable_forms[] = {
    {"30", 30s},
    {" 7 ", 7s},
    {"1.5", 1500ms},
    {"Tue, 14 Nov 2023 22:14:05 GMT", 45s},
    {"Tuesday, 14-Nov-23 22:14:05 GMT", 45s},
    {"Tue Nov 14 22:14:05 2023", 45s},
};

TEST(CallRejection, retry_after_is_obeyed_to_the_nanosecond_in_every_form_on_429_and_503) {
  for (const int status : {429, 503})
    for (const auto& form : readable_forms) {
      CallBench bench;
      bench.now.wall += 24h;
      bench.environment.retry.jitter = 1;
      bench.begin().answer(status, told(form.text));
      ASSERT_TRUE(bench.waits_now()) << status << " " << form.text << ": " << bench.message();
      EXPECT_EQ(bench.wait(), form.wait) << status << " " << form.text;
      EXPECT_EQ(bench.reason(), WaitReason::retry_after) << status << " " << form.text;
      EXPECT_TRUE(bench.wake().sends()) << status << " " << form.text;
    }
}

TEST(CallRejection, a_retry_after_that_cannot_be_read_is_as_if_absent) {
  for (const int status : {429, 503})
    for (const std::string_view text : {"-5", "", "abc", "inf", "nan", "Tue, 99 Nov 2023 22:14:05 GMT"}) {
      CallBench bench;
      bench.begin().answer(status, told(text));
      EXPECT_EQ(bench.wait(), 1s) << status << " \"" << text << "\"";
    }
}

TEST(CallRejection, a_dated_retry_after_in_the_past_means_at_once) {
  CallBench bench;
  bench.begin().answer(503, told("Tue, 14 Nov 2023 22:00:00 GMT"));
  EXPECT_EQ(bench.wait(), 0s);
}

TEST(CallRejection, without_retry_after_the_call_doubles_from_one_second) {
  CallBench bench;
  bench.begin();
  for (int rejection = 0; rejection < 8; ++rejection) bench.answer(429).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}));
  EXPECT_TRUE(bench.sends());
}

TEST(CallRejection, it_uses_up_neither_attempts_nor_budget_nor_give_up_after) {
  CallBench bench(Method::post);
  bench.environment.retry = {.max_attempts = 1, .jitter = 0, .give_up_after = 0s};
  bench.environment.budget = std::make_shared<noun::BudgetAccount>(noun::RetryBudget{.capacity = 0});
  bench.begin();
  for (int rejection = 0; rejection < 20; ++rejection) bench.answer(429, {{"Retry-After", 60}}).wake();
  bench.answer(201);
  EXPECT_TRUE(bench.succeeded());
  EXPECT_EQ(bench.attempts(), 21);
}

TEST(CallRejection, faults_and_rejections_are_doubled_apart) {
  CallBench bench;
  bench.begin().answer(503).wake().answer(429).wake().answer(503).wake().answer(429).wake();
  EXPECT_EQ(bench.waits, (Waits{1s, 1s, 2s, 2s}));
}

TEST(CallRejection, retry_after_zero_for_ever_is_no_loop_without_a_pause) {
  CallBench bench;
  bench.begin();
  int without_pause = 0;
  int sent = 0;
  while (!bench.is_done()) {
    ++sent;
    ASSERT_LT(sent, 200);
    bench.answer(429, {{"Retry-After", 0}});
    if (bench.waits_now() && bench.wait() == 0s) ++without_pause;
    while (bench.waits_now()) bench.wake();
  }
  EXPECT_EQ(without_pause, 1);
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
  EXPECT_LE(bench.error().elapsed(), 2h);
}

TEST(CallRejection, retry_after_zero_on_503_for_ever_ends_with_the_attempts) {
  CallBench bench;
  bench.begin();
  while (!bench.is_done()) {
    bench.answer(503, {{"Retry-After", 0}});
    while (bench.waits_now()) bench.wake();
  }
  EXPECT_EQ(bench.attempts(), 5);
}

TEST(CallRejection, one_that_does_not_fit_max_wait_fails_at_once_with_retry_at) {
  CallBench bench;
  bench.begin().answer(429, {{"Retry-After", 7201}});
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
  EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + 7201s);
  EXPECT_EQ(bench.error().status(), 429);
  EXPECT_EQ(bench.now.steady, bench_begin);
}

TEST(CallRejection, one_that_just_fits_max_wait_is_waited_for) {
  CallBench bench;
  bench.begin().answer(429, {{"Retry-After", 7200}});
  EXPECT_EQ(bench.wait(), 2h);
  bench.wake().answer(429, {{"Retry-After", 1}});
  EXPECT_TRUE(bench.failed());
}

TEST(CallRejection, max_wait_is_for_the_whole_call_and_not_for_each_wait) {
  CallBench bench;
  bench.environment.quota.max_wait = 100s;
  bench.begin().answer(429, {{"Retry-After", 60}}).wake().answer(429, {{"Retry-After", 41}});
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().retry_at(), bench.now.wall + 41s);
  EXPECT_EQ(bench.error().attempts(), 2);
}

TEST(CallRejection, one_that_does_not_fit_the_deadline_fails_at_once_with_retry_at) {
  for (const auto wait : {31, 30}) {
    CallBench bench;
    bench.request.deadline = bench_begin + 30s;
    bench.begin().answer(429, {{"Retry-After", wait}});
    ASSERT_TRUE(bench.failed()) << wait;
    EXPECT_EQ(bench.error().code(), Errc::rate_limited) << wait;
    EXPECT_EQ(bench.error().stopped_because(), StopReason::time) << wait;
    EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + std::chrono::seconds(wait)) << wait;
  }
  CallBench fits;
  fits.request.deadline = bench_begin + 30s;
  fits.begin().answer(429, {{"Retry-After", 29}});
  EXPECT_EQ(fits.wait(), 29s);
}

TEST(CallRejection, a_503_that_does_not_fit_fails_at_once_with_retry_at) {
  struct Case {
    int wait;
    Instant deadline;
  };
  for (const auto& one : {Case{901, Instant::max()}, Case{31, bench_begin + 30s}, Case{30, bench_begin + 30s}}) {
    CallBench bench;
    bench.request.deadline = one.deadline;
    bench.begin().answer(503, {{"Retry-After", one.wait}});
    ASSERT_TRUE(bench.failed()) << one.wait;
    EXPECT_EQ(bench.error().code(), Errc::server_error) << one.wait;
    EXPECT_EQ(bench.error().stopped_because(), StopReason::time) << one.wait;
    EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + std::chrono::seconds(one.wait)) << one.wait;
  }
}

TEST(CallRejection, a_backoff_that_does_not_fit_the_deadline_is_not_begun) {
  for (const auto deadline : {500ms, 1000ms}) {
    CallBench bench;
    bench.request.deadline = bench_begin + deadline;
    bench.begin().answer(500);
    ASSERT_TRUE(bench.failed());
    EXPECT_EQ(bench.error().stopped_because(), StopReason::time);
    EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + 1s);
  }
}

TEST(CallRejection, an_absurd_retry_after_overflows_nothing) {
  for (const int status : {429, 503})
    for (const auto* text :
         {"99999999999999999999", "2147483648", "9223372036", "9223372037", "1e30", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
      CallBench bench;
      bench.begin().answer(status, told(text));
      if (bench.waits_now()) {
        EXPECT_EQ(bench.wait(), 1s) << text;
        continue;
      }
      ASSERT_TRUE(bench.failed()) << text;
      EXPECT_EQ(bench.error().stopped_because(), StopReason::time) << text;
      EXPECT_GT(bench.error().retry_at(), bench_wall_begin + 24h) << text;
    }
}

TEST(CallRejection, an_infinite_wait_is_not_begun_even_where_nothing_limits_it) {
  for (const int status : {429, 503}) {
    CallBench bench;
    bench.environment.quota.max_wait = Duration::max();
    bench.environment.retry.give_up_after = Duration::max();
    bench.begin().answer(status, told("99999999999999999999"));
    ASSERT_TRUE(bench.failed()) << status;
    EXPECT_EQ(bench.error().retry_at(), WallTime::max()) << status;
  }
}

TEST(CallRejection, a_call_that_is_not_to_wait_fails_at_once_with_retry_at) {
  CallBench bench;
  bench.environment.quota.when_exhausted = noun::WhenExhausted::fail;
  bench.begin().answer(429, {{"Retry-After", 5}});
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::rate_limited);
  EXPECT_EQ(bench.error().retry_at(), bench_wall_begin + 5s);
}

TEST(CallRejection, the_dialects_spelling_of_it_needs_the_dialects_words) {
  CallBench bench(Method::post);
  bench.environment.dialect.limited_if_exhausted = {403};
  bench.begin().answer(403, {{"X-RateLimit-Remaining", 0}, {"Retry-After", 9}});
  EXPECT_EQ(bench.wait(), 9s);
  bench.wake().answer(403);
  ASSERT_TRUE(bench.failed());
  EXPECT_EQ(bench.error().code(), Errc::forbidden);
  CallBench by_count;
  by_count.environment.dialect.limited_if_exhausted = {403};
  EXPECT_TRUE(by_count.begin().answer(403, {{"X-RateLimit-Remaining", 0}}).waits_now());
}

TEST(CallRejection, the_wait_is_told_once_with_its_reason_and_end) {
  CallBench bench;
  bench.begin().answer(429, {{"Retry-After", 30}}).wake(10s).wake(10s).wake(10s);
  EXPECT_TRUE(bench.sends());
  const auto told_waits = bench.events_of(EventKind::retrying);
  ASSERT_EQ(told_waits.size(), 1U);
  EXPECT_EQ(told_waits[0].reason, WaitReason::retry_after);
  EXPECT_EQ(told_waits[0].wait, 30s);
  EXPECT_EQ(told_waits[0].until, bench_wall_begin + 30s);
  EXPECT_EQ(bench.waits, (Waits{30s, 20s, 10s}));
}

TEST(CallRejection, an_early_wake_does_not_send_early) {
  CallBench bench;
  bench.begin().answer(429, {{"Retry-After", 30}}).wake(29s + 999ms);
  EXPECT_TRUE(bench.waits_now());
  EXPECT_EQ(bench.wait(), 1ms);
}

}  // namespace call_rejection_test
}  // namespace call_test
