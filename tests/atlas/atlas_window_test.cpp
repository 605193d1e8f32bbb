// The sample service's limiter, faults and clock, with made-up moments.
#include "atlas_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "atlas_clock.hpp"
#include "atlas_faults.hpp"
#include "atlas_gate.hpp"

namespace atlas_window_test {

using namespace std::chrono_literals;
using atlas::Fault;
using atlas::Fields;
using atlas::ResetForm;
using atlas::WallTime;
using atlas::Window;

/// A moment so many milliseconds after the turn of a ten-second window.
WallTime at(std::chrono::milliseconds since_turn) { return WallTime{} + 1'700'000'000s + since_turn; }

TEST(AtlasWindow, counts_down_and_rejects_when_the_limit_is_used_up) {
  Window window(2, 10s, 0ms);
  EXPECT_EQ(window.admit(at(1ms)).remaining, 1U);
  EXPECT_EQ(window.admit(at(2ms)).remaining, 0U);
  const auto third = window.admit(at(3ms));
  EXPECT_FALSE(third.admitted);
  EXPECT_EQ(third.remaining, 0U);
  EXPECT_EQ(third.limit, 2U);
}

TEST(AtlasWindow, a_new_window_begins_exactly_at_a_multiple_of_the_period) {
  Window window(1, 10s, 0ms);
  EXPECT_TRUE(window.admit(at(0ms)).admitted);
  EXPECT_FALSE(window.admit(at(9'999ms)).admitted);
  EXPECT_TRUE(window.admit(at(10'000ms)).admitted);
  EXPECT_EQ(window.admit(at(10'001ms)).resets_at, at(20s));
}

TEST(AtlasWindow, the_phase_moves_the_turn) {
  Window window(1, 10s, 300ms);
  EXPECT_EQ(window.admit(at(299ms)).resets_at, at(300ms));
  EXPECT_TRUE(window.admit(at(300ms)).admitted);
  EXPECT_EQ(window.admit(at(301ms)).resets_at, at(10'300ms));
}

TEST(AtlasWindow, a_moment_before_the_epoch_falls_into_the_window_below_it) {
  Window window(1, 10s, 0ms);
  EXPECT_EQ(window.admit(WallTime{} - 15s).resets_at, WallTime{} - 10s);
}

TEST(AtlasWindow, a_request_that_looked_at_the_clock_before_the_turn_does_not_turn_it_back) {
  Window window(2, 10s, 0ms);
  EXPECT_TRUE(window.admit(at(10s)).admitted);
  EXPECT_TRUE(window.admit(at(9'999ms)).admitted);
  EXPECT_FALSE(window.admit(at(10s)).admitted);
}

TEST(AtlasWindow, a_clock_set_back_by_hours_begins_a_new_window) {
  Window window(1, 10s, 0ms);
  EXPECT_TRUE(window.admit(at(3h)).admitted);
  EXPECT_TRUE(window.admit(at(0s)).admitted);
}

TEST(AtlasWindow, no_limit_admits_everything) {
  Window window(0, 10s, 0ms);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(window.admit(at(0s)).admitted);
}

std::string reset_field(ResetForm form, std::chrono::milliseconds now) {
  const atlas::Verdict verdict{.limit = 5, .remaining = 3, .resets_at = at(10'300ms)};
  return atlas::rate_fields(verdict, at(now), form).at(2).second;
}

TEST(AtlasWindow, reset_is_rounded_up_in_every_form) {
  EXPECT_EQ(reset_field(ResetForm::epoch, 1ms), "1700000011");
  EXPECT_EQ(reset_field(ResetForm::delta, 1ms), "11");
  EXPECT_EQ(reset_field(ResetForm::delta, 300ms), "10");
  EXPECT_EQ(reset_field(ResetForm::fractional, 1ms), "10.299");
  const atlas::Verdict verdict{.resets_at = at(1s) + 1ns};
  EXPECT_EQ(atlas::rate_fields(verdict, at(0s), ResetForm::fractional).at(2).second, "1.001");
}

TEST(AtlasWindow, a_reset_that_has_passed_is_zero_and_never_negative) {
  EXPECT_EQ(reset_field(ResetForm::delta, 11s), "0");
  EXPECT_EQ(reset_field(ResetForm::fractional, 11s), "0.000");
}

TEST(AtlasWindow, limit_and_remaining_are_sent_without_a_reset) {
  const atlas::Verdict verdict{.limit = 5, .remaining = 3, .resets_at = at(10s)};
  const Fields expected{{"X-RateLimit-Limit", "5"}, {"X-RateLimit-Remaining", "3"}};
  EXPECT_EQ(atlas::rate_fields(verdict, at(0s), ResetForm::none), expected);
}

TEST(AtlasWindow, retry_after_is_rounded_up_and_at_least_one_second) {
  const atlas::Verdict verdict{.resets_at = at(10s)};
  EXPECT_EQ(atlas::retry_after_seconds(verdict, at(8'001ms)), "2");
  EXPECT_EQ(atlas::retry_after_seconds(verdict, at(9'999ms)), "1");
  EXPECT_EQ(atlas::retry_after_seconds(verdict, at(10s)), "1");
}

TEST(AtlasClock, a_date_is_written_as_http_wants_it) {
  EXPECT_EQ(atlas::http_date_text(WallTime{} + 784111777s + 999ms), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(atlas::http_date_text(WallTime{} + 1709251199s), "Thu, 29 Feb 2024 23:59:59 GMT");
}

TEST(AtlasClock, the_service_clock_is_ahead_of_the_machine_by_the_offset) {
  const auto before = std::chrono::system_clock::now();
  const auto shown = atlas::WallClock{-1h}.now() + 1h;
  EXPECT_GE(shown, before);
  EXPECT_LE(shown, std::chrono::system_clock::now());
}

std::vector<Fault> draw(const atlas::Options& options, int count) {
  atlas::Faults faults(options);
  std::vector<Fault> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(faults.draw());
  return drawn;
}

auto share(const std::vector<Fault>& drawn, Fault fault) {
  return static_cast<double>(std::count(drawn.begin(), drawn.end(), fault)) / static_cast<double>(drawn.size());
}

TEST(AtlasFaults, the_same_seed_gives_the_same_faults_and_another_seed_others) {
  const atlas::Options options{.drop = 0.2, .drop_after = 0.2, .unavailable = 0.2, .seed = 7};
  auto other = options;
  other.seed = 8;
  EXPECT_EQ(draw(options, 200), draw(options, 200));
  EXPECT_NE(draw(options, 200), draw(other, 200));
}

TEST(AtlasFaults, each_fault_has_its_share) {
  const auto drawn = draw({.drop = 0.1, .drop_after = 0.2, .unavailable = 0.3, .truncate = 0.2}, 20000);
  EXPECT_NEAR(share(drawn, Fault::drop), 0.1, 0.02);
  EXPECT_NEAR(share(drawn, Fault::drop_after), 0.2, 0.02);
  EXPECT_NEAR(share(drawn, Fault::unavailable), 0.3, 0.02);
  EXPECT_NEAR(share(drawn, Fault::truncate), 0.2, 0.02);
}

TEST(AtlasFaults, a_share_of_cut_answers_leaves_the_other_faults_where_they_were) {
  const atlas::Options whole{.drop = 0.2, .drop_after = 0.2, .unavailable = 0.2};
  auto cut = whole;
  cut.truncate = 0.2;
  auto drawn = draw(cut, 200);
  std::replace(drawn.begin(), drawn.end(), Fault::truncate, Fault::none);
  EXPECT_EQ(drawn, draw(whole, 200));
}

TEST(AtlasFaults, shares_of_zero_and_one_are_exact) {
  EXPECT_EQ(share(draw({}, 1000), Fault::none), 1.0);
  EXPECT_EQ(share(draw({.drop_after = 1.0}, 1000), Fault::drop_after), 1.0);
}

TEST(AtlasGate, a_rejected_request_meets_no_fault) {
  atlas::Gate gate({.limit = 1, .drop = 1.0});
  EXPECT_EQ(gate.admit(at(0s)).fault, Fault::drop);
  const auto second = gate.admit(at(0s));
  EXPECT_FALSE(second.verdict.admitted);
  EXPECT_EQ(second.fault, Fault::none);
  EXPECT_EQ(gate.counts().requests, 2U);
  EXPECT_EQ(gate.counts().rejected, 1U);
  EXPECT_EQ(gate.counts().dropped, 1U);
}

TEST(AtlasGate, rejections_do_not_shift_the_sequence_of_faults) {
  const atlas::Options free{.unavailable = 0.5};
  auto limited = free;
  limited.limit = 1;
  atlas::Gate without(free);
  atlas::Gate with(limited);
  for (int i = 0; i < 100; ++i) {
    // Two requests in each window: the second one is rejected by the limited gate only.
    EXPECT_EQ(with.admit(at(i * 10s)).fault, without.admit(at(i * 10s)).fault);
    with.admit(at(i * 10s));
    without.admit(at(i * 10s));
  }
  EXPECT_EQ(with.counts().rejected, 100U);
}

}  // namespace atlas_window_test
