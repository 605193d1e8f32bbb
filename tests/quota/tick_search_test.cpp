// When a request at a tick is worth its delay, and which tick it asks about.
#include "quota/tick_search.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace tick_search_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::InstantSpan;
using noun::ResetSpan;
using noun::TickSearch;

constexpr Instant begin{1000s};

ResetSpan between(Duration earliest, Duration latest) {
  return {.earliest = begin + earliest, .latest = begin + latest, .at = {}, .grain = 1s};
}

TEST(TickSearch, a_wide_interval_is_searched_in_even_steps) {
  TickSearch search;
  const auto reset = between(9s, 10s);
  EXPECT_EQ(search.due(begin, reset, 5ms, 9), begin + 100ms);
  search.spend();
  EXPECT_EQ(search.due(begin + 100ms, between(9100ms, 10s), 5ms, 8), begin + 200ms);
}

TEST(TickSearch, what_is_due_stays_due_until_it_is_spent_or_thought_over) {
  TickSearch search;
  search.due(begin, between(9s, 10s), 5ms, 9);
  EXPECT_EQ(search.due(begin + 150ms, between(9s, 10s), 5ms, 9), begin + 100ms);
  search.reconsider();
  EXPECT_EQ(search.due(begin + 150ms, between(9s, 10s), 5ms, 9), begin + 1100ms);
}

TEST(TickSearch, questions_that_are_still_open_are_not_asked_again) {
  TickSearch search;
  const auto reset = between(9s, 10s);
  search.due(begin, reset, 5ms, 9);
  search.spend();
  EXPECT_EQ(search.due(begin + 100ms, reset, 5ms, 8), begin + 200ms);
}

TEST(TickSearch, a_narrow_interval_is_left_alone) {
  TickSearch search;
  EXPECT_EQ(search.due(begin, between(9960ms, 10s), 5ms, 9), std::nullopt);
  EXPECT_EQ(search.due(begin, between(9s, 10s), 250ms, 9), std::nullopt);  // a slow service cannot tell better
}

TEST(TickSearch, once_begun_it_narrows_to_what_two_exchanges_can_tell) {
  TickSearch search;
  search.due(begin, between(9s, 10s), 5ms, 9);
  search.spend();
  search.reconsider();
  EXPECT_NE(search.due(begin + 200ms, between(9075ms, 9100ms), 5ms, 8), std::nullopt);
  search.reconsider();
  EXPECT_EQ(search.due(begin + 200ms, between(9080ms, 9100ms), 5ms, 8), std::nullopt);
}

TEST(TickSearch, behind_the_last_question_the_middle_of_what_is_left_is_asked) {
  TickSearch search;
  search.due(begin, between(9s, 10s), 5ms, 9);
  search.spend();  // asked about 9.1 s: it had ticked
  EXPECT_EQ(search.due(begin + 110ms, between(9s, 9104ms), 5ms, 8), begin + 1052ms);
}

TEST(TickSearch, once_only_nothing_is_asked_a_second_later) {
  TickSearch search;
  EXPECT_EQ(search.due(begin, between(9s, 10s), 5ms, 9, true), begin + 100ms);
  search.spend();  // it had ticked
  EXPECT_EQ(search.due(begin + 110ms, between(9s, 9104ms), 5ms, 8, true), std::nullopt);
}

TEST(TickSearch, with_no_tick_before_the_reset_nothing_is_due) {
  TickSearch search;
  EXPECT_EQ(search.due(begin + 9500ms, between(9s, 10s), 5ms, 9), std::nullopt);
  EXPECT_EQ(search.due(begin + 10s, between(9s, 10s), 5ms, 9), std::nullopt);
}

TEST(TickSearch, an_absolute_reset_inside_the_second_ticks_before_it) {
  TickSearch search;
  auto reset = between(9200ms, 10'200ms);
  reset.tick_offset = 200ms;
  EXPECT_EQ(search.due(begin, reset, 5ms, 9), begin + 100ms);  // a whole number of seconds before 9.1 s
  search.reconsider();
  EXPECT_EQ(search.due(begin + 9050ms, reset, 5ms, 9), begin + 9100ms);
}

TEST(TickSearch, the_local_clock_has_no_tick) {
  TickSearch search;
  auto reset = between(9s, 10s);
  reset.by_local_clock = true;
  EXPECT_EQ(search.due(begin, reset, 5ms, 9), std::nullopt);
}

TEST(TickSearch, where_the_window_before_turned_is_asked_first) {
  TickSearch search;
  search.restart(InstantSpan{begin + 400ms, begin + 450ms});
  const auto reset = between(9s, 10s);
  EXPECT_EQ(search.guess(reset).earliest, begin + 9400ms);
  EXPECT_EQ(search.due(begin, reset, 5ms, 9), begin + 400ms);
  search.spend();
  EXPECT_EQ(search.due(begin + 400ms, between(9400ms, 10s), 5ms, 8), begin + 466'666'666ns);
}

TEST(TickSearch, a_guess_that_makes_it_narrow_saves_the_search) {
  TickSearch search;
  search.restart(InstantSpan{begin + 970ms, begin + 990ms});
  EXPECT_EQ(search.due(begin, between(9s, 10s), 5ms, 9), std::nullopt);
}

TEST(TickSearch, behind_a_window_that_was_searched_a_tenth_of_a_second_is_not_worth_another_search) {
  TickSearch search;
  search.restart(InstantSpan{begin + 400ms, begin + 450ms});
  EXPECT_EQ(search.due(begin, between(9s, 9500ms), 5ms, 9), std::nullopt);
  EXPECT_NE(search.due(begin, between(9s, 9501ms), 5ms, 9), std::nullopt);
}

TEST(TickSearch, a_wide_or_later_window_before_is_no_guess) {
  TickSearch search;
  search.restart(InstantSpan{begin, begin + 600ms});
  EXPECT_EQ(search.guess(between(9s, 10s)).earliest, begin + 9s);
  search.restart(InstantSpan{begin + 20s, begin + 20s});
  EXPECT_EQ(search.guess(between(9s, 10s)).earliest, begin + 9s);
}

}  // namespace tick_search_test
}  // namespace quota_tests
