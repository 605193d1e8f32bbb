// How long a number of requests has to wait.
#include "quota/quota_forecast.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace quota_tests { namespace quota_forecast_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::forecast_windows;

TEST(QuotaForecast, what_fits_waits_for_nothing) {
  const auto forecast = forecast_windows(10, 10, 50, 30s, 60s);
  EXPECT_EQ(forecast.renewals, 0U);
  EXPECT_EQ(forecast.wait, 0s);
}

TEST(QuotaForecast, one_more_waits_for_the_reset) {
  const auto forecast = forecast_windows(11, 10, 50, 30s, {});
  EXPECT_EQ(forecast.renewals, 1U);
  EXPECT_EQ(forecast.wait, 30s);
}

TEST(QuotaForecast, each_full_window_more_is_a_period_more) {
  EXPECT_EQ(forecast_windows(110, 10, 50, 30s, 60s).wait, 30s + 60s);
  EXPECT_EQ(forecast_windows(111, 10, 50, 30s, 60s).wait, 30s + 120s);
  EXPECT_EQ(forecast_windows(111, 10, 50, 30s, 60s).renewals, 3U);
}

TEST(QuotaForecast, what_is_not_known_is_not_said) {
  EXPECT_FALSE(forecast_windows(11, 10, {}, 30s, 60s).renewals);
  EXPECT_FALSE(forecast_windows(11, 10, 0, 30s, 60s).renewals);
  EXPECT_EQ(forecast_windows(111, 10, 50, 30s, {}).renewals, 3U);
  EXPECT_FALSE(forecast_windows(111, 10, 50, 30s, {}).wait);
  EXPECT_FALSE(forecast_windows(11, 10, 50, {}, 60s).wait);
}

TEST(QuotaForecast, overdrawn_is_nothing_left_and_no_sum_overflows) {
  EXPECT_EQ(forecast_windows(50, -7, 50, 30s, 60s).renewals, 1U);
  EXPECT_EQ(forecast_windows(std::int64_t{1} << 60, 0, 1, 30s, 60s).wait, Duration::max());
}

TEST(QuotaForecast, of_two_quotas_the_longer_wait_counts) {
  const auto both = noun::both({.renewals = 1, .wait = 30s}, {.renewals = 0, .wait = 0s});
  EXPECT_EQ(both.renewals, 1U);
  EXPECT_EQ(both.wait, 30s);
  EXPECT_FALSE(noun::both({.renewals = 1, .wait = 30s}, {}).wait);
}

}  // namespace quota_forecast_test
}  // namespace quota_tests
