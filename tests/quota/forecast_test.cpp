// How long a number of requests waits.
#include "quota/forecast.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace forecast_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

TEST(Forecast, requests_that_do_not_fit_wait_for_the_reset_and_a_period_per_further_window) {
  using Case = std::tuple<int, std::size_t, Duration>;
  for (const auto& [requests, renewals, wait] :
       {Case{10, 0, 0s}, Case{11, 1, 30s}, Case{60, 1, 30s}, Case{110, 2, 30s + 60s}, Case{111, 3, 30s + 120s}}) {
    const auto forecast = forecast_windows(requests, 10, 50, 30s, 60s);
    EXPECT_EQ(forecast.renewals, renewals) << requests;
    EXPECT_EQ(forecast.wait, wait) << requests;
  }
}

TEST(Forecast, unknown_values_stay_empty) {
  EXPECT_EQ(forecast_windows(11, 10, 50, 30s, {}).wait, 30s);
  EXPECT_FALSE(forecast_windows(11, 10, {}, 30s, 60s).renewals);
  EXPECT_FALSE(forecast_windows(11, 10, 0, 30s, 60s).renewals);
  EXPECT_EQ(forecast_windows(111, 10, 50, 30s, {}).renewals, 3U);
  EXPECT_FALSE(forecast_windows(111, 10, 50, 30s, {}).wait);
  EXPECT_FALSE(forecast_windows(11, 10, 50, {}, 60s).wait);
}

TEST(Forecast, negative_remaining_counts_as_zero_and_no_sum_overflows) {
  EXPECT_EQ(forecast_windows(50, -7, 50, 30s, 60s).renewals, 1U);
  EXPECT_EQ(forecast_windows(std::int64_t{1} << 60, 0, 1, 30s, 60s).wait, Duration::max());
}

TEST(Forecast, the_longer_wait_of_two_quotas_counts) {
  const auto both = noun::quota::both({.renewals = 1, .wait = 30s}, {.renewals = 0, .wait = 0s});
  EXPECT_EQ(both.renewals, 1U);
  EXPECT_EQ(both.wait, 30s);
  EXPECT_FALSE(noun::quota::both({.renewals = 1, .wait = 30s}, {}).wait);
}

}  // namespace forecast_test
}  // namespace quota_tests
