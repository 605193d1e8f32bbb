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
    account.finish(sending, Outcome::served, begin + at + 5ms);
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
  void use_up(Duration at, Duration end, std::int64_t requests = 10) {
    for (std::int64_t used = 1; used <= requests; ++used) serve(at + (used - 1) * 10ms, used, end);
  }
};

TEST_F(Search, holds_the_last_permit_back_from_the_second_window_on) {
  use_up(200ms, 3200ms);
  EXPECT_FALSE(search.due(begin + 300ms, 1)) << "little is known of the clock";
  use_up(4010ms, 7010ms);
  EXPECT_FALSE(search.due(begin + 4110ms, 2)) << "there are permits to spare";
  EXPECT_EQ(search.due(begin + 4110ms, 1), begin + 7015ms);
  EXPECT_FALSE(search.found());
  serve(7020ms, 1, 10020ms);
  EXPECT_EQ(search.found(), 3s);
  EXPECT_FALSE(search.due(begin + 7030ms, 1));
}

TEST_F(Search, a_permit_that_is_counted_in_the_same_window_shows_that_it_is_longer) {
  for (const auto period : {3s, 4s, 7s, 11s}) {
    SCOPED_TRACE(period.count());
    search = {};
    account = {};
    // The server's windows begin at half a second, with or without a request; resets are rounded up.
    use_up(1010ms, period + 500ms);
    use_up(period + 1010ms, 2 * period + 500ms, 9);
    const auto due = search.due(begin + period + 1110ms, 1);
    ASSERT_EQ(due, begin + period + 1015ms + period - 1s);
    serve(*due - begin, 10, 2 * period + 500ms);
    EXPECT_FALSE(search.found());
    EXPECT_FALSE(search.due(*due, 1));
  }
}

TEST_F(Search, a_rejection_refutes_what_was_found_for_good) {
  use_up(200ms, 3200ms);
  use_up(4010ms, 7010ms);
  serve(7020ms, 1, 10020ms);
  search.on_refuted();
  search.on_rejected();
  use_up(11030ms, 14030ms);
  EXPECT_FALSE(search.found());
  EXPECT_FALSE(search.due(begin + 11130ms, 1));
}

}  // namespace period_search_test
}  // namespace quota_tests
