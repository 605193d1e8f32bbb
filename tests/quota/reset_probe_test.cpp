// When a request at the change of a second is worth its delay, and which change it tests.
#include "quota/estimators/reset_probe.hpp"

#include <gtest/gtest.h>

namespace quota_tests { namespace reset_probe_test {

using namespace std::chrono_literals;
using namespace noun;
using namespace noun::quota;

constexpr Instant begin{1000s};

ResetInterval between(Duration earliest, Duration latest) {
  return {.earliest = begin + earliest, .latest = begin + latest, .at = {}, .grain = 1s};
}

/// A probe of a server that takes 5 ms. `now` is relative to `begin`.
class ResetProbeAt : public ::testing::Test {
 protected:
  ResetProbe probe;

  std::optional<Duration> due(Duration now, const ResetInterval& reset, std::int64_t spare = 9, bool once = false,
                              Duration exchange = 5ms) const {
    const auto measurement = probe.due(begin + now, reset, exchange, spare, once);
    return measurement ? std::optional(measurement->at - begin) : std::nullopt;
  }
  void plan(Duration now, const ResetInterval& reset) {
    const auto measurement = probe.due(begin + now, reset, 5ms, 9);
    ASSERT_TRUE(measurement);
    probe.plan(*measurement, begin + now);
  }
  void send(Duration now, const ResetInterval& reset) {
    plan(now, reset);
    probe.send();
  }
};

TEST_F(ResetProbeAt, a_wide_interval_is_searched_in_even_steps) {
  for (const bool once : {false, true}) EXPECT_EQ(due(0s, between(9s, 10s), 9, once), 100ms);
  send(0s, between(9s, 10s));
  EXPECT_EQ(due(100ms, between(9100ms, 10s), 8), 200ms);
  EXPECT_EQ(due(100ms, between(9s, 10s), 8), 200ms) << "a pending measurement is not repeated";
}

TEST_F(ResetProbeAt, what_is_planned_stays_due_until_it_is_sent_or_reconsidered) {
  EXPECT_EQ(due(0s, between(9s, 10s)), 100ms);
  EXPECT_EQ(due(150ms, between(9s, 10s)), 1100ms) << "due() plans nothing";
  plan(0s, between(9s, 10s));
  EXPECT_EQ(due(150ms, between(9s, 10s)), 100ms);
  probe.reconsider();
  EXPECT_EQ(due(150ms, between(9s, 10s)), 1100ms);
}

TEST_F(ResetProbeAt, what_no_request_can_measure_is_not_searched) {
  auto local = between(9s, 10s);
  local.by_local_clock = true;
  EXPECT_EQ(due(0s, local), std::nullopt) << "the local clock has no tick";
  EXPECT_EQ(due(0s, between(9960ms, 10s)), std::nullopt) << "it is narrow";
  EXPECT_EQ(due(0s, between(9s, 10s), 9, false, 250ms), std::nullopt) << "a slow server cannot measure better";
  for (const Duration now : {9500ms, 10000ms}) EXPECT_EQ(due(now, between(9s, 10s)), std::nullopt) << "no tick is left";
}

TEST_F(ResetProbeAt, an_absolute_reset_inside_the_second_ticks_before_it) {
  auto reset = between(9200ms, 10'200ms);
  reset.tick_offset = 200ms;
  EXPECT_EQ(due(0s, reset), 100ms) << "a whole number of seconds before 9.1 s";
  EXPECT_EQ(due(9050ms, reset), 9100ms);
}

TEST_F(ResetProbeAt, a_started_search_narrows_to_the_resolution_of_two_round_trips) {
  send(0s, between(9s, 10s));
  EXPECT_NE(due(200ms, between(9075ms, 9100ms), 8), std::nullopt);
  EXPECT_EQ(due(200ms, between(9080ms, 9100ms), 8), std::nullopt);
}

TEST_F(ResetProbeAt, after_the_last_step_the_middle_of_the_rest_is_tested) {
  send(0s, between(9s, 10s));  // it tested 9.1 s, and the second had changed
  EXPECT_EQ(due(110ms, between(9s, 9104ms), 8), 1052ms);
  EXPECT_EQ(due(110ms, between(9s, 9104ms), 8, true), std::nullopt) << "once only, and this is a second later";
}

TEST_F(ResetProbeAt, the_end_of_the_previous_window_is_tested_first_unless_it_is_wide_or_later) {
  for (const auto& before : {InstantSpan{begin, begin + 600ms}, InstantSpan{begin + 20s, begin + 20s}}) {
    probe.restart(before);
    EXPECT_EQ(probe.guess(between(9s, 10s)).earliest, begin + 9s);
  }
  probe.restart(InstantSpan{begin + 400ms, begin + 450ms});
  EXPECT_EQ(probe.guess(between(9s, 10s)).earliest, begin + 9400ms);
  EXPECT_EQ(due(0s, between(9s, 10s)), 400ms);
  send(0s, between(9s, 10s));
  EXPECT_EQ(due(400ms, between(9400ms, 10s), 8), 466'666'666ns);
}

TEST_F(ResetProbeAt, the_previous_window_can_make_it_narrow_enough) {
  probe.restart(InstantSpan{begin + 970ms, begin + 990ms});
  EXPECT_EQ(due(0s, between(9s, 10s)), std::nullopt);
  probe.restart(InstantSpan{begin + 400ms, begin + 450ms});
  EXPECT_EQ(due(0s, between(9s, 9500ms)), std::nullopt) << "a tenth of a second is not worth another search";
  EXPECT_NE(due(0s, between(9s, 9501ms)), std::nullopt);
}

}  // namespace reset_probe_test
}  // namespace quota_tests
