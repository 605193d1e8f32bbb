// One quota policy, case by case: which requests are admitted or held, why, and until when.
#include "quota/partition.hpp"

#include <gtest/gtest.h>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace admission_test {

using noun::Priority;
using noun::WhenExhausted;

// Nothing is known.

TEST(Admission, while_nothing_is_known_one_is_sent_and_the_rest_hold) {
  QuotaBench bench;
  bench.go();
  EXPECT_EQ(bench.hold(), "first_response 1000");
}

TEST(Admission, the_first_response_admits_the_rest) {
  QuotaBench bench;
  bench.respond(bench.go(), reported(10, 5s));
  for (int i = 0; i < 10; ++i) bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(Admission, a_first_request_without_a_response_admits_another_every_second) {
  QuotaBench bench;
  bench.go();
  bench.now = 1s;
  bench.go();
  EXPECT_EQ(bench.hold(), "first_response 1000");
  bench.now = 1999ms;
  EXPECT_EQ(bench.hold(), "first_response 1");
  bench.now = 2s;
  bench.go();
}

TEST(Admission, first_requests_without_a_response_stay_within_in_flight_unknown) {
  QuotaBench bench;
  bench.policy.in_flight_unknown = 2;
  bench.go();
  bench.now = 1s;
  bench.go();
  bench.now = 2s;
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(Admission, a_server_without_rate_headers_is_limited_by_in_flight_unknown_only) {
  QuotaBench bench;
  bench.policy.in_flight_unknown = 3;
  bench.exchange(bare());
  const auto request = bench.go();
  bench.go();
  bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  bench.respond(request, bare());
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(Admission, an_in_flight_bound_of_zero_still_admits_one) {
  QuotaBench bench;
  bench.policy.in_flight_unknown = 0;
  bench.exchange(bare());
  bench.go();
}

TEST(Admission, a_first_request_that_is_dropped_or_released_admits_the_next_at_once) {
  QuotaBench bench;
  bench.respond(bench.go(), dropped());
  const auto request = bench.go();
  bench.partition.release(request.sending);
  EXPECT_EQ(bench.hold(), "admitted");
  EXPECT_EQ(bench.snapshot(0s).sent, 1U);
}

// Counting.

TEST(Admission, in_series_the_full_quota_is_spent_and_not_one_more) {
  QuotaBench bench;
  for (int left = 9; left >= 0; --left) {
    bench.exchange(reported(left, 5s));
    EXPECT_EQ(bench.remaining(), left);
  }
  EXPECT_EQ(bench.hold(), "quota 5000");
}

TEST(Admission, remaining_excludes_requests_in_flight) {
  QuotaBench bench;
  bench.exchange(reported(2, 5s));
  bench.go();
  EXPECT_EQ(bench.remaining(), 1);
  bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(Admission, the_last_permits_wait_for_responses_since_requests_in_flight_may_be_counted) {
  QuotaBench bench;
  bench.exchange(reported(3, 5s));
  const auto first = bench.go();
  const auto second = bench.go();
  bench.respond(second, reported(1, 5s));  // both were counted; only one is known to be
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  bench.respond(first, reported(2, 5s));
  bench.go();
  bench.now = 4999ms;
  EXPECT_EQ(bench.hold(), "concurrency 1");
}

TEST(Admission, a_dropped_connection_counts_as_spent_until_a_later_response) {
  QuotaBench bench;
  bench.exchange(reported(3, 5s));
  const auto early = bench.go();
  bench.respond(bench.go(), dropped());
  EXPECT_EQ(bench.remaining(), 1);
  bench.respond(early, reported(2, 5s));  // sent before the drop: it cannot show whether that was counted
  EXPECT_EQ(bench.remaining(), 1);
  bench.respond(bench.go(), reported(1, 5s));  // the drop was never counted
  EXPECT_EQ(bench.remaining(), 1);
}

TEST(Admission, the_reserve_is_kept_for_interactive_calls) {
  QuotaBench bench;
  bench.policy.reserve = 5;
  bench.exchange(reported(5, 5s));
  EXPECT_EQ(bench.hold(Priority::bulk), "quota 5000");
  EXPECT_EQ(bench.hold(Priority::normal), "quota 5000");
  for (int i = 0; i < 5; ++i) bench.go(Priority::interactive);
  EXPECT_EQ(bench.hold(Priority::interactive), "concurrency 1000");
}

TEST(Admission, a_negative_reserve_is_none) {
  QuotaBench bench;
  bench.policy.reserve = -5;
  bench.exchange(reported(0, 5s));
  EXPECT_EQ(bench.hold(), "quota 5000");
}

// The reset.

TEST(Admission, at_the_reset_one_probe_is_sent_and_its_response_admits_the_rest) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  bench.now = 5s;
  const auto probe = bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
  bench.now = 5100ms;
  bench.respond(probe, reported(99, 5s));
  for (int i = 0; i < 99; ++i) bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(Admission, a_probe_without_a_response_for_a_second_is_followed_by_another) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  bench.now = 5s;
  bench.go();
  bench.now = 6s;
  bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
}

TEST(Admission, a_window_that_was_not_used_up_is_probed_too) {
  QuotaBench bench;
  bench.exchange(reported(50, 5s));
  bench.now = 5s;
  bench.go();
  EXPECT_EQ(bench.hold(), "probe 1000");
}

TEST(Admission, a_response_from_the_new_window_opens_it_before_the_late_end) {
  QuotaBench bench;
  const auto request = bench.go();
  bench.now = 10ms;
  bench.respond(request, reported(1, 2s));
  const auto late = bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  bench.now = 1500ms;
  bench.respond(late, reported(99, 60s));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(Admission, three_probes_without_a_report_make_the_quota_unlimited) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  bench.now = 5s;
  for (int probe = 0; probe < 3; ++probe) {
    const auto request = bench.go();
    EXPECT_EQ(bench.hold(), "probe 1000") << "an error page without fields need not mean that the quota has gone";
    bench.respond(request, bare());
    bench.now += 2s;
  }
  EXPECT_EQ(bench.remaining(), std::nullopt);
  for (int i = 0; i < 16; ++i) bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

// Nothing remains, and no reset is reported.

TEST(Admission, remaining_zero_without_reset_is_probed_after_1_2_and_4_seconds) {
  QuotaBench bench;
  for (const int seconds : {1, 2, 4}) {
    bench.exchange(reported(0));
    EXPECT_EQ(bench.hold(), "quota " + std::to_string(seconds * 1000));
    bench.now += std::chrono::seconds(seconds);
  }
  bench.exchange(reported(99));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(Admission, the_wait_for_an_unreported_reset_counts_from_the_response) {
  QuotaBench bench;
  bench.exchange(reported(0));
  bench.now = 400ms;
  EXPECT_EQ(bench.hold(), "quota 600");
}

TEST(Admission, a_count_that_runs_out_without_response_or_reset_is_probed_after_a_second) {
  QuotaBench bench;
  bench.exchange(reported(1));
  const auto request = bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  bench.respond(request, dropped());
  EXPECT_EQ(bench.hold(), "quota 1000");
}

TEST(Admission, a_reset_in_the_past_is_none) {
  QuotaBench bench;
  bench.exchange(reported(0, 0s));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 1s;
  bench.exchange(reported(99, 0s));
  EXPECT_EQ(bench.remaining(), 99);
  bench.go();
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(Admission, a_last_permit_with_a_response_after_the_reset_leaves_no_wait) {
  QuotaBench bench;
  bench.exchange(reported(1, 2s));
  const auto last = bench.go();
  bench.now = 2s;
  bench.respond(last, reported(0, 0s));
  EXPECT_EQ(bench.hold(), "admitted");
}

// Snapshots.

TEST(Admission, the_snapshot_shows_limit_remaining_and_reset) {
  QuotaBench bench;
  bench.exchange(reported(42, 5s));
  bench.go();
  const auto snapshot = bench.snapshot(2s);
  EXPECT_EQ(snapshot.limit, 100);
  EXPECT_EQ(snapshot.remaining, 41);
  ASSERT_TRUE(snapshot.resets_in);
  EXPECT_NEAR(static_cast<double>(snapshot.resets_in->count()), 3e9, 1e5);
  EXPECT_EQ(snapshot.in_flight, 1U);
  EXPECT_EQ(snapshot.sent, 1U);
  const auto later = bench.snapshot(6s);
  EXPECT_EQ(later.limit, 100);
  EXPECT_EQ(later.remaining, std::nullopt);
  EXPECT_EQ(later.resets_in, std::nullopt);
}

TEST(Admission, remaining_is_never_shown_below_zero) {
  QuotaBench bench;
  bench.exchange(reported(2, 5s));
  bench.go();
  const auto request = bench.go();
  bench.respond(request, reported(0, 5s));
  EXPECT_EQ(bench.remaining(), 0);
}

// The last permits of a window that will be used up.

QuotaBench pressed_bench() {
  QuotaBench bench;
  bench.exchange(reported(0, 10s));
  EXPECT_EQ(bench.hold(), "quota 10000");
  bench.now = 10s;
  bench.exchange(reported(30, 10s));
  return bench;
}

TEST(Admission, a_patient_call_holds_a_last_permit_back_for_a_tick) {
  auto bench = pressed_bench();
  bench.patient_until = Instant::max();
  EXPECT_EQ(bench.hold(), "reset_probe 32");  // a second is searched in 31 steps
  bench.now += 33ms;
  const auto request = bench.go();
  EXPECT_EQ(bench.hold(), "reset_probe 31");
  bench.now += 1ms;
  bench.respond(request, reported(29, 9s));  // the second has changed: the reset lies within some 30 ms
  EXPECT_EQ(bench.snapshot().resets_in, 9s);
  EXPECT_EQ(bench.hold(), "reset_probe 983");  // measured again in the next second, more exactly
}

TEST(Admission, the_end_measured_in_one_window_saves_the_search_in_the_next) {
  auto bench = pressed_bench();
  bench.patient_until = Instant::max();
  bench.hold();
  bench.now += 33ms;
  bench.respond(bench.go(), reported(0, 9s));
  EXPECT_EQ(bench.hold(), "quota 9000");
  bench.now += 9s;
  bench.exchange(reported(30, 10s));
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(Admission, a_call_that_cannot_wait_for_the_tick_is_sent_at_once) {
  auto bench = pressed_bench();
  EXPECT_EQ(bench.hold(), "admitted");
  bench.patient_until = bench_begin + bench.now + 10ms;
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(Admission, interactive_calls_and_clients_that_fail_when_exhausted_do_not_wait_for_ticks) {
  auto bench = pressed_bench();
  bench.patient_until = Instant::max();
  EXPECT_EQ(bench.hold(Priority::interactive), "admitted");
  bench.policy.when_exhausted = WhenExhausted::fail;
  EXPECT_EQ(bench.hold(), "admitted");
}

TEST(Admission, without_demand_in_the_previous_window_no_permit_is_held_back) {
  QuotaBench bench;
  bench.exchange(reported(0, 10s));
  bench.now = 10s;
  bench.exchange(reported(30, 10s));
  bench.patient_until = Instant::max();
  EXPECT_EQ(bench.hold(), "admitted");
}

// Guesses.

TEST(Admission, a_guess_that_may_have_used_the_permit_of_a_request_in_flight_is_not_proven) {
  const auto after_one_that_was_served = [](bool in_flight) {
    QuotaBench bench;
    for (int i = 0; i < 8; ++i, bench.now += 1s) bench.exchange(reported(50 + 2 * i));
    bench.exchange(reported(1));
    const auto other = bench.go();
    if (!in_flight) bench.respond(other, reported(0));
    bench.now += 2s;
    bench.respond(bench.go(), reported(0));
    if (in_flight) bench.respond(other, reported(0));
    bench.now += 2s;
    bench.go();
    return bench.hold();
  };
  EXPECT_EQ(after_one_that_was_served(true), "probe 1000");
  EXPECT_EQ(after_one_that_was_served(false), "admitted");
}

TEST(Admission, a_guess_before_the_reset_waits_for_the_requests_in_flight_whose_permit_it_might_use) {
  QuotaBench bench;
  refill_three_each_second(bench);
  bench.exchange(reported(1, 20s));
  const auto other = bench.go();
  bench.now += 2s;
  EXPECT_EQ(bench.hold(), "probe 1000");
  bench.respond(other, reported(0, 20s));
  bench.now += 1s;
  EXPECT_EQ(bench.hold(), "admitted");
}

// Inference switched on and off.

TEST(Admission, only_inference_ends_a_rejection_of_a_sliding_counter_before_the_reset) {
  const auto hold = [](noun::Inference inference) {
    QuotaBench bench;
    bench.policy.inference = inference;
    for (int left = 99; left >= 0; --left) bench.exchange(reported(left, 10s));
    bench.now = 10s;
    bench.exchange(rejected(reported(0, 10s)));  // all of the previous window is still counted
    return bench.hold();
  };
  EXPECT_EQ(hold(noun::Inference::reported_only), "rejected 10000");
  EXPECT_EQ(hold(noun::Inference::full), "rejected 1000");
}

TEST(Admission, a_rejection_by_another_limit_than_a_sliding_counter_is_not_ended_by_its_refill) {
  QuotaBench bench;
  for (int left = 99; left >= 0; --left) bench.exchange(reported(left, 10s));
  bench.now = 10s;
  bench.exchange(rejected(reported(0, 10s)));  // all of the previous window is still counted
  bench.now = 15s;
  bench.exchange(reported(48, 5s));  // half of it
  bench.exchange(rejected(reported(40, 5s)));
  EXPECT_EQ(bench.hold(), "rejected 5000");
}

TEST(Admission, reported_only_obeys_the_reset_whatever_the_levels) {
  const auto hold = [](noun::Inference inference) {
    QuotaBench bench;
    bench.policy.inference = inference;
    refill_three_each_second(bench);
    bench.exchange(reported(0, 20s));
    return bench.hold();
  };
  EXPECT_EQ(hold(noun::Inference::reported_only), "quota 19000");
  EXPECT_EQ(hold(noun::Inference::full), "quota 500");
}

TEST(Admission, reported_only_infers_no_costs_and_holds_no_permit_back) {
  QuotaBench bench;
  bench.policy.inference = noun::Inference::reported_only;
  for (const std::int64_t left : {80, 70, 60, 7}) bench.exchange(reported(left, 5s));
  for (int i = 0; i < 7; ++i) bench.go();
  QuotaBench pressed;
  pressed.policy.inference = noun::Inference::reported_only;
  pressed.patient_until = Instant::max();
  pressed.exchange(reported(0, 5s));
  EXPECT_EQ(pressed.hold(), "quota 5000");
  pressed.now = 5s;
  pressed.exchange(reported(4, 5s));
  EXPECT_EQ(pressed.hold(), "admitted");
}

TEST(Admission, reported_only_uses_a_reported_refill_rate) {
  QuotaBench bench;
  bench.policy.inference = noun::Inference::reported_only;
  auto report = reported(0, 600s);
  report.refill_per_second = 2;
  bench.exchange(report);
  EXPECT_EQ(bench.hold(), "quota 500");
}

}  // namespace admission_test
}  // namespace quota_tests
