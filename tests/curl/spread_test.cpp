#include "curl/spread.hpp"

#include <chrono>
#include <cstddef>

#include <gtest/gtest.h>

namespace noun_test { namespace spread_test {

using noun::Instant;
using noun::curl::Spread;
using namespace std::chrono_literals;

constexpr std::size_t most = 64;

/// Attempts that have begun, each at the handle that is chosen.
void begin(Spread& spread, std::size_t count) {
  for (; count > 0; --count) {
    auto& part = spread.part(spread.choose(false));
    ++part.attempts;
    ++part.unsent;
  }
}

/// The requests of all attempts at a handle are sent.
void send(Spread::Part& part) { part.unsent = 0; }

/// That many of them are over; their connections are kept.
void finish(Spread::Part& part, std::size_t count, Instant now) {
  part.attempts -= count;
  part.idle += count;
  part.idle_since = now;
}

TEST(Spread, puts_so_many_attempts_on_one_handle_before_it_takes_another) {
  Spread spread;
  begin(spread, 2 * most + 1);
  EXPECT_EQ(spread.part(0).attempts, most);
  EXPECT_EQ(spread.part(1).attempts, most);
  EXPECT_EQ(spread.part(2).attempts, 1U);
  --spread.part(1).attempts;
  EXPECT_EQ(spread.choose(false), 1U) << "the first with room";
}

TEST(Spread, prefers_the_idle_connection_that_was_used_last) {
  Spread spread;
  begin(spread, 3 * most);
  for (const auto number : {0U, 1U, 2U}) send(spread.part(number));
  finish(spread.part(0), most, Instant(3s));
  finish(spread.part(2), 2, Instant(5s));
  EXPECT_EQ(spread.choose(false), 2U);
  begin(spread, 2);
  EXPECT_EQ(spread.part(2).attempts, most) << "each takes one of them";
  EXPECT_EQ(spread.choose(false), 0U);
  finish(spread.part(1), 1, Instant(6s));
  EXPECT_EQ(spread.choose(false), 1U);
  begin(spread, 1 + most);
  EXPECT_EQ(spread.choose(false), 3U) << "all have theirs";
}

TEST(Spread, keeps_attempts_that_share_connections_on_one_handle) {
  Spread spread;
  begin(spread, most);
  EXPECT_EQ(spread.choose(true), 0U);
  EXPECT_EQ(spread.choose(false), 1U);
}

}}  // namespace noun_test::spread_test
