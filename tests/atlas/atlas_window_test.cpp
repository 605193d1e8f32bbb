// The sample service's limiter, faults and clock, with made-up moments.
#include "atlas_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
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

/// What becomes of requests at these moments: `+1@10000` is admitted with one left, `-0@10000` is rejected.
/// Behind the @ is when the window ends, in milliseconds since the turn.
std::string admissions(std::uint64_t limit, std::chrono::milliseconds phase,
                       const std::vector<std::chrono::milliseconds>& moments) {
  Window window(limit, 10s, phase);
  std::string all;
  for (const auto moment : moments) {
    const auto verdict = window.admit(at(moment));
    EXPECT_EQ(verdict.limit, limit);
    const auto ends = std::chrono::duration_cast<std::chrono::milliseconds>(verdict.resets_at - at(0ms));
    all += (verdict.admitted ? " +" : " -") + std::to_string(verdict.remaining) + "@" + std::to_string(ends.count());
  }
  return all;
}

TEST(AtlasWindow, each_window_admits_its_limit) {
  EXPECT_EQ(admissions(2, 0ms, {1ms, 2ms, 3ms}), " +1@10000 +0@10000 -0@10000");
  // It begins exactly at a multiple of the period, or as much later as the phase says.
  EXPECT_EQ(admissions(1, 0ms, {0ms, 9'999ms, 10s, 10'001ms}), " +0@10000 -0@10000 +0@20000 -0@20000");
  EXPECT_EQ(admissions(1, 300ms, {299ms, 300ms, 301ms}), " +0@300 +0@10300 -0@10300");
  EXPECT_EQ(admissions(1, 0ms, {-1'700'000'015s}), " +0@-1700000010000");  // before 1970
}

TEST(AtlasWindow, a_moment_of_the_window_before_counts_in_this_one_and_a_clock_set_back_begins_another) {
  EXPECT_EQ(admissions(2, 0ms, {10s, 9'999ms, 10s}), " +1@20000 +0@20000 -0@20000");
  EXPECT_EQ(admissions(1, 0ms, {3h, 0s}), " +0@10810000 +0@10000");
}

TEST(AtlasWindow, no_limit_admits_everything) {
  Window window(0, 10s, 0ms);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(window.admit(at(0s)).admitted);
}

TEST(AtlasWindow, a_reset_is_rounded_up_in_every_form_and_never_negative) {
  const auto reset = [](ResetForm form, WallTime::duration left) {
    const auto fields = atlas::rate_fields({.limit = 5, .remaining = 3, .resets_at = at(1ms) + left}, at(1ms), form);
    const Fields first(fields.begin(), fields.begin() + 2);
    EXPECT_EQ(first, (Fields{{"X-RateLimit-Limit", "5"}, {"X-RateLimit-Remaining", "3"}}));
    return fields.size() == 2 ? "none" : fields.at(2).second;
  };
  EXPECT_EQ(reset(ResetForm::epoch, 10'299ms), "1700000011");
  EXPECT_EQ(reset(ResetForm::delta, 10'299ms), "11");
  EXPECT_EQ(reset(ResetForm::delta, 10s), "10");
  EXPECT_EQ(reset(ResetForm::delta, -700ms), "0");
  EXPECT_EQ(reset(ResetForm::fractional, 10'299ms), "10.299");
  EXPECT_EQ(reset(ResetForm::fractional, 1s + 1ns), "1.001");
  EXPECT_EQ(reset(ResetForm::fractional, -700ms), "0.000");
  EXPECT_EQ(reset(ResetForm::none, 10s), "none");
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
