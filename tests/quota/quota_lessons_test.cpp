// What one quota learns beside its count: how many at once, what requests cost, what others take, and what it measures
// of itself.
#include <gtest/gtest.h>

#include <vector>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace quota_lessons_test {

// Secondary limits.

TEST(QuotaState, a_rejection_with_permits_left_halves_what_may_be_in_flight) {
  QuotaBench bench;
  bench.exchange(told(90, 60s));
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 8; ++i) requests.push_back(bench.go());
  bench.answer(requests.back(), rejected_for(5s, told(80, 60s)));
  requests.pop_back();
  for (const auto& request : requests) bench.answer(request, told(80, 60s));
  bench.now = 5s;
  bench.exchange(told(79, 55s));
  for (int i = 0; i < 4; ++i) bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(QuotaState, a_window_without_such_a_rejection_lets_one_more_go) {
  QuotaBench bench;
  bench.exchange(told(90, 60s));
  const auto other = bench.go();
  bench.answer(bench.go(), rejected_for(1s, told(80, 60s)));
  bench.answer(other, told(79, 60s));
  bench.now = 1s;
  bench.exchange(told(78, 59s));
  bench.go();
  EXPECT_EQ(bench.hold(), "concurrency 1000");
  QuotaBench after_a_window = bench;
  after_a_window.now = 61s;
  after_a_window.exchange(told(99, 60s));
  after_a_window.go();
  EXPECT_EQ(after_a_window.hold(), "concurrency 1000") << "one is still in flight";
}

TEST(QuotaState, a_rejection_with_nothing_left_says_nothing_of_how_many_at_once) {
  QuotaBench bench;
  bench.exchange(told(2, 5s));
  const auto first = bench.go();
  bench.answer(bench.go(), rejected_for(5s, told(0, 5s)));
  bench.answer(first, told(0, 5s));
  bench.now = 5s;
  bench.exchange(told(99, 60s));
  for (int i = 0; i < 50; ++i) bench.go();
}

// Waits that the dialect knows.

TEST(QuotaState, a_rejection_that_says_nothing_waits_as_long_as_the_dialect_says) {
  QuotaBench bench;
  bench.exchange(bare());
  QuotaAnswer answer = rejected();
  answer.default_wait = 30s;
  bench.exchange(answer);
  EXPECT_EQ(bench.hold(), "rejected 30000");
  bench.now = 30s;
  bench.exchange(answer);
  EXPECT_EQ(bench.hold(), "rejected 60000");
  bench.now = 90s;
  bench.exchange(answer);
  EXPECT_EQ(bench.hold(), "rejected 60000") << "no longer than a minute";
}

TEST(QuotaState, with_permits_left_the_dialects_wait_comes_before_the_reset) {
  QuotaBench bench;
  bench.exchange(told(90, 30s));
  QuotaAnswer answer = rejected(told(89, 30s));
  answer.default_wait = 60s;
  bench.exchange(answer);
  EXPECT_EQ(bench.hold(), "rejected 60000");
}

TEST(QuotaState, a_success_may_ask_for_a_pause) {
  QuotaBench bench;
  QuotaAnswer answer = told(50, 60s);
  answer.pause = 7s;
  bench.exchange(answer);
  EXPECT_EQ(bench.ask().reason, WaitReason::retry_after);
  EXPECT_EQ(bench.ask().until, bench_begin + 7s);
  bench.now = 7s;
  bench.exchange(told(49, 53s));
  EXPECT_EQ(bench.hold(), "admitted");
}

// What a request costs.

TEST(QuotaState, the_last_permits_are_kept_for_requests_that_cost_no_more) {
  QuotaBench bench;
  const auto ask = [&](std::uint32_t route) { return bench.state.admit(bench_begin, bench.policy, {.route = route}); };
  for (const std::int64_t left : {80, 70, 60, 7}) {
    const auto decision = ask(5);
    ASSERT_TRUE(decision.admitted);
    bench.answer({decision.ticket, 0s}, told(left, 5s));
  }
  EXPECT_FALSE(ask(5).admitted) << "ten each, and seven are left";
  EXPECT_TRUE(ask(6).admitted);
}

TEST(QuotaState, what_others_take_is_counted) {
  QuotaBench bench;
  bench.exchange(told(50, 60s));
  bench.exchange(told(44, 60s));
  bench.exchange(told(43, 60s));
  EXPECT_EQ(bench.state.snapshot(bench_begin).foreign, 5U);
}

TEST(QuotaState, of_windows_with_demand_the_part_that_was_used_is_counted) {
  QuotaBench bench;
  for (int window = 0; window < 3; ++window) {
    bench.now = 60s * window;
    for (std::int64_t left = 99; left >= 0; --left) bench.exchange(told(left, 60s));
    EXPECT_EQ(bench.hold(), "quota 60000");
  }
  const auto snapshot = bench.state.snapshot(bench_begin + bench.now);
  EXPECT_EQ(snapshot.demanded_limit, 100U) << "the first may have been joined late, and the last goes on";
  EXPECT_EQ(snapshot.demanded_sent, 100U);
  EXPECT_EQ(snapshot.utilisation(), 1.0);
}

TEST(QuotaState, how_late_the_first_of_a_window_went_is_counted) {
  QuotaBench bench;
  bench.exchange(told(0, 1500ms));
  EXPECT_EQ(bench.hold(), "quota 1500");
  bench.now = 1520ms;
  bench.exchange(told(99, 60s));
  EXPECT_EQ(bench.state.snapshot(bench_begin).probe_error, 21ms) << "a millisecond of it is the told value's own";
}

TEST(QuotaState, a_caller_whose_requests_all_fit_is_not_held_to_learn) {
  QuotaBench bench;
  bench.patient_until = Instant::max();
  // A window that was waited for, of which little is left: it will be used up.
  bench.exchange(told(0, 5s));
  EXPECT_EQ(bench.hold(), "quota 5000");
  bench.now = 5s;
  bench.exchange(told(4, 5s));
  ASSERT_EQ(bench.ask().reason, WaitReason::learning);
  const auto decision =
      bench.state.admit(bench_begin + bench.now, bench.policy, {.patient_until = Instant::max(), .demand = 2});
  EXPECT_TRUE(decision.admitted);
}

// What must not stick, and what must not be promised.

TEST(QuotaState, what_others_take_is_not_outvoted_by_our_own_count) {
  QuotaBench bench;
  bench.exchange(told(99, 60s));  // the window is ours from its first request
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 16; ++i) requests.push_back(bench.go());
  bench.answer(requests.front(), told(10, 60s));  // somebody else took most of it
  EXPECT_EQ(bench.hold(), "concurrency 1000");
}

TEST(QuotaState, a_cost_above_what_is_left_is_no_reason_to_hold_without_end) {
  QuotaBench bench;
  for (const std::int64_t left : {10, 7, 4, 1}) bench.exchange(told(left));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 1s;
  EXPECT_EQ(bench.hold(), "admitted") << "one goes to see";
}

TEST(QuotaState, a_reserve_without_a_reset_is_left_to_those_that_it_is_for) {
  QuotaBench bench;
  bench.policy.reserve = 10;
  bench.exchange(told(10));
  EXPECT_EQ(bench.hold(), "quota 1000");
  bench.now = 1s;
  EXPECT_EQ(bench.hold(), "quota 1000");
  EXPECT_EQ(bench.hold(noun::Priority::interactive), "admitted");
}

TEST(QuotaState, a_count_that_is_told_no_more_is_forgotten) {
  QuotaBench bench;
  bench.exchange(told(2));
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

TEST(QuotaState, a_request_that_may_have_been_counted_takes_what_it_costs) {
  QuotaBench bench;
  for (const std::int64_t left : {100, 90, 80, 70}) bench.exchange(told(left, 60s));
  bench.answer(bench.go(), dropped());
  EXPECT_EQ(bench.remaining(), 60);
}

TEST(QuotaState, holders_are_woken_when_fewer_are_in_flight_than_may_be) {
  QuotaBench bench;
  bench.exchange(told(90, 60s));
  const auto other = bench.go();
  bench.answer(bench.go(), rejected_for(1s, told(80, 60s)));
  bench.answer(other, told(79, 60s));
  bench.now = 1s;
  bench.exchange(told(78, 59s));
  const auto only = bench.go();
  const auto before = bench.state.outlook();
  bench.answer(only, told(77, 59s));
  EXPECT_FALSE(bench.state.outlook() == before);
}

TEST(QuotaState, an_older_rejection_shortens_no_pause) {
  QuotaBench bench;
  bench.exchange(told(50, 60s));
  const auto late = bench.go();
  QuotaAnswer answer = told(48, 60s);
  answer.pause = 30s;
  bench.exchange(answer);
  bench.answer(late, rejected_for(1s));
  EXPECT_EQ(bench.ask().until, bench_begin + 30s);
}

TEST(QuotaState, idle_windows_say_nothing_of_how_long_one_is) {
  QuotaBench bench;
  bench.exchange(told(99, 60s));
  bench.now = 30min;
  bench.exchange(told(99, 60s));
  EXPECT_EQ(bench.state.forecast(bench_begin + bench.now, 99, 0, 0).wait, 0s);
  EXPECT_EQ(bench.state.forecast(bench_begin + bench.now, 150, 0, 0).wait, 60s);
  EXPECT_FALSE(bench.state.forecast(bench_begin + bench.now, 350, 0, 0).wait);
}

TEST(QuotaState, a_pause_is_not_the_end_of_a_window) {
  QuotaBench bench;
  bench.exchange(told(90, 60s));
  bench.exchange(rejected_for(5s, told(80, 60s)));
  const auto fits = bench.state.forecast(bench_begin, 50, 0, 0);
  EXPECT_EQ(fits.renewals, 0U);
  EXPECT_EQ(fits.wait, 5s);
  EXPECT_EQ(bench.state.forecast(bench_begin, 150, 0, 0).wait, 60s);
}

}  // namespace quota_lessons_test
}  // namespace quota_tests
