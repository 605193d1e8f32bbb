// A sliding window: which counts reveal it, how long requests are counted, and when the next one may be sent.
#include "quota/estimators/sliding_window.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace sliding_window_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;
using std::chrono::seconds;

constexpr Instant begin{1000s};
/// At `begin` the server's clock is in the middle of a second.
constexpr std::chrono::sys_seconds server_begin{1'700'000'000s};

/// A quota of ten.
class SlidingWindowOfTen : public ::testing::Test {
 protected:
  Account account;
  SlidingWindow window;

  /// One request and its response 5 ms later.
  void spend(Duration at, std::int64_t used, seconds reset, std::optional<Duration> reported = {},
             WindowNews news = WindowNews::stale) {
    const auto sending = account.send({.at = begin + at});
    account.log().keep(10);
    account.finish(sending);
    account.record(sending, Outcome::served, begin + at + 5ms);
    window.on_response({.sent_at = begin + at,
                        .received_at = begin + at + 5ms,
                        .limit = 10,
                        .remaining = 10 - used,
                        .reset = ResetInterval{.earliest = begin + reset - 1s,
                                               .latest = begin + reset,
                                               .at = WallTime(server_begin + reset),
                                               .grain = 1s},
                        .date = server_begin + std::chrono::floor<seconds>(at + 500ms),
                        .window = reported,
                        .in_flight = account.in_flight(),
                        .perhaps_after = account.perhaps_after(sending),
                        .news = news},
                       account);
  }
  void use_up(Duration at, seconds reset) {
    for (std::int64_t used = 1; used <= 10; ++used) spend(at + (used - 1) * 5ms, used, reset);
  }
};

TEST_F(SlidingWindowOfTen, more_permits_than_a_window_or_a_refill_can_free_reveal_the_period) {
  struct Case {
    const char* what;
    Duration at;
    std::int64_t used;
    seconds reset;
    std::optional<Duration> period;
  };
  const Case cases[] = {
      {"four of ten are no longer counted, and seven are used with this one", 2015ms, 7, 3s, 2s},
      {"fewer are used than were sent since: a window may have ended", 2015ms, 1, 5s, {}},
      {"two are freed: one may be freed each second", 2015ms, 9, 3s, {}},
      {"no round period explains it", 1700ms, 7, 3s, {}},
  };
  for (const auto& [what, at, used, reset, period] : cases) {
    SCOPED_TRACE(what);
    window = {};
    account = {};
    use_up(0s, 3s);
    EXPECT_FALSE(window.period());
    spend(at, used, reset);
    EXPECT_EQ(window.period(), period);
    EXPECT_EQ(window.claim(begin, {}, account).has_value(), period.has_value());
  }
}

TEST_F(SlidingWindowOfTen, counts_that_outlive_a_window_reveal_the_period_unless_the_next_response_contradicts_it) {
  struct Case {
    std::int64_t used;
    std::optional<Duration> period;
  };
  for (const auto& [used, period] : {Case{9, 2s}, Case{6, {}}}) {
    SCOPED_TRACE(used);
    window = {};
    account = {};
    use_up(0s, 2s);
    spend(2012ms, 9, 4s, {}, WindowNews::opened);
    ASSERT_EQ(window.period(), 2s);
    EXPECT_EQ(window.claim(begin + 2017ms, {}, account)->earliest, begin + 2017ms + 600ms)
        << "a sliding counter can count as much, and frees a permit by then";
    spend(2015ms, used, 4s, {}, WindowNews::same);
    EXPECT_EQ(window.period(), period);
    spend(2018ms, 9, 4s, {}, WindowNews::same);
    EXPECT_EQ(window.period(), period) << "one response that contradicts it counts more than two that agree";
  }
}

TEST_F(SlidingWindowOfTen, a_count_that_outlives_a_window_shows_nothing_if_it_may_be_another_count) {
  struct Case {
    const char* what;
    Duration at;
    std::int64_t used;
    seconds reset;
    bool shows;
  };
  const Case cases[] = {
      {"nothing remains, but one request was freed", 2002ms, 10, 4s, true},
      {"what our last requests of a second would be", 1042ms, 10, 4s, false},
      {"the window does not begin now: its reset is nearer", 2012ms, 9, 3s, false},
      {"few are counted", 2045ms, 3, 4s, false},
  };
  for (const auto& [what, at, used, reset, shows] : cases) {
    SCOPED_TRACE(what);
    window = {};
    account = {};
    use_up(0s, 2s);
    spend(at, used, reset, {}, WindowNews::opened);
    EXPECT_EQ(window.period().has_value(), shows);
  }
}

TEST_F(SlidingWindowOfTen, others_in_flight_another_reported_length_or_a_refutation_leave_no_period) {
  for (const int reason : {0, 1, 2, 3}) {
    SCOPED_TRACE(reason);
    window = {};
    account = {};
    use_up(0s, 3s);
    if (reason == 1) account.send({.at = begin + 2s});
    spend(2015ms, 7, 3s);
    if (reason == 2) spend(2115ms, 8, 3s, 3s);
    if (reason == 3) {
      window.on_refuted();
      use_up(9s, 12s);
      spend(11'015ms, 7, 12s);
    }
    EXPECT_EQ(window.period().has_value(), reason == 0);
  }
}

TEST_F(SlidingWindowOfTen, counts_that_are_too_low_for_it_end_it) {
  use_up(0s, 3s);
  spend(2025ms, 6, 3s);  // the first five are no longer counted
  EXPECT_EQ(window.period(), 2s);
  for (int more = 1; more <= 4; ++more) spend(2025ms + more * 100ms, 1 + more, 5s);
  EXPECT_EQ(window.period(), 2s);
  spend(3s, 1, 6s);
  EXPECT_FALSE(window.period()) << "five more were counted within two seconds";
}

TEST_F(SlidingWindowOfTen, a_claim_is_for_the_instant_at_which_enough_are_no_longer_counted) {
  use_up(0s, 3s);
  spend(2015ms, 7, 3s);
  const Instant now = begin + 2020ms;
  EXPECT_EQ(window.claim(now, {}, account)->earliest, begin + 10ms + 2s);
  EXPECT_EQ(window.claim(now, {.cost = 2, .reserve = 2}, account)->earliest, begin + 25ms + 2s);
  EXPECT_EQ(window.claim(now, {.cost = 11}, account)->earliest, now + recheck_interval);
  account.send({.at = now});
  EXPECT_EQ(window.claim(now, {}, account)->earliest, begin + 15ms + 2s) << "requests in flight count too";
  for (int i = 0; i < 9; ++i) account.send({.at = now});
  EXPECT_EQ(window.claim(now, {}, account)->earliest, now + recheck_interval);
  EXPECT_EQ(window.claim(now, {}, account)->reason, WaitReason::concurrency);
  spend(2115ms, 22, 3s);
  EXPECT_FALSE(window.claim(now, {}, account)) << "more are counted than are ours";
}

}  // namespace sliding_window_test
}  // namespace quota_tests
