// The limit on the requests in flight for a server that rejects some although permits are left.
#include "quota/estimators/concurrency.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace concurrency_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};

/// Whether exactly so many are allowed.
void expect_most(const Concurrency& bound, std::int64_t most) {
  EXPECT_TRUE(bound.allows(most - 1));
  EXPECT_FALSE(bound.allows(most));
}

TEST(Concurrency, a_rejection_halves_what_was_in_flight_or_allowed_down_to_one) {
  Concurrency bound;
  bound.on_served(true, begin);
  EXPECT_TRUE(bound.allows(1'000'000)) << "without a rejection there is no bound";
  for (const auto& [in_flight, most] : {std::pair{9, 4}, {100, 2}, {2, 1}, {1, 1}}) {
    bound.on_rejected(in_flight, begin);
    expect_most(bound, most);
  }
}

TEST(Concurrency, each_window_or_minute_without_a_rejection_allows_one_more) {
  Concurrency bound;
  bound.on_rejected(8, begin);
  bound.on_served(false, begin + 59s);
  expect_most(bound, 4);
  bound.on_served(true, begin + 59s);
  expect_most(bound, 5);
  bound.on_served(false, begin + 61s);
  expect_most(bound, 5);
  bound.on_served(false, begin + 59s + 1min);
  expect_most(bound, 6);
}

TEST(Concurrency, without_reports_grows_by_one_after_four_times_as_many_successes) {
  Concurrency bound;
  bound.on_unexplained(9);
  expect_most(bound, 4);
  for (int served = 1; served < 16; ++served) bound.on_served_unexplained();
  expect_most(bound, 4);
  bound.on_served_unexplained();
  expect_most(bound, 5);
}

TEST(Concurrency, a_rejected_increase_is_undone_and_tried_again_later) {
  Concurrency bound;
  bound.prove(4);
  EXPECT_TRUE(bound.is_proven());
  for (const int patience : {16, 32, 64}) {
    for (int served = 0; served < patience; ++served) bound.on_served_unexplained();
    expect_most(bound, 5);
    bound.on_unexplained(5);
    expect_most(bound, 4);
  }
}

}  // namespace concurrency_test
}  // namespace quota_tests
