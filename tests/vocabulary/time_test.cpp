// Sums of time that stay within their range.
#include <noun/time.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <type_traits>
#include <utility>

namespace vocabulary_test { namespace time_test {

using namespace std::chrono_literals;
using noun::after;
using noun::Deadline;
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

TEST(Deadline, is_none_or_counts_from_the_start_or_is_an_instant) {
  constexpr Instant start(100s);
  static_assert(Deadline().from(start) == Instant::max());
  static_assert(Deadline(5s).from(start) == Instant(105s));
  static_assert(Deadline(Instant(7s)).from(start) == Instant(7s));
  EXPECT_EQ(Deadline(-1min).from(start), Instant(40s));
  EXPECT_EQ(Deadline(std::chrono::duration<double>(0.5)).from(start), Instant(100s + 500ms));
  EXPECT_EQ(Deadline(std::chrono::duration<float, std::milli>(2.5F)).from(start), Instant(100s + 2500us));
  using Coarse = std::chrono::time_point<std::chrono::steady_clock, std::chrono::seconds>;
  EXPECT_EQ(Deadline(Coarse(3s)).from(start), Instant(3s));
}

TEST(Deadline, beyond_the_range_is_its_end) {
  EXPECT_EQ(Deadline(std::chrono::hours::max()).from(Instant(1s)), Instant::max());
  EXPECT_EQ(Deadline(std::chrono::hours::min()).from(Instant(-1s)), Instant::min());
  EXPECT_EQ(Deadline(std::chrono::duration<double>(1e300)).from(Instant(1s)), Instant::max());
  EXPECT_EQ(Deadline(Duration::max()).from(Instant(1s)), Instant::max());
}

TEST(Deadline, is_no_time_of_day) {
  static_assert(std::is_convertible_v<std::chrono::milliseconds, Deadline> && std::is_convertible_v<Instant, Deadline>);
  static_assert(!std::is_convertible_v<WallTime, Deadline> && !std::is_convertible_v<int, Deadline>);
}

}}  // namespace vocabulary_test::time_test
