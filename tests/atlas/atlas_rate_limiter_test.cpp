// The sample server's rate limiter, faults and clock, at given times.
#include "atlas_rate_limiter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "atlas_admission.hpp"
#include "atlas_clock.hpp"
#include "atlas_faults.hpp"

namespace atlas_rate_limiter_test {

using namespace std::chrono_literals;
using atlas::Fault;
using atlas::Fields;
using atlas::ResetForm;
using atlas::WallTime;
using atlas::RateLimiter;

/// A time after the reset of a ten-second window.
WallTime at(std::chrono::milliseconds since_reset) { return WallTime{} + 1'700'000'000s + since_reset; }

/// The results of requests at these times: `+1@10000` is admitted with one remaining, `-0@10000` is rejected.
/// After the @ is the end of the window, in milliseconds since the reset.
std::string admissions(std::uint64_t limit, std::chrono::milliseconds phase,
                       const std::vector<std::chrono::milliseconds>& times) {
  RateLimiter limiter(limit, 10s, phase);
  std::string all;
  for (const auto time : times) {
    const auto result = limiter.admit(at(time));
    EXPECT_EQ(result.limit, limit);
    const auto ends = std::chrono::duration_cast<std::chrono::milliseconds>(result.resets_at - at(0ms));
    all += (result.admitted ? " +" : " -") + std::to_string(result.remaining) + "@" + std::to_string(ends.count());
  }
  return all;
}

TEST(AtlasRateLimiter, each_window_admits_its_limit) {
  EXPECT_EQ(admissions(2, 0ms, {1ms, 2ms, 3ms}), " +1@10000 +0@10000 -0@10000");
  // A window starts exactly at a multiple of the period plus the phase.
  EXPECT_EQ(admissions(1, 0ms, {0ms, 9'999ms, 10s, 10'001ms}), " +0@10000 -0@10000 +0@20000 -0@20000");
  EXPECT_EQ(admissions(1, 300ms, {299ms, 300ms, 301ms}), " +0@300 +0@10300 -0@10300");
  EXPECT_EQ(admissions(1, 0ms, {-1'700'000'015s}), " +0@-1700000010000");  // before 1970
}

TEST(AtlasRateLimiter, a_time_in_the_previous_window_counts_in_this_one_and_a_clock_set_back_starts_a_new_one) {
  EXPECT_EQ(admissions(2, 0ms, {10s, 9'999ms, 10s}), " +1@20000 +0@20000 -0@20000");
  EXPECT_EQ(admissions(1, 0ms, {3h, 0s}), " +0@10810000 +0@10000");
}

TEST(AtlasRateLimiter, no_limit_admits_everything) {
  RateLimiter limiter(0, 10s, 0ms);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limiter.admit(at(0s)).admitted);
}

TEST(AtlasRateLimiter, a_reset_is_rounded_up_in_every_format_and_never_negative) {
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
  EXPECT_EQ(reset(ResetForm::fractional, 1s + WallTime::duration(1)), "1.001");
  EXPECT_EQ(reset(ResetForm::fractional, -700ms), "0.000");
  EXPECT_EQ(reset(ResetForm::none, 10s), "none");
}

TEST(AtlasRateLimiter, retry_after_is_rounded_up_and_at_least_one_second) {
  const atlas::RateLimitResult result{.resets_at = at(10s)};
  EXPECT_EQ(atlas::retry_after_seconds(result, at(8'001ms)), "2");
  EXPECT_EQ(atlas::retry_after_seconds(result, at(9'999ms)), "1");
  EXPECT_EQ(atlas::retry_after_seconds(result, at(10s)), "1");
}

TEST(AtlasClock, a_date_has_the_format_of_http) {
  EXPECT_EQ(atlas::http_date_text(WallTime{} + 784111777s + 999ms), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(atlas::http_date_text(WallTime{} + 1709251199s), "Thu, 29 Feb 2024 23:59:59 GMT");
}

TEST(AtlasClock, the_server_clock_is_the_system_clock_plus_the_offset) {
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

TEST(AtlasFaults, equal_seeds_give_equal_faults_and_other_seeds_others) {
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

TEST(AtlasFaults, a_share_of_cut_responses_does_not_shift_the_other_faults) {
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

TEST(AtlasAdmission, a_rejected_request_has_no_fault) {
  atlas::AdmissionControl admission({.limit = 1, .drop = 1.0});
  EXPECT_EQ(admission.admit(at(0s)).fault, Fault::drop);
  const auto second = admission.admit(at(0s));
  EXPECT_FALSE(second.rate_limit.admitted);
  EXPECT_EQ(second.fault, Fault::none);
  EXPECT_EQ(admission.counts().requests, 2U);
  EXPECT_EQ(admission.counts().rejected, 1U);
  EXPECT_EQ(admission.counts().dropped, 1U);
}

TEST(AtlasAdmission, rejections_do_not_shift_the_sequence_of_faults) {
  const atlas::Options free{.unavailable = 0.5};
  auto limited = free;
  limited.limit = 1;
  atlas::AdmissionControl without(free);
  atlas::AdmissionControl with(limited);
  for (int i = 0; i < 100; ++i) {
    // Two requests per window: only the limited server rejects the second one.
    EXPECT_EQ(with.admit(at(i * 10s)).fault, without.admit(at(i * 10s)).fault);
    with.admit(at(i * 10s));
    without.admit(at(i * 10s));
  }
  EXPECT_EQ(with.counts().rejected, 100U);
}

}  // namespace atlas_rate_limiter_test
