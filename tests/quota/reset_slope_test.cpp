// The refill rate of a bucket from resets that move with each request, and windows that must not be taken for a bucket.
#include "quota/estimators/reset_slope.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace quota_tests { namespace reset_slope_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};
constexpr std::int64_t limit = 50;
constexpr double each = 0.04;

ResetInterval in_whole_seconds(Instant by_their_clock) {
  const Instant up{std::chrono::ceil<std::chrono::seconds>(by_their_clock.time_since_epoch())};
  return {.earliest = up - 1s, .latest = up, .grain = 1s};
}

Observation response(Instant counted, std::int64_t used, const ResetInterval& reset) {
  return {.sent_at = counted - 2ms,
          .received_at = counted + 3ms,
          .limit = limit,
          .remaining = limit - used,
          .reset = reset};
}

/// A response of a bucket, `since` after `begin`, with `used` permits used; the server's clock is `ahead` of ours.
Observation at_bucket(Duration since, double used, Duration ahead) {
  const Duration until_full{static_cast<Duration::rep>(used * each * 1e9)};
  auto seen = response(begin + since, static_cast<std::int64_t>(std::ceil(used)),
                       in_whole_seconds(begin + since + ahead + until_full));
  seen.perhaps_after = {16, 16};
  return seen;
}

/// All fifty permits, one every half millisecond.
Observation of_burst(int place, Duration ahead) { return at_bucket(place * 500us, place + 1 - place * 0.0125, ahead); }

TEST(ResetSlope, one_burst_gives_it_for_any_server_clock) {
  // Within thirty milliseconds around a second's change, a refill of two seconds moves the reset only once.
  for (Duration ahead = 10ms; ahead <= 960ms; ahead += 10ms)
    for (const bool far_off : {false, true}) {
      SCOPED_TRACE(ahead / 1ms + far_off * 1000);
      ResetSlope slope;
      for (int i = 0; i < limit; ++i) {
        auto seen = of_burst(i, far_off ? ahead - 24h * 365 : ahead);
        if (far_off)
          seen.reset = ResetInterval{.earliest = begin,
                                     .latest = begin + 1h,
                                     .at = WallTime(seen.reset->latest.time_since_epoch()),
                                     .grain = 1s};
        slope.on_response(seen);
      }
      ASSERT_TRUE(slope.seconds_each());
      EXPECT_GE(*slope.seconds_each(), each);
      EXPECT_LE(*slope.seconds_each(), 1.3 * each);
    }
}

TEST(ResetSlope, responses_out_of_order_give_the_same) {
  ResetSlope in_order;
  ResetSlope out_of_order;
  for (int i = 0; i < limit; ++i) {
    in_order.on_response(of_burst(i, 100ms));
    out_of_order.on_response(of_burst(i + (i % 2 == 0 ? 1 : -1), 100ms));
  }
  ASSERT_TRUE(in_order.seconds_each());
  ASSERT_TRUE(out_of_order.seconds_each());
  EXPECT_DOUBLE_EQ(*in_order.seconds_each(), *out_of_order.seconds_each());
}

TEST(ResetSlope, another_burst_starts_again) {
  ResetSlope slope;
  for (int i = 0; i < 10; ++i) slope.on_response(at_bucket(i * 500us, i + 1, 100ms));
  for (int i = 0; i < limit; ++i) slope.on_response(at_bucket(3s + i * 500us, i + 1 - i * 0.0125, 100ms));
  ASSERT_TRUE(slope.seconds_each());
  EXPECT_GE(*slope.seconds_each(), each);
}

TEST(ResetSlope, resets_that_windows_can_have_reported_give_none) {
  struct Case {
    const char* what;
    Observation (*nth)(int i);
  };
  const Case cases[] = {
      {"the end stays", [](int i) { return response(begin + i * 500us, i + 1, in_whole_seconds(begin + 1800ms)); }},
      {"a window ends once, and its end is reported a second off: truncated now plus a rounded rest",
       [](int i) {
         const Duration end = i < 8 ? 1s : i < 16 ? 2s : i < 30 ? 3s : 2s;
         return response(begin + i * 500us, i + 1, in_whole_seconds(begin + end));
       }},
      {"the end is reported some milliseconds later each time",
       [](int i) {
         const Instant end = begin + 1800ms + i * 3ms;
         return response(begin + i * 100us, i + 1, {.earliest = end - 1ms, .latest = end, .grain = 1ms});
       }},
      {"the reset is always as far ahead",
       [](int i) { return response(begin + i * 100ms, i + 1, in_whole_seconds(begin + i * 100ms + 60s)); }},
      {"requests take as long as windows might", [](int i) { return at_bucket(i * 20ms, i + 1 - i * 0.5, 100ms); }},
  };
  for (const auto& [what, nth] : cases) {
    SCOPED_TRACE(what);
    ResetSlope slope;
    for (int i = 0; i < limit; ++i) slope.on_response(nth(i));
    EXPECT_FALSE(slope.seconds_each());
  }
}

TEST(ResetSlope, windows_that_other_clients_use_too_give_none) {
  for (const int per_window : {5, 10, 17, 25}) {
    ResetSlope slope;
    // A new window each second. More permits are gone at once than in the previous one.
    for (int i = 0; i < limit; ++i) {
      const int windows = i / per_window;
      slope.on_response(
          response(begin + windows * 1s + i % per_window * 10ms, i + 1, in_whole_seconds(begin + (windows + 1) * 1s)));
      EXPECT_FALSE(slope.seconds_each()) << per_window << ' ' << i;
    }
  }
  ResetSlope slope;
  // Three responses fit a bucket, but another window would have to move the reset once more.
  slope.on_response(response(begin + 9900ms, 9, in_whole_seconds(begin + 10s)));
  slope.on_response(response(begin + 9990ms, 10, in_whole_seconds(begin + 10s)));
  slope.on_response(response(begin + 10010ms, 20, in_whole_seconds(begin + 20s)));
  EXPECT_FALSE(slope.seconds_each());
}

}  // namespace reset_slope_test
}  // namespace quota_tests
