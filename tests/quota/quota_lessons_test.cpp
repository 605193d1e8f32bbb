// What a quota policy infers besides its count: concurrency, costs of requests, consumption of other clients, and
// window lengths.
#include <gtest/gtest.h>

#include <vector>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace quota_lessons_test {

// Secondary limits.

TEST(Admission, a_rejection_with_permits_left_halves_what_may_be_in_flight) {
  QuotaBench bench;
  bench.exchange(reported(90, 60s));
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 8; ++i) requests.push_back(bench.go());
  bench.respond(requests.back(), rejected_for(5s, reported(80, 60s)));
  requests.pop_back();
  for (const auto& request : requests) bench.respond(request, reported(80, 60s));
  bench.now = 5s;
  bench.exchange(reported(79, 55s));
  for (int i = 0; i < 4; ++i) bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(Admission, a_window_without_such_a_rejection_admits_one_more) {
  QuotaBench bench;
  bench.exchange(reported(90, 60s));
  const auto other = bench.go();
  bench.respond(bench.go(), rejected_for(1s, reported(80, 60s)));
  bench.respond(other, reported(79, 60s));
  bench.now = 1s;
  bench.exchange(reported(78, 59s));
  bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  QuotaBench after_a_window = bench;
  after_a_window.now = 61s;
  after_a_window.exchange(reported(99, 60s));
  after_a_window.go();
  EXPECT_EQ(after_a_window.hold(), "concurrency 1000") << "one is still in flight";
}

TEST(Admission, a_rejection_with_nothing_left_does_not_limit_concurrency) {
  QuotaBench bench;
  bench.exchange(reported(2, 5s));
  const auto first = bench.go();
  bench.respond(bench.go(), rejected_for(5s, reported(0, 5s)));
  bench.respond(first, reported(0, 5s));
  bench.now = 5s;
  bench.exchange(reported(99, 60s));
  for (int i = 0; i < 50; ++i) bench.go();
}

// Waits that the dialect defines.

TEST(Admission, a_rejection_without_a_report_waits_for_the_dialects_default) {
  QuotaBench bench;
  bench.exchange(bare());
  Report report = rejected();
  report.default_wait = 30s;
  bench.exchange(report);
  EXPECT_EQ(bench.hold(), "rejected 30000");
  bench.now = 30s;
  bench.exchange(report);
  EXPECT_EQ(bench.hold(), "rejected 60000");
  bench.now = 90s;
  bench.exchange(report);
  EXPECT_EQ(bench.hold(), "rejected 60000") << "no longer than a minute";
}

TEST(Admission, with_permits_left_the_dialects_wait_overrides_the_reset) {
  QuotaBench bench;
  bench.exchange(reported(90, 30s));
  Report report = rejected(reported(89, 30s));
  report.default_wait = 60s;
  bench.exchange(report);
  EXPECT_EQ(bench.hold(), "rejected 60000");
}

TEST(Admission, a_success_may_report_a_pause) {
  QuotaBench bench;
  Report report = reported(50, 60s);
  report.pause = 7s;
  bench.exchange(report);
  EXPECT_EQ(bench.acquire().reason, WaitReason::retry_after);
  EXPECT_EQ(bench.acquire().until, bench_begin + 7s);
  bench.now = 7s;
  bench.exchange(reported(49, 53s));
  EXPECT_EQ(bench.hold(), "admitted");
}

// Costs of requests.

TEST(Admission, the_last_permits_are_left_to_requests_that_fit) {
  QuotaBench bench;
  const auto acquire = [&](noun::quota::RouteKey route) { return bench.acquire({.route = route}); };
  for (const std::int64_t left : {80, 70, 60, 7}) {
    const auto decision = acquire(5);
    ASSERT_TRUE(decision.admitted);
    bench.respond({decision.sending}, reported(left, 5s));
  }
  EXPECT_FALSE(acquire(5).admitted) << "ten each, and seven are left";
  EXPECT_TRUE(acquire(6).admitted);
}

TEST(Admission, consumption_of_other_clients_is_counted) {
  QuotaBench bench;
  bench.exchange(reported(50, 60s));
  bench.exchange(reported(44, 60s));
  bench.exchange(reported(43, 60s));
  EXPECT_EQ(bench.snapshot(0s).foreign, 5U);
}

TEST(Admission, a_caller_whose_requests_all_fit_is_not_held_to_measure) {
  QuotaBench bench;
  bench.patient_until = Instant::max();
  // A window that a call waited for, with little left: it will be used up.
  bench.exchange(reported(0, 5s));
  EXPECT_EQ(bench.hold(), "quota 5000");
  bench.now = 5s;
  bench.exchange(reported(4, 5s));
  ASSERT_EQ(bench.acquire().reason, WaitReason::reset_probe);
  EXPECT_TRUE(bench.acquire({.patient_until = Instant::max(), .demand = 2}).admitted);
}

// Holds that must end, and forecasts that must not promise too much.

TEST(Admission, our_own_count_does_not_override_consumption_of_other_clients) {
  QuotaBench bench;
  bench.exchange(reported(99, 60s));  // all requests of the window are ours
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 16; ++i) requests.push_back(bench.go());
  bench.respond(requests.front(), reported(10, 60s));  // another client took most of it
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(Admission, a_cost_above_what_is_left_does_not_hold_forever) {
  QuotaBench bench;
  for (const std::int64_t left : {10, 7, 4, 1}) bench.exchange(reported(left));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 1s;
  EXPECT_EQ(bench.hold(), "admitted") << "a probe is sent";
}

TEST(Admission, a_reserve_without_a_reset_is_left_to_interactive_calls) {
  QuotaBench bench;
  bench.policy.reserve = 10;
  bench.exchange(reported(10));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 1s;
  EXPECT_EQ(bench.hold(), "quota 1000");
  EXPECT_EQ(bench.hold(noun::Priority::interactive), "admitted");
  bench.now = 59500ms;
  EXPECT_EQ(bench.hold(), "quota 500");
  bench.now = 60s;
  const auto sent = bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000") << "one learns whether the window has ended";
  bench.respond(sent, reported(9));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 120s;
  bench.exchange(reported(99));
  for (int i = 0; i < 89; ++i) bench.go();
}

TEST(Admission, a_count_that_is_no_longer_reported_is_forgotten) {
  QuotaBench bench;
  bench.exchange(reported(2));
  bench.exchange(bare());
  bench.exchange(bare());
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 1s;
  for (int probe = 0; probe < 3; ++probe) {
    bench.exchange(bare());
    bench.now += 4s;
  }
  for (int i = 0; i < 16; ++i) bench.go();
}

TEST(Admission, a_request_that_may_have_been_counted_takes_its_cost) {
  QuotaBench bench;
  for (const std::int64_t left : {100, 90, 80, 70}) bench.exchange(reported(left, 60s));
  bench.respond(bench.go(), dropped());
  EXPECT_EQ(bench.remaining(), 60);
}

TEST(Admission, an_older_rejection_shortens_no_pause) {
  QuotaBench bench;
  bench.exchange(reported(50, 60s));
  const auto late = bench.go();
  Report report = reported(48, 60s);
  report.pause = 30s;
  bench.exchange(report);
  bench.respond(late, rejected_for(1s));
  EXPECT_EQ(bench.acquire().until, bench_begin + 30s);
}

TEST(Admission, idle_windows_give_no_period) {
  QuotaBench bench;
  bench.exchange(reported(99, 60s));
  bench.now = 30min;
  bench.exchange(reported(99, 60s));
  EXPECT_EQ(bench.forecast(99, bench.now).wait, 0s);
  EXPECT_EQ(bench.forecast(150, bench.now).wait, 60s);
  EXPECT_FALSE(bench.forecast(350, bench.now).wait);
}

TEST(Admission, a_pause_is_not_the_end_of_a_window) {
  QuotaBench bench;
  bench.exchange(reported(90, 60s));
  bench.exchange(rejected_for(5s, reported(80, 60s)));
  const auto fits = bench.forecast(50);
  EXPECT_EQ(fits.renewals, 0U);
  EXPECT_EQ(fits.wait, 5s);
  EXPECT_EQ(bench.forecast(150).wait, 60s);
}

}  // namespace quota_lessons_test
}  // namespace quota_tests
