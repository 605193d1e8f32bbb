// How often one of many processes turns to the store of a shared quota.
#include "quota/store_health.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

namespace quota_tests { namespace store_pace_test {

using namespace std::chrono_literals;
using noun::Instant;
using noun::quota::StorePace;

constexpr Instant begin = Instant(1h);

TEST(StorePace, processes_that_collided_pick_different_instants) {
  std::set<Instant> instants;
  for (std::uint64_t process = 1; process <= 20; ++process) {
    StorePace pace(process, 1s);
    for (int i = 0; i < 10; ++i) pace.on_collision(begin, 3ms, 20);
    EXPECT_GE(pace.swap_after(), begin);
    EXPECT_LE(pace.swap_after(), begin + 40 * 3ms);
    instants.insert(pace.swap_after());
  }
  EXPECT_GT(instants.size(), 8U);
}

TEST(StorePace, no_swap_waits_longer_than_the_longest_wait) {
  StorePace pace(2, 50ms);
  for (int i = 0; i < 10; ++i) pace.on_collision(begin, 1h, 20);
  EXPECT_EQ(pace.swap_after(), begin + 50ms);
}

TEST(StorePace, a_swap_makes_up_for_one_collision) {
  StorePace once(7, 1s);
  StorePace twice(7, 1s);
  for (int i = 0; i < 4; ++i) once.on_collision(begin, 1ms, 100);
  for (int i = 0; i < 4; ++i) twice.on_collision(begin, 1ms, 100);
  twice.on_swap();
  twice.on_collision(begin, 1ms, 100);
  EXPECT_EQ(twice.swap_after(), once.swap_after());
}

TEST(StorePace, reads_are_rarer_among_many_processes_and_after_changes_that_concerned_others) {
  StorePace pace(1, 1s);
  EXPECT_EQ(pace.between_reads(4), 1ms);
  pace.on_vain_read();
  EXPECT_EQ(pace.between_reads(4), 2ms);
  for (int i = 0; i < 9; ++i) pace.on_vain_read();
  EXPECT_EQ(pace.between_reads(4), 16ms);
  EXPECT_EQ(pace.between_reads(4'000), 1s);
  pace.on_useful_read();
  EXPECT_EQ(pace.between_reads(4), 1ms);
}

}}  // namespace quota_tests::store_pace_test
