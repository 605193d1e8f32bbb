// Sums of time that stay within their range.
#include <noun/time.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace vocabulary_test { namespace time_test {

using namespace std::chrono_literals;
using noun::after;
using noun::Duration;
using noun::Instant;
using noun::Now;
using noun::wall_time_of;
using noun::WallTime;

TEST(Time, after_is_a_sum_that_stops_at_the_ends_of_its_range) {
  for (const auto span : {3s, -3s, 0s}) EXPECT_EQ(after(Instant(5s), span), Instant(5s + span));
  constexpr auto last = Instant::max();
  constexpr auto first = Instant::min();
  for (const auto& [when, span] :
       {std::pair(Instant(1ns), Duration::max()), {Instant(0s), Duration::max()}, {last, 1ns}, {last - 1ns, 1ns}})
    EXPECT_EQ(after(when, span), last);
  for (const auto& [when, span] : {std::pair(Instant(-1s), Duration::min()), {first, -1ns}, {first + 1ns, -1ns}})
    EXPECT_EQ(after(when, span), first);
  static_assert(after(Instant::max(), Duration::max()) == Instant::max());
}

TEST(Time, the_wall_time_of_an_instant_is_as_far_away_as_the_instant) {
  const Now now{Instant(100s), WallTime(1'000'000s)};
  EXPECT_EQ(wall_time_of(Instant(130s), now), WallTime(1'000'030s));
  EXPECT_EQ(wall_time_of(Instant(70s), now), WallTime(999'970s));
  EXPECT_EQ(wall_time_of(now.steady, now), now.wall);
}

TEST(Time, a_wall_time_beyond_the_range_is_its_end) {
  EXPECT_EQ(wall_time_of(Instant::max(), {Instant(1s), WallTime(1'700'000'000s)}), WallTime::max());
  constexpr auto long_ago = wall_time_of(Instant(-1s), {Instant(0s), WallTime::min()});
  EXPECT_EQ(long_ago, WallTime::min());
  static_assert(wall_time_of(Instant(0s), {Instant(5s), WallTime(2s)}) == WallTime(-3s));
}

}}  // namespace vocabulary_test::time_test
