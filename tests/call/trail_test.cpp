// What a call remembers of itself, and how it tells it.
#include <gtest/gtest.h>

#include "call/trail.hpp"

namespace call_test {
namespace trail_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::readable;
using noun::Sent;
using noun::Setback;
using noun::Trail;

Trail trail_of(int attempts, noun::Duration elapsed, std::vector<Setback> setbacks) {
  Trail trail{.ended = noun::Instant(elapsed), .attempts = attempts};
  for (const auto& setback : setbacks) trail.note(setback);
  return trail;
}

TEST(Trail, sent_only_gets_worse) {
  constexpr Sent all[] = {Sent::no, Sent::answered, Sent::maybe};
  for (int before = 0; before < 3; ++before)
    for (int next = 0; next < 3; ++next) {
      Trail trail{.sent = all[before]};
      trail.note(all[next]);
      EXPECT_EQ(trail.sent, all[std::max(before, next)]);
    }
}

TEST(Trail, a_single_quick_attempt_is_not_worth_a_word) {
  EXPECT_EQ(summary(trail_of(1, 999ms, {})), "");
  EXPECT_EQ(summary(trail_of(0, 0s, {})), "");
}

TEST(Trail, attempts_and_time_are_told) {
  EXPECT_EQ(summary(trail_of(1, 60s, {})), "after 1 attempt in 60 s");
  EXPECT_EQ(summary(trail_of(2, 20ms, {{.status = 503}})), "after 2 attempts in 20 ms");
  EXPECT_EQ(summary(trail_of(3, 7100ms, {{.status = 503}, {.status = 429}, {.code = Errc::connect}})),
            "after 3 attempts in 7.1 s (503, 429, connect)");
  EXPECT_EQ(summary(trail_of(0, 40s, {})), "after waiting 40 s");
}

TEST(Trail, more_setbacks_than_a_message_can_show_are_hinted_at) {
  const auto sixteen = trail_of(16, 9min, std::vector<Setback>(16, Setback{.status = 429}));
  EXPECT_EQ(summary(sixteen).find("…"), std::string::npos);
  const auto many = trail_of(50, 9min, std::vector<Setback>(50, Setback{.status = 429}));
  EXPECT_EQ(many.setbacks.size(), 16U);
  EXPECT_TRUE(summary(many).ends_with("429, …)")) << summary(many);
}

TEST(Trail, attempts_without_a_setback_are_not_taken_for_hidden_ones) {
  EXPECT_EQ(summary(trail_of(9, 2s, {{.status = 503}, {.status = 503}})), "after 9 attempts in 2 s (503, 503)");
}

TEST(Trail, spans_are_written_as_people_read_them) {
  EXPECT_EQ(readable(0s), "0 ms");
  EXPECT_EQ(readable(250ms), "250 ms");
  EXPECT_EQ(readable(999'400us), "999 ms");
  EXPECT_EQ(readable(999'900us), "1 s");
  EXPECT_EQ(readable(1s), "1 s");
  EXPECT_EQ(readable(7100ms), "7.1 s");
  EXPECT_EQ(readable(119s), "119 s");
  EXPECT_EQ(readable(2min), "2 min");
  EXPECT_EQ(readable(12min), "12 min");
  EXPECT_EQ(readable(2h), "2 h");
  EXPECT_EQ(readable(3h + 30min), "3.5 h");
  EXPECT_EQ(readable(72h), "3 days");
}

}  // namespace trail_test
}  // namespace call_test
