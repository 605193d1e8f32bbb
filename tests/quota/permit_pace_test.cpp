// The pace on a leaky bucket: how it rises, and what a rejection changes.
#include "quota/estimators/permit_pace.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace permit_pace_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

/// A bucket of two permits, for which one in 100 ms is known.
class Pace : public ::testing::Test {
 protected:
  Instant now = Instant(1000s);
  PermitPace pace{now, 100ms, 2};

  /// Sends a request when it is due.
  Duration exchange(bool served = true) {
    const Duration waited = pace.next() - now;
    now = pace.next();
    pace.on_sent(now);
    served ? pace.on_served(now, now) : pace.on_rejected(now, now);
    return waited;
  }
  Duration interval() {
    exchange();
    return pace.next() - now;
  }
};

TEST_F(Pace, doubles_until_a_rejection_and_returns_to_what_lasted) {
  for (int i = 0; i < 6; ++i) EXPECT_EQ(exchange(), 100ms);
  exchange();
  EXPECT_EQ(exchange(), 50ms);
  for (int i = 0; i < 5; ++i) exchange();
  EXPECT_EQ(exchange(false), 25ms);
  EXPECT_EQ(exchange(), 100ms) << "two intervals after a rejection";
  EXPECT_EQ(interval(), 50ms);
}

TEST_F(Pace, is_slower_after_a_rejection_without_a_rise) {
  for (int i = 0; i < 4; ++i) exchange();
  exchange(false);
  EXPECT_EQ(interval(), 125ms) << "four in half a second";
}

TEST_F(Pace, rejections_of_requests_that_were_in_flight_change_nothing) {
  exchange(false);
  const Instant next = pace.next();
  pace.on_rejected(now - 1ms, now + 1ms);
  EXPECT_EQ(pace.next(), next);
}

TEST_F(Pace, a_late_request_does_not_let_two_follow_at_once) {
  now += 1h;
  pace.on_sent(now);
  EXPECT_EQ(pace.next(), now + 100ms);
}

TEST_F(Pace, a_deserialized_pace_without_an_interval_is_not_whole) {
  EXPECT_TRUE(pace.is_whole());
  EXPECT_FALSE(PermitPace().is_whole());
}

}  // namespace permit_pace_test
}  // namespace quota_tests
