// What one process knows of the store of a shared quota.
#include "quota/store_health.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "state_page.hpp"

namespace quota_tests { namespace store_health_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::quota::StoreEvent;
using noun::quota::StoreHealth;
using noun::quota::StoreState;

constexpr Duration slow_after = 50ms;
constexpr Instant begin = Instant(1h);

struct StoreHealthTest : testing::Test {
  StoreHealth store{256, slow_after};

  void fail(int times, Duration at = {}) {
    for (int i = 0; i < times; ++i) store.on_failure(begin + at, true);
  }
};

TEST(StoreTable, matches_the_architecture_page) {
  constexpr std::string_view states[] = {"available", "failing", "unavailable", "?"};
  constexpr std::string_view events[] = {
      "an operation is carried out",
      "an operation fails",
      "the third in a row fails",
  };
  noun_test::expect_on_the_architecture_page<StoreState, StoreEvent>(noun::quota::store_table, states, events);
}

TEST_F(StoreHealthTest, a_store_that_was_swapped_is_unavailable_after_three_failures) {
  store.on_swap();
  fail(2);
  EXPECT_TRUE(store.is_failing());
  EXPECT_TRUE(store.is_available());
  EXPECT_TRUE(store.on_failure(begin, true));
  EXPECT_FALSE(store.is_available());
  store.on_available();
  EXPECT_TRUE(store.is_available());
  EXPECT_FALSE(store.is_failing());
}

TEST_F(StoreHealthTest, a_process_that_never_swapped_waits_for_the_store_for_a_second) {
  fail(3);
  EXPECT_TRUE(store.is_available());
  EXPECT_EQ(store.limit(begin + 300ms, false), 700ms);
  EXPECT_EQ(store.limit(begin + 300ms, true), slow_after);
  fail(1, 1s);
  EXPECT_FALSE(store.is_available());
}

TEST_F(StoreHealthTest, a_read_ends_no_failures_of_swaps) {
  store.on_failure(begin, false);
  store.on_read();
  EXPECT_FALSE(store.is_failing());
  fail(1);
  store.on_read();
  EXPECT_TRUE(store.is_failing());
}

TEST_F(StoreHealthTest, the_pause_before_a_retry_doubles_up_to_five_seconds) {
  fail(1);
  EXPECT_EQ(store.retry_at(), begin + 20ms);
  fail(1);
  EXPECT_EQ(store.retry_at(), begin + 40ms);
  fail(20);
  EXPECT_EQ(store.retry_at(), begin + 5s);
  store.on_available();
  fail(1);
  EXPECT_EQ(store.retry_at(), begin + 20ms);
  store.retry_at_once();
  EXPECT_LT(store.retry_at(), begin);
}

TEST_F(StoreHealthTest, processes_retry_at_different_instants) {
  StoreHealth other(255, slow_after);
  other.on_failure(begin, true);
  EXPECT_GT(other.retry_at(), begin + 20ms);
  EXPECT_LT(other.retry_at(), begin + 25ms);
}

TEST_F(StoreHealthTest, an_operation_that_is_carried_out_late_after_a_failure_shows_a_slow_store) {
  store.on_response(200ms);
  EXPECT_FALSE(store.is_slow());
  fail(1);
  EXPECT_EQ(store.limit(begin + 2s, false), slow_after);
  store.on_response(200ms);
  store.on_swap();
  EXPECT_TRUE(store.is_slow());
  EXPECT_EQ(store.limit(begin, false), 1s);
  EXPECT_TRUE(store.on_failure(begin, true)) << "calls have waited for it long enough";
  EXPECT_FALSE(store.is_slow());
}

TEST_F(StoreHealthTest, three_quick_operations_in_a_row_end_that) {
  fail(1);
  store.on_response(200ms);
  for (const Duration took : {10ms, 10ms, 200ms, 10ms, 10ms}) store.on_response(took);
  EXPECT_TRUE(store.is_slow());
  store.on_response(slow_after);
  EXPECT_FALSE(store.is_slow());
}

}}  // namespace quota_tests::store_health_test
