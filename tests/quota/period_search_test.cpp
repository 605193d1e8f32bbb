// How many seconds a window is long: which lengths are tried for a reset in whole seconds, and the effect of a
// rejection.
#include "quota/estimators/period_search.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace period_search_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};

/// A quota of ten in three seconds. The server's clock is known, and its seconds change together with ours.
class Search : public ::testing::Test {
 protected:
  Account account;
  PeriodSearch search;

  ResetInterval reset_at(Duration end) const {
    const Instant up = begin + std::chrono::ceil<std::chrono::seconds>(end);
    return {.earliest = up, .latest = up, .at = WallTime(up.time_since_epoch()), .grain = 1s};
  }
  void serve(Duration at, std::int64_t used, Duration end) {
    const auto sending = account.send({.at = begin + at});
    account.log().keep(10);
    account.finish(sending);
    account.record(sending, Outcome::served, begin + at + 5ms);
    search.on_response({.sent_at = begin + at,
                        .received_at = begin + at + 5ms,
                        .limit = 10,
                        .remaining = 10 - used,
                        .reset = reset_at(end),
                        .sent = account.sent(),
                        .news = used == 1 ? WindowNews::opened : WindowNews::same,
                        .ends_by = reset_at(end).latest},
                       account.log());
  }
  void use_up(Duration at, Duration end) {
    for (std::int64_t used = 1; used <= 10; ++used) serve(at + (used - 1) * 10ms, used, end);
  }
  void reject(Duration at, Duration end) {
    search.on_refuted();
    search.on_rejected(
        {.sent_at = begin + at, .received_at = begin + at + 5ms, .outcome = Outcome::rejected, .reset = reset_at(end)});
  }
};

TEST_F(Search, tries_the_length_before_the_reset_from_the_second_window_on) {
  use_up(1200ms, 4200ms);
  EXPECT_FALSE(search.guess()) << "little is known of the clock";
  use_up(5010ms, 8010ms);
  EXPECT_EQ(search.guess(), 3s);
  EXPECT_FALSE(search.found());
  serve(8020ms, 1, 11020ms);
  EXPECT_EQ(search.found(), 3s);
}

TEST_F(Search, a_reset_that_moves_with_each_request_is_a_period_after_the_last) {
  for (std::int64_t used = 1; used <= 10; ++used) serve(used * 150ms, used, used * 150ms + 3s);
  use_up(5010ms, 8010ms);
  EXPECT_EQ(search.guess(), 3s);
}

TEST_F(Search, tries_nothing_more_after_a_rejection) {
  use_up(200ms, 3200ms);
  use_up(4010ms, 7010ms);
  reject(7020ms, 7010ms);
  use_up(8010ms, 11010ms);
  EXPECT_FALSE(search.guess());
  EXPECT_FALSE(search.extended_at());
}

TEST_F(Search, a_rejection_that_moves_the_reset_has_extended_the_window) {
  use_up(1200ms, 4200ms);
  use_up(5010ms, 8010ms);
  reject(8020ms, 11020ms);
  EXPECT_EQ(search.guess(), 3s);
  EXPECT_EQ(search.extended_at(), begin + 8025ms);
  use_up(11030ms, 14030ms);
  EXPECT_EQ(search.extended_at(), begin + 11125ms);
  reject(14130ms, 14030ms);
  EXPECT_FALSE(search.guess()) << "that guess was rejected too";
}

TEST_F(Search, windows_with_another_explanation_for_all_resets_are_not_tried) {
  use_up(2500ms, 3000ms);  // aligned, of three seconds: a window of two would not end after half a second
  use_up(3900ms, 6000ms);
  EXPECT_FALSE(search.guess());
}

TEST_F(Search, a_permit_is_held_back_if_windows_of_two_seconds_may_be_aligned) {
  use_up(100ms, 2000ms);
  use_up(2600ms, 4000ms);
  EXPECT_FALSE(search.guess());
  EXPECT_FALSE(search.due(begin + 2700ms, 2)) << "there are permits to spare";
  EXPECT_EQ(search.due(begin + 2700ms, 1), begin + 3605ms);
}

TEST_F(Search, a_permit_is_held_back_if_windows_of_any_number_of_seconds_may_be_aligned) {
  for (const auto period : {3s, 4s, 7s, 12s}) {
    SCOPED_TRACE(period.count());
    search = {};
    account = {};
    const auto boundary = (1000s / period + 1) * period - 1000s;
    use_up(boundary + 300ms, boundary + period);
    use_up(boundary + period + 100ms, boundary + 2 * period);
    EXPECT_FALSE(search.guess());
    EXPECT_EQ(search.due(begin + boundary + period + 200ms, 1),
              begin + boundary + period + 105ms + period - 1s);
  }
}

}  // namespace period_search_test
}  // namespace quota_tests
