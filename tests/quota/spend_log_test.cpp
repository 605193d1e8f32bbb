// Our own log of a quota: which period it takes for the right one, and when it says that something is free again.
#include "quota/spend_log.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace quota_tests { namespace spend_log_test {

using namespace std::chrono_literals;
using noun::Duration;
using noun::Instant;
using noun::InstantSpan;
using noun::SpendLog;

constexpr Instant begin{1000s};

/// A quota of ten in a window that begins with its first request, and whose reset is told in whole seconds, rounded up.
class SpendLogBench : public testing::Test {
 protected:
  SpendLog log;
  Duration now = 0s;
  bool absolute = true;

  /// One request of so many in this window, which began at `first` and ends at `end`.
  void spend(std::int64_t used, Duration end, bool tells = true) {
    const Instant sent = begin + now;
    log.record(sent, sent + 5ms);
    const auto told = std::chrono::ceil<std::chrono::seconds>(end);
    log.learn({.sent = sent,
               .received = sent + 5ms,
               .limit = 10,
               .used = used,
               .tells_period = tells,
               .reset = InstantSpan{begin + told - 1s, begin + told},
               .absolute = absolute});
  }
  void use_up_window(Duration at, Duration period, bool tells = true) {
    for (std::int64_t used = 1; used <= 10; ++used) {
      now = at + (used - 1) * 10ms;
      spend(used, at + period, tells);
    }
  }
};

TEST_F(SpendLogBench, nothing_is_known_at_first) {
  EXPECT_FALSE(log.period());
  EXPECT_FALSE(log.free_at(10, 0, 1));
}

TEST_F(SpendLogBench, a_window_that_allows_one_round_number_alone_is_a_guess) {
  use_up_window(300ms, 2s);
  EXPECT_EQ(log.period(), 2s);
}

TEST_F(SpendLogBench, by_spans_it_takes_two_windows) {
  absolute = false;
  for (int window = 0; window < 2; ++window) {
    EXPECT_FALSE(log.period());
    const Duration first = window * 3s + 300ms;
    now = first;
    spend(1, first + 2s);
    now = first + 1s;  // the told span ticks from 2 to 1 in between: the period is 2 s, give or take a request
    log.record(begin + now, begin + now + 5ms);
    log.learn({.sent = begin + now,
               .received = begin + now + 5ms,
               .limit = 10,
               .used = 2,
               .tells_period = true,
               .reset = InstantSpan{begin + first + 1980ms, begin + first + 2980ms}});
  }
  EXPECT_FALSE(log.period()) << "a second is too wide";
}

TEST_F(SpendLogBench, a_period_that_is_no_round_number_is_never_guessed) {
  use_up_window(300ms, 2500ms);
  use_up_window(3700ms, 2500ms);
  EXPECT_FALSE(log.period());
}

TEST_F(SpendLogBench, a_span_that_is_only_known_to_the_second_is_no_reason_to_guess) {
  absolute = false;
  use_up_window(300ms, 2s);
  use_up_window(3700ms, 2s);
  EXPECT_FALSE(log.period());
}

TEST_F(SpendLogBench, windows_that_were_not_begun_at_once_tell_nothing) {
  use_up_window(300ms, 2s, false);
  use_up_window(3700ms, 2s, false);
  EXPECT_FALSE(log.period());
}

TEST_F(SpendLogBench, the_last_window_counts) {
  use_up_window(300ms, 2s);
  use_up_window(3700ms, 5s);
  EXPECT_EQ(log.period(), 5s);
}

TEST_F(SpendLogBench, a_window_that_allows_two_round_numbers_is_no_guess) {
  now = 4s;
  log.record(begin + now, begin + now + 5ms);
  log.learn({.sent = begin + now,
             .received = begin + now + 5ms,
             .limit = 10,
             .used = 1,
             .tells_period = true,
             .reset = InstantSpan{begin + 4500ms, begin + 6500ms},  // 1 and 2 seconds
             .absolute = true});
  EXPECT_FALSE(log.period());
}

TEST_F(SpendLogBench, a_told_window_needs_no_guess) {
  now = 1s;
  log.record(begin + now, begin + now + 5ms);
  log.learn({.sent = begin + now, .received = begin + now + 5ms, .limit = 10, .used = 1, .window = 7s});
  EXPECT_EQ(log.period(), 7s);
}

TEST_F(SpendLogBench, long_periods_are_not_worth_a_guess) {
  now = 1s;
  log.record(begin + now, begin + now + 5ms);
  log.learn({.sent = begin + now, .received = begin + now + 5ms, .limit = 10, .used = 1, .window = 2min + 1s});
  EXPECT_FALSE(log.period());
}

TEST_F(SpendLogBench, one_is_free_a_period_after_the_answer_of_the_first) {
  use_up_window(300ms, 2s);
  use_up_window(3700ms, 2s);
  EXPECT_EQ(log.free_at(10, 0, 1), begin + 3700ms + 5ms + 2s);
  EXPECT_EQ(log.free_at(10, 0, 3), begin + 3720ms + 5ms + 2s);
  EXPECT_EQ(log.free_at(10, 2, 1), begin + 3720ms + 5ms + 2s) << "what is in flight takes its share";
  EXPECT_FALSE(log.free_at(10, 10, 1)) << "not before an answer";
}

TEST_F(SpendLogBench, a_guess_that_was_rejected_is_not_made_again) {
  use_up_window(300ms, 2s);
  use_up_window(3700ms, 2s);
  log.refute();
  EXPECT_FALSE(log.period());
  use_up_window(6100ms, 2s);
  EXPECT_FALSE(log.period());
  use_up_window(12100ms, 5s);
  use_up_window(18300ms, 5s);
  EXPECT_EQ(log.period(), 5s) << "a longer one may be right";
}

TEST_F(SpendLogBench, where_others_spend_too_the_log_says_nothing) {
  use_up_window(300ms, 2s);
  use_up_window(3700ms, 2s);
  now = 5800ms;
  log.record(begin + now, begin + now + 5ms);
  log.learn({.sent = begin + now, .received = begin + now + 5ms, .limit = 10, .used = 10});
  EXPECT_FALSE(log.free_at(10, 0, 1)) << "ten are counted, and one is ours";
}

/// A request that was the only one in flight, under a reset that was told as a whole second of the server's clock.
void send_alone(SpendLog& log, Duration now, std::int64_t used, std::chrono::seconds reset) {
  const auto told = reset - std::chrono::floor<std::chrono::seconds>(now + 500ms);
  log.record(begin + now, begin + now + 5ms);
  log.learn({.sent = begin + now,
             .received = begin + now + 5ms,
             .limit = 10,
             .used = used,
             .absolute = true,
             .alone = true,
             .told = noun::DurationSpan{told - 2s, told},
             .told_at = std::chrono::sys_seconds(reset)});
}

void use_up_rounded(SpendLog& log, Duration at, std::chrono::seconds reset) {
  for (std::int64_t used = 1; used <= 10; ++used) send_alone(log, at + (used - 1) * 10ms, used, reset);
}

TEST(SpendLogSigns, of_two_windows_that_were_met_late_are_enough) {
  SpendLog log;
  use_up_rounded(log, 0s, 3s);
  EXPECT_FALSE(log.outruns_resets());
  use_up_rounded(log, 3s, 6s);
  EXPECT_EQ(log.period(), 2s);
  EXPECT_TRUE(log.outruns_resets());
  EXPECT_FALSE(log.slides());
  EXPECT_EQ(log.free_at(10, 0, 1), begin + 3005ms + 2s);
}

TEST(SpendLogSigns, of_a_period_in_which_more_was_served_than_the_limit_are_no_guess) {
  SpendLog log;
  use_up_rounded(log, 0s, 3s);
  for (int more = 1; more <= 5; ++more)  // another server's count
    log.record(begin + 100ms + more * 10ms, begin + 105ms + more * 10ms);
  use_up_rounded(log, 3s, 6s);
  EXPECT_FALSE(log.outruns_resets());
}

TEST(SpendLogSigns, of_permits_that_come_back_one_by_one_are_enough_until_the_counts_say_otherwise) {
  SpendLog log;
  use_up_rounded(log, 0s, 3s);
  send_alone(log, 2045ms, 6, 3s);  // the first five are forgotten
  EXPECT_TRUE(log.slides());
  EXPECT_EQ(log.period(), 2s);
  for (int more = 1; more <= 4; ++more) send_alone(log, 2045ms + more * 100ms, 1 + more, 5s);
  EXPECT_TRUE(log.slides());
  send_alone(log, 3s, 1, 6s);
  EXPECT_FALSE(log.slides()) << "five more were counted within two seconds";
  EXPECT_FALSE(log.outruns_resets());
}

TEST_F(SpendLogBench, a_limit_too_large_to_be_logged_is_left_alone) {
  now = 1s;
  log.record(begin + now, begin + now + 5ms);
  log.learn({.sent = begin + now, .received = begin + now + 5ms, .limit = 10'001, .used = 1, .window = 7s});
  EXPECT_FALSE(log.free_at(10'001, 0, 1));
}

}  // namespace spend_log_test
}  // namespace quota_tests
