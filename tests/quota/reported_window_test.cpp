// Which window a response belongs to: later ones open, stale ones are ignored, and the count only falls.
#include "quota/estimators/reported_window.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "quota/quota_bench.hpp"

namespace quota_tests { namespace reported_window_test {

Report reported_at(std::int64_t remaining, Duration at, Duration date) {
  Report report = reported(remaining);
  report.reset = noun::wire::ResetReading{.in = {}, .at = WallTime(server_epoch) + at};
  report.date = std::chrono::floor<std::chrono::seconds>(server_epoch + date);
  return report;
}

TEST(ReportedWindow, a_later_reset_opens_a_new_window) {
  QuotaBench bench;
  bench.exchange(reported_at(60, 2s, 0s));
  const auto late = bench.go();
  bench.exchange(reported_at(1, 2s, 0s));
  bench.now = 1s;
  bench.respond(late, reported_at(99, 62s, 1s));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(ReportedWindow, a_stale_zero_is_ignored) {
  QuotaBench bench;
  bench.exchange(reported(10, 2s));
  const auto late = bench.go();
  bench.now = 2s;
  bench.exchange(reported(99, 60s));
  bench.respond(late, reported(0, 0s));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(ReportedWindow, a_stale_response_never_raises_the_new_window) {
  QuotaBench bench;
  bench.exchange(reported_at(500, 2s, 0s));
  const auto late = bench.go();
  bench.now = 3s;
  bench.exchange(reported_at(99, 62s, 3s));
  bench.respond(late, reported_at(499, 2s, 1s));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(ReportedWindow, a_window_never_moves_back) {
  QuotaBench bench;
  bench.exchange(reported_at(50, 60s, 0s));
  bench.exchange(reported_at(40, 30s, 0s));
  EXPECT_GT(bench.snapshot(0s).resets_in, 59s);
  EXPECT_EQ(bench.remaining(), 49);  // it was counted in one of the two
}

Report of_limit(std::int64_t limit, std::int64_t remaining, Duration resets_in) {
  Report report = reported(remaining, resets_in);
  report.limit = limit;
  return report;
}

TEST(ReportedWindow, a_window_that_gets_shorter_replaces_the_longer_one) {
  QuotaBench bench;
  for (std::int64_t left = 19; left >= 15; --left, bench.now += 50ms)
    bench.exchange(of_limit(1000, left, 300s - bench.now));
  for (int page = 0; page < 100; ++page, bench.now += 50ms) {
    const Duration into = bench.now % 3s;
    bench.exchange(of_limit(100, 99 - into / 50ms, 3s - into));
    ASSERT_EQ(bench.hold(), "admitted") << page;
  }
  EXPECT_LE(bench.snapshot().resets_in, 3s);
  EXPECT_GT(bench.remaining(), 19);
}

TEST(ReportedWindow, an_earlier_window_is_used_after_three_responses_in_a_row) {
  const auto left_after = [](const std::vector<Report>& reports) {
    QuotaBench bench;
    bench.exchange(of_limit(1000, 15, 300s));
    for (const Report& report : reports) bench.exchange(report);
    return bench.remaining();
  };
  const Report earlier = of_limit(100, 80, 3s);
  const Report known = of_limit(1000, 14, 300s);
  EXPECT_EQ(left_after({earlier, earlier}), 15) << "its count is of another window, so nothing was spent of this one";
  EXPECT_EQ(left_after({earlier, earlier, earlier}), 80);
  EXPECT_EQ(left_after({earlier, earlier, known, earlier, earlier}), 14);
  EXPECT_EQ(left_after({earlier, of_limit(100, 80, 9s), of_limit(100, 80, 30s)}), 15) << "they do not agree";
  EXPECT_EQ(left_after({of_limit(100, 80, 0s), of_limit(100, 80, 0s), of_limit(100, 80, 0s)}), 15) << "none lies ahead";
}

TEST(ReportedWindow, an_earlier_window_is_not_shown_by_requests_at_the_same_time) {
  QuotaBench bench;
  bench.exchange(of_limit(1000, 15, 300s));
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(bench.go());
  for (const auto& one : requests) bench.respond(one, of_limit(100, 80, 3s));
  EXPECT_EQ(bench.remaining(), 15);
}

TEST(ReportedWindow, an_earlier_window_with_the_same_limit_may_be_that_of_another_node) {
  QuotaBench bench;
  bench.exchange(of_limit(100, 15, 300s));
  for (int i = 0; i < 9; ++i) bench.exchange(of_limit(100, 80, 30s));
  EXPECT_EQ(bench.remaining(), 15);
  bench.now = 31s;
  for (int i = 0; i < 2; ++i) bench.exchange(of_limit(100, 90, 29s));
  EXPECT_EQ(bench.remaining(), 90) << "windows of the same length do not end twice before the known one";
}

TEST(ReportedWindow, a_response_from_before_the_window_counts_if_it_reports_the_windows_reset) {
  QuotaBench bench;
  bench.exchange(reported_at(10, 2s, 0s));
  const auto straddler = bench.go();
  bench.now = 3s;
  bench.exchange(reported_at(99, 62s, 3s));
  bench.respond(straddler, reported_at(90, 62s, 3s));
  EXPECT_EQ(bench.remaining(), 90);
}

TEST(ReportedWindow, a_response_from_before_without_a_window_counts_as_spent_until_a_later_one) {
  QuotaBench bench;
  bench.exchange(reported(10, 2s));
  const auto straddler = bench.go();
  bench.now = 2s;
  bench.exchange(reported(99, 60s));
  bench.respond(straddler, reported(0));
  EXPECT_EQ(bench.remaining(), 98);
  bench.exchange(reported(98, 60s));
  EXPECT_EQ(bench.remaining(), 98);
}

TEST(ReportedWindow, in_windows_of_a_second_a_response_that_may_belong_to_either_is_stale) {
  QuotaBench bench;
  bench.exchange(reported(10, 1s));
  bench.now = 900ms;
  const auto straddler = bench.go();
  bench.now = 1s;
  bench.exchange(reported(99, 1s));
  bench.now = 1100ms;
  bench.respond(straddler, reported(0, 1s));
  EXPECT_EQ(bench.remaining(), 98);
}

TEST(ReportedWindow, a_reset_that_jitters_by_a_second_is_the_same_window_and_the_later_value_counts) {
  QuotaBench bench;
  bench.exchange(reported_at(50, 60s, 0s));
  const auto late = bench.go();
  bench.exchange(reported_at(48, 61s, 0s));
  bench.respond(late, reported_at(49, 60s, 0s));
  EXPECT_EQ(bench.remaining(), 48);
  EXPECT_GT(bench.snapshot(0s).resets_in, 60s);
}

TEST(ReportedWindow, a_delta_counts_down_without_opening_windows_and_narrows_the_reset) {
  QuotaBench bench;
  bench.exchange(reported(50, 5s));
  bench.now = 300ms;
  bench.exchange(reported(49, 5s));
  bench.now = 320ms;
  bench.exchange(reported(48, 4s));
  EXPECT_EQ(bench.remaining(), 48);
  EXPECT_EQ(bench.snapshot().resets_in, 4s);
}

TEST(ReportedWindow, a_higher_count_after_the_reset_is_a_new_window_however_short) {
  QuotaBench bench;
  bench.exchange(reported(0, 1s));
  bench.now = 1s;
  bench.exchange(reported(9, 1s));
  EXPECT_EQ(bench.remaining(), 9);
}

TEST(ReportedWindow, after_a_rejection_with_nothing_left_any_success_is_a_new_window) {
  QuotaBench bench;
  bench.exchange(reported(50, 1s));
  bench.exchange(rejected(reported(0, 1s)));
  bench.now = 1s;
  bench.exchange(reported(20, 1s));
  EXPECT_EQ(bench.remaining(), 20);
}

TEST(ReportedWindow, a_higher_count_in_a_later_response_is_a_new_window) {
  QuotaBench bench;
  bench.exchange(reported(3, 1s));
  bench.now = 700ms;
  bench.exchange(reported(99, 1s));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(ReportedWindow, without_resets_a_higher_count_in_a_later_response_is_a_new_window) {
  QuotaBench bench;
  bench.exchange(reported(5));
  const auto late = bench.go();
  bench.exchange(reported(3));
  bench.respond(late, reported(4));
  EXPECT_EQ(bench.remaining(), 3);
  bench.exchange(reported(99));
  EXPECT_EQ(bench.remaining(), 99);
}

TEST(ReportedWindow, a_reset_that_is_reported_late_is_used) {
  QuotaBench bench;
  bench.exchange(reported(5));
  bench.exchange(reported(0, 7s));
  EXPECT_EQ(bench.hold(), "quota 7000");
}

TEST(ReportedWindow, a_server_clock_that_is_set_back_changes_no_window) {
  QuotaBench bench;
  bench.exchange(reported_at(50, 60s, 0s));
  bench.now = 1s;
  bench.exchange(reported_at(49, 60s - 1h, 1s - 1h));
  EXPECT_EQ(bench.remaining(), 49);
  EXPECT_EQ(bench.snapshot(1s).resets_in, 59s);
}

TEST(ReportedWindow, a_probe_rejected_at_the_reported_reset_delays_later_resets_by_a_second) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  bench.now = 5s;
  bench.exchange(rejected(reported(0, 0s)));  // the reset was rounded down
  EXPECT_EQ(bench.hold(), "rejected 1000");
  bench.now = 6s;
  bench.exchange(reported(0, 4s));
  EXPECT_EQ(bench.hold(), "quota 5000");
}

TEST(ReportedWindow, a_fractional_reset_that_is_early_is_delayed_in_small_steps) {
  QuotaBench bench;
  bench.exchange(reported(0, 5500ms));
  bench.now = 5500ms;
  bench.exchange(rejected(reported(0, 1ms)));
  EXPECT_EQ(bench.hold(), "rejected 50");
}

TEST(ReportedWindow, a_probe_that_the_old_window_still_serves_shows_the_reset_was_early) {
  QuotaBench bench;
  bench.exchange(reported_at(50, 5s, 0s));
  bench.now = 5s;
  bench.exchange(reported_at(49, 5s, 5s));
  EXPECT_EQ(bench.remaining(), 49);
  EXPECT_GT(bench.snapshot(5s).resets_in, 900ms);
}

TEST(ReportedWindow, the_earlier_of_two_values_is_used_once_resets_are_known_to_be_early) {
  QuotaBench bench;
  bench.exchange(reported_at(50, 5s, 0s));
  bench.now = 5s;
  bench.exchange(reported_at(49, 5s, 5s));
  bench.exchange(reported_at(48, 6s, 5s));
  EXPECT_LE(bench.snapshot(5s).resets_in, 1s);
}

TEST(ReportedWindow, a_rejection_that_reports_a_later_window_is_no_sign_of_rounding) {
  QuotaBench bench;
  bench.exchange(reported(0, 5s));
  bench.now = 5s;
  bench.exchange(rejected(reported(0, 10s)));  // other clients were faster
  EXPECT_EQ(bench.hold(), "rejected 10000");
}

TEST(ReportedWindow, responses_that_may_be_about_the_next_window_admit_no_more_than_one_window_has) {
  QuotaBench bench;
  const auto of_six = [](std::int64_t remaining, Duration resets_in) {
    auto report = reported(remaining, resets_in);
    report.limit = 6;
    return report;
  };
  const auto first = bench.go();
  bench.now = 400ms;
  bench.respond(first, of_six(5, 1400ms));
  std::vector<BenchRequest> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(bench.go());
  bench.now = 1s;
  bench.go();
  // They were counted in the order 4, 3, 2, 1, 0 of what is left, and arrive late and permuted.
  bench.now = 1400ms;
  bench.respond(requests[0], of_six(3, 920ms));
  bench.respond(requests[1], of_six(2, 730ms));
  bench.respond(requests[2], of_six(0, 350ms));
  bench.respond(requests[3], of_six(4, 1150ms));
  EXPECT_NE(bench.hold(), "admitted");
}

}  // namespace reported_window_test
}  // namespace quota_tests
