// One quota policy after a rejection, case by case: until when it holds, and what ends the hold.
#include <gtest/gtest.h>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace quota_rejections_test {

TEST(QuotaRejections, retry_after_replaces_a_reset_that_is_later) {
  QuotaBench bench;
  bench.exchange(rejected_for(3s, reported(0, 60s)));
  EXPECT_EQ(bench.hold(), "rejected 3000");
  bench.now = 3s;
  bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
}

TEST(QuotaRejections, retry_after_replaces_a_reset_that_is_earlier) {
  QuotaBench bench;
  bench.exchange(rejected_for(30s, reported(0, 5s)));
  EXPECT_EQ(bench.hold(), "rejected 30000");
}

TEST(QuotaRejections, without_retry_after_a_rejection_holds_until_the_reset) {
  QuotaBench bench;
  bench.exchange(rejected(reported(0, 5s)));
  EXPECT_EQ(bench.hold(), "rejected 5000");
  bench.now = 5s;
  bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
}

TEST(QuotaRejections, a_reset_that_was_waited_for_in_vain_is_no_reason_to_wait_less_than_the_doubling) {
  for (const std::int64_t remaining : {0, 3}) {
    SCOPED_TRACE(remaining);
    QuotaBench bench;
    for (const int seconds : {2, 2, 4, 8, 16, 32, 60, 60}) {
      bench.exchange(rejected(reported(remaining, 2s)));
      EXPECT_EQ(bench.hold(), "rejected " + std::to_string(seconds * 1000));
      bench.now += std::chrono::seconds(seconds);
    }
    bench.exchange(reported(0, 2s));
    EXPECT_EQ(bench.hold(), "quota 2000");
    bench.now += 2s;
    bench.exchange(rejected(reported(remaining, 1s)));
    EXPECT_EQ(bench.hold(), "rejected 1000") << "a success ends the doubling, even if nothing remains";
  }
}

TEST(QuotaRejections, without_both_the_hold_doubles_once_per_rejected_probe_up_to_a_minute) {
  QuotaBench bench;
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    bench.exchange(rejected());
    EXPECT_EQ(bench.hold(), "rejected " + std::to_string(seconds * 1000));
    bench.now += std::chrono::seconds(seconds);
  }
  for (int i = 0; i < 100; ++i) {
    bench.exchange(rejected());
    EXPECT_EQ(bench.hold(), "rejected 60000");
    bench.now += 60s;
  }
  bench.exchange(bare());
  bench.exchange(rejected());
  EXPECT_EQ(bench.hold(), "rejected 1000");
}

TEST(QuotaRejections, rejections_of_requests_sent_before_the_hold_count_as_one) {
  QuotaBench bench;
  bench.exchange(bare());
  const auto first = bench.go();
  const auto second = bench.go();
  const auto third = bench.go();
  bench.respond(first, rejected());
  bench.now = 500ms;
  bench.respond(second, rejected());
  EXPECT_EQ(bench.hold(), "rejected 500");
  bench.respond(third, rejected_for(10s));
  EXPECT_EQ(bench.hold(), "rejected 10000");
  EXPECT_EQ(bench.snapshot(0s).rejected, 3U);
}

TEST(QuotaRejections, the_longest_of_several_retry_afters_counts) {
  QuotaBench bench;
  bench.exchange(bare());
  const auto first = bench.go();
  const auto second = bench.go();
  bench.respond(first, rejected_for(10s));
  bench.respond(second, rejected_for(2s));
  EXPECT_EQ(bench.hold(), "rejected 10000");
}

TEST(QuotaRejections, a_rejection_after_remaining_zero_still_holds_for_its_retry_after) {
  QuotaBench bench;
  bench.exchange(reported(2));
  const auto first = bench.go();
  const auto second = bench.go();
  bench.respond(first, reported(0));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.respond(second, rejected_for(500ms));
  EXPECT_EQ(bench.hold(), "rejected 500");
}

TEST(QuotaRejections, a_late_success_does_not_end_a_hold_for_a_rejection) {
  QuotaBench bench;
  bench.exchange(reported(5, 2s));
  const auto first = bench.go();
  const auto second = bench.go();
  bench.respond(first, rejected_for(10s));
  bench.respond(second, reported(99, 60s));
  EXPECT_EQ(bench.hold(), "rejected 10000");
  EXPECT_EQ(bench.remaining(), std::nullopt);
}

TEST(QuotaRejections, the_rejected_one_of_two_probes_closes_and_the_next_probe_waits_for_neither) {
  QuotaBench bench;
  const auto first = bench.go();
  bench.now = 1s;
  bench.go();
  bench.respond(first, rejected_for(500ms));
  bench.now = 1500ms;
  bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
}

TEST(QuotaRejections, permits_left_are_distrusted_from_a_rejection_to_the_next_success) {
  QuotaBench bench;
  bench.exchange(reported(50, 30s));
  bench.exchange(rejected_for(2s, reported(49, 30s)));
  EXPECT_EQ(bench.remaining(), std::nullopt);
  bench.now = 2s;
  const auto probe = bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
  bench.respond(probe, reported(48, 28s));
  EXPECT_EQ(bench.remaining(), 48);
}

TEST(QuotaRejections, after_a_rejection_a_success_without_remaining_makes_the_quota_unlimited) {
  QuotaBench bench;
  bench.exchange(rejected_for(2s, reported(0, 30s)));
  bench.now = 2s;
  bench.exchange(bare());
  EXPECT_EQ(bench.remaining(), std::nullopt);
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(QuotaRejections, a_retry_after_of_zero_is_obeyed_once) {
  QuotaBench bench;
  bench.exchange(rejected_for(0s));
  bench.exchange(rejected_for(0s));
  EXPECT_EQ(bench.hold(), "rejected 1000");
}

TEST(QuotaRejections, after_a_rejected_probe_the_hold_is_at_least_the_backoff) {
  QuotaBench bench;
  for (const auto held : {10ms, 1000ms, 2000ms, 4000ms}) {
    bench.exchange(rejected_for(10ms, reported(0, 3600s)));
    EXPECT_EQ(bench.hold(), "rejected " + std::to_string(held.count()));
    bench.now += held;
  }
  bench.exchange(rejected_for(20s));
  EXPECT_EQ(bench.hold(), "rejected 20000");
}

TEST(QuotaRejections, a_rejection_of_a_request_sent_before_the_reset_does_not_affect_the_new_window) {
  QuotaBench bench;
  bench.exchange(reported(2, 2s));
  const auto late = bench.go();
  bench.now = 2s;
  bench.exchange(reported(99, 60s));
  bench.now = 2100ms;
  bench.respond(late, rejected_for(10s));
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(QuotaRejections, a_stale_rejection_does_not_lengthen_a_hold) {
  QuotaBench bench;
  bench.exchange(reported(2, 2s));
  const auto late = bench.go();
  bench.now = 2s;
  bench.exchange(reported(99, 60s));
  bench.exchange(rejected_for(3s, reported(0, 60s)));
  bench.respond(late, rejected_for(10s, reported(0, 0s)));
  EXPECT_EQ(bench.hold(), "rejected 3000");
}

TEST(QuotaRejections, retry_after_on_503_does_not_affect_the_quota) {
  QuotaBench bench;
  Report busy = reported(50, 30s);
  busy.retry_after = 20s;
  bench.exchange(busy);
  EXPECT_EQ(bench.hold(), "admitted");
}

/// A rejection whose fields report a limit, nothing left, and a reset.
Report rejected_by(std::optional<std::int64_t> limit, Duration resets_in) {
  Report report = rejected(reported(0, resets_in));
  report.limit = limit;
  return report;
}

TEST(QuotaRejections, another_limit_than_that_of_the_successes_holds_until_its_own_reset) {
  QuotaBench bench;
  bench.exchange(reported(90, 50min));
  bench.exchange(rejected_by(10, 3s));
  EXPECT_EQ(bench.hold(), "rejected 3000");
  bench.now = 3s;
  bench.exchange(reported(89, 2997s));
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(QuotaRejections, another_limit_does_not_use_up_the_reported_window) {
  QuotaBench bench;
  bench.exchange(reported(90, 50min));
  bench.exchange(rejected_by(10, 3s));
  EXPECT_EQ(bench.snapshot(0s).limit, 100);
  EXPECT_EQ(bench.snapshot(0s).remaining, 89) << "the server may have counted the rejected request";
}

TEST(QuotaRejections, another_limit_is_inferred_from_its_rejections) {
  QuotaBench bench;
  int served = 0;
  int rejections = 0;
  Duration window_began = -10s;
  int in_window = 0;
  for (bench.now = 0s; bench.now < 300s; bench.now += 10ms) {
    const auto acquired = bench.acquire();
    if (!acquired.admitted) continue;
    if (bench.now >= window_began + 3s) {
      window_began = bench.now;
      in_window = 0;
    }
    const bool serves = in_window < 10;
    if (serves) ++in_window;
    ++(serves ? served : rejections);
    const Duration left = window_began + 3s - bench.now;
    Report report = serves ? reported(100'000 - served, 3000s - bench.now) : rejected_by(10, left);
    if (serves) report.limit = 100'000;
    bench.respond({acquired.sending}, report);
  }
  EXPECT_GE(served, 900) << rejections;
  EXPECT_LE(rejections, 20);
}

TEST(QuotaRejections, a_window_that_ends_earlier_than_the_reported_one_has_the_same_effect_without_a_limit) {
  QuotaBench bench;
  bench.exchange(reported(90, 50min));
  bench.exchange(rejected_by({}, 3s));
  EXPECT_EQ(bench.hold(), "rejected 3000");
}

TEST(QuotaRejections, a_limit_of_zero_is_one_of_requests_in_flight) {
  QuotaBench bench;
  bench.exchange(reported(90, 10s));
  const auto first = bench.go();
  const auto second = bench.go();
  bench.respond(second, rejected_by(0, 114s));
  EXPECT_EQ(bench.hold(), "rejected 1000");
  bench.respond(first, reported(89, 10s));
  bench.now = 1s;
  bench.exchange(reported(88, 9s));
  const auto third = bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(QuotaRejections, a_limit_of_zero_in_the_header_of_a_rejection_is_one_of_requests_in_flight) {
  HeaderBench bench;
  bench.exchange({{"X-RateLimit-Limit", 100}, {"X-RateLimit-Remaining", 90}, {"X-RateLimit-Reset", 60}});
  auto first = bench.acquire();
  bench.exchange({{"X-RateLimit-Limit", 0}, {"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 20}}, true);
  EXPECT_FALSE(bench.acquire());
  EXPECT_EQ(bench.held_until, 1s);
  bench.respond(std::move(first), {});
}

TEST(QuotaRejections, a_limit_of_zero_of_a_named_quota_is_one_of_requests_in_flight) {
  QuotaBench bench;
  auto report = reported(90, 60s);
  report.more = {further("conc", 5, 60s)};
  bench.exchange(report);
  const auto first = bench.go();
  report.more = {{.name = "conc", .limit = 0, .remaining = 0, .reset = noun::wire::ResetReading{.in = 20s, .at = {}}}};
  bench.exchange(rejected(report));
  EXPECT_EQ(bench.hold(), "rejected 1000");
  bench.respond(first, reported(88, 60s));
}

TEST(QuotaRejections, successes_with_a_limit_of_zero_report_nothing) {
  const noun::Headers disabled{{"X-RateLimit-Limit", 0}, {"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 60}};
  const noun::Headers named{{"RateLimit", R"("default";r=0;t=60)"}, {"RateLimit-Policy", R"("default";q=0;w=60)"}};
  for (const auto& headers : {disabled, named}) {
    HeaderBench bench;
    for (int i = 0; i < 9; ++i) bench.exchange(headers);
    EXPECT_TRUE(bench.acquire()) << "the limiter is disabled";
  }
}

TEST(QuotaRejections, retry_after_is_obeyed_also_if_the_request_was_sent_before_the_reset) {
  QuotaBench bench;
  bench.exchange(reported(50, 2s));
  bench.now = 1s;
  const auto late = bench.go();
  bench.now = 2500ms;
  bench.exchange(reported(99, 2s));
  bench.now = 2700ms;
  bench.respond(late, rejected_for(5s, reported(0, 1900ms)));
  EXPECT_EQ(bench.hold(), "rejected 5000");
}

}  // namespace quota_rejections_test
}  // namespace quota_tests
