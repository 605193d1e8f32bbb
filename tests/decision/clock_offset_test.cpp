// Tests of the server's clock as a rejection shows it.
#include "decision/clock_offset.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace decision_tests { namespace clock_offset_test {

using namespace std::chrono_literals;
using noun::ClockOffset;
using noun::Headers;
using noun::SigningTime;

/// Sunday, 6 November 1994, 08:49:37, and a half.
const noun::WallTime now = std::chrono::sys_days(1994y / 11 / 6) + 8h + 49min + 37s + 500ms;

bool correct(ClockOffset& offset, const char* date) {
  return offset.correct({{"Date", date}}, now, offset.corrected(now));
}

TEST(ClockOffset, is_zero_until_a_date_differs_by_more_than_four_minutes) {
  ClockOffset offset;
  EXPECT_FALSE(correct(offset, "Sun, 06 Nov 1994 08:53:37 GMT"));
  EXPECT_FALSE(correct(offset, "Sun, 06 Nov 1994 08:45:37 GMT"));
  EXPECT_EQ(offset.corrected(now), now);
  EXPECT_TRUE(correct(offset, "Sun, 06 Nov 1994 08:53:38 GMT"));
  EXPECT_EQ(offset.corrected(now), now + 4min + 1s);
}

TEST(ClockOffset, is_compared_with_what_it_was_corrected_to) {
  ClockOffset offset;
  EXPECT_TRUE(correct(offset, "Sun, 06 Nov 1994 08:29:37 GMT"));
  EXPECT_EQ(offset.corrected(now), now - 20min);
  EXPECT_FALSE(correct(offset, "Sun, 06 Nov 1994 08:30:37 GMT"));
  // The client's clock was set.
  EXPECT_TRUE(correct(offset, "Sun, 06 Nov 1994 08:49:37 GMT"));
  EXPECT_EQ(offset.corrected(now), now);
}

TEST(ClockOffset, is_not_that_of_a_response_without_its_date_or_from_a_cache) {
  ClockOffset offset;
  EXPECT_FALSE(offset.correct({}, now, now));
  EXPECT_FALSE(correct(offset, "yesterday"));
  EXPECT_FALSE(correct(offset, "Fri, 31 Dec 9999 23:59:59 GMT"));
  EXPECT_FALSE(correct(offset, "Sat, 01 Jan 0000 00:00:00 GMT"));
  EXPECT_FALSE(offset.correct({{"Date", "Sun, 06 Nov 1994 10:00:00 GMT"}, {"Age", "0"}}, now, now));
  EXPECT_EQ(offset.corrected(now), now);
}

TEST(ClockOffset, helps_credentials_that_were_signed_before_another_call_set_it) {
  ClockOffset offset;
  EXPECT_TRUE(correct(offset, "Sun, 06 Nov 1994 09:49:37 GMT"));
  EXPECT_TRUE(offset.correct({{"Date", "Sun, 06 Nov 1994 09:49:38 GMT"}}, now, now));
  EXPECT_EQ(offset.ahead(), 1h);
  EXPECT_FALSE(offset.correct({{"Date", "Sun, 06 Nov 1994 08:49:38 GMT"}}, now, now)) << "the time was right";
  EXPECT_EQ(offset.ahead(), 1h);
}

TEST(ClockOffset, is_restored_unless_another_call_has_set_it) {
  ClockOffset offset;
  EXPECT_TRUE(correct(offset, "Sun, 06 Nov 1994 09:49:37 GMT"));
  offset.restore(0s, 2h);
  EXPECT_EQ(offset.ahead(), 1h);
  offset.restore(0s, 1h);
  EXPECT_EQ(offset.ahead(), 0s);
}

const Headers an_hour_ahead{{"Date", "Sun, 06 Nov 1994 09:49:37 GMT"}};

TEST(SigningTime, that_is_rejected_is_corrected_once_and_an_offset_that_did_not_help_is_given_up) {
  ClockOffset offset;
  SigningTime time;
  EXPECT_EQ(time.take(now, nullptr), now);
  time.take(now, &offset);
  EXPECT_FALSE(time.is_rejected(offset, an_hour_ahead, now, false)) << "the attempt is not made again";
  EXPECT_TRUE(time.is_rejected(offset, an_hour_ahead, now, true));
  EXPECT_EQ(time.take(now, &offset), offset.corrected(now));
  EXPECT_FALSE(time.is_rejected(offset, an_hour_ahead, now, true));
  EXPECT_EQ(offset.ahead(), 0s);
}

TEST(SigningTime, that_helped_is_kept_when_a_later_attempt_is_rejected) {
  ClockOffset offset;
  SigningTime time;
  time.take(now, &offset);
  EXPECT_TRUE(time.is_rejected(offset, an_hour_ahead, now, true));
  time.take(now, &offset);
  time.confirm();
  EXPECT_FALSE(time.is_rejected(offset, an_hour_ahead, now, true)) << "that was the time by the server's clock";
  EXPECT_GT(offset.ahead(), 59min);
}

}  // namespace clock_offset_test
}  // namespace decision_tests
