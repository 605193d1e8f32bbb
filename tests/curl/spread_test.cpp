#include "curl/spread.hpp"

#include <cstddef>

#include <gtest/gtest.h>

namespace noun_test { namespace spread_test {

using noun::curl::Spread;

constexpr std::size_t most = 64;

/// Attempts that have begun, each at the handle that is chosen.
void begin(Spread& spread, std::size_t count) {
  for (; count > 0; --count) {
    auto& part = spread.part(spread.choose(Spread::Use::alone, false));
    ++part.attempts;
    ++part.unsent;
  }
}

/// The requests of all attempts at a handle are sent.
void send(Spread::Part& part) { part.unsent = 0; }

/// That many of them are over; their connections are kept.
void finish(Spread::Part& part, std::size_t count) {
  part.attempts -= count;
  part.idle += count;
}

std::size_t next_of(Spread& spread, bool fresh = false) { return spread.choose(Spread::Use::alone, fresh); }

TEST(Spread, puts_so_many_attempts_on_one_handle_before_it_takes_another) {
  Spread spread;
  begin(spread, 2 * most + 1);
  EXPECT_EQ(spread.part(0).attempts, most);
  EXPECT_EQ(spread.part(1).attempts, most);
  EXPECT_EQ(spread.part(2).attempts, 1U);
  --spread.part(1).attempts;
  EXPECT_EQ(next_of(spread), 1U) << "the first with room";
}

TEST(Spread, prefers_an_idle_connection_to_another_one) {
  Spread spread;
  begin(spread, 2 * most);
  for (const auto number : {0U, 1U}) send(spread.part(number));
  spread.part(0).attempts -= 2;  // their connections are closed
  finish(spread.part(1), 2);
  EXPECT_EQ(next_of(spread), 1U);
  begin(spread, 2);
  EXPECT_EQ(spread.part(1).attempts, most) << "each takes one of them";
  EXPECT_EQ(next_of(spread), 0U);
  finish(spread.part(0), 1);
  send(spread.part(1));
  spread.part(1).idle = 1;
  EXPECT_EQ(next_of(spread), 0U) << "the first, so that the last one empties";
}

TEST(Spread, an_attempt_that_takes_no_idle_connection_goes_where_there_is_room) {
  Spread spread;
  begin(spread, most);
  send(spread.part(0));
  finish(spread.part(0), 1);
  EXPECT_EQ(next_of(spread, true), 1U) << "with the idle one, the first is full";
  EXPECT_EQ(next_of(spread), 0U);
}

TEST(Spread, keeps_attempts_that_share_connections_on_one_handle) {
  Spread spread;
  EXPECT_EQ(spread.choose(Spread::Use::shared, false), 0U);
  begin(spread, most);
  EXPECT_EQ(spread.choose(Spread::Use::shared, false), 0U);
  EXPECT_EQ(next_of(spread), 1U);
}

}}  // namespace noun_test::spread_test
