// Tests of the history of a call and its summary.
#include "call/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace call_test { namespace call_history_test {

using namespace std::chrono_literals;
using noun::CallHistory;
using noun::Errc;
using noun::FailedAttempt;
using noun::Sent;

CallHistory history_of(int attempts, noun::Duration elapsed, const std::vector<FailedAttempt>& failed_attempts = {},
                       int redirects = 0) {
  CallHistory history{
      .began = noun::Instant(), .ended = noun::Instant(elapsed), .attempts = attempts, .redirects = redirects};
  for (const auto& attempt : failed_attempts) history.note(attempt);
  return history;
}
std::vector<FailedAttempt> rejections(std::size_t count) {
  return std::vector<FailedAttempt>(count, FailedAttempt{.status = 429});
}

TEST(CallHistory, sent_only_gets_worse) {
  constexpr Sent all[] = {Sent::no, Sent::answered, Sent::maybe};
  for (int before = 0; before < 3; ++before)
    for (int next = 0; next < 3; ++next) {
      CallHistory history{.sent = all[before]};
      history.note(all[next]);
      EXPECT_EQ(history.sent, all[std::max(before, next)]);
    }
}

TEST(CallHistory, a_summary_has_attempts_redirects_and_time) {
  std::string sixteen = "429";
  for (int more = 1; more < 16; ++more) sixteen += ", 429";
  const std::pair<CallHistory, std::string> cases[] = {
      {history_of(0, 0s), ""},
      {history_of(1, 999ms), ""},
      {history_of(0, 40s), "after waiting 40 s"},
      {history_of(1, 1s), "after 1 attempt in 1 s"},
      {history_of(2, 20ms, {{.status = 503}}), "after 2 attempts in 20 ms"},
      {history_of(2, 30ms, {}, 1), "after 2 attempts, 1 of them redirected, in 30 ms"},
      {history_of(3, 7100ms, {{.status = 503}, {.status = 429}, {.code = Errc::connect}}),
       "after 3 attempts in 7.1 s (503, 429, connect)"},
      {history_of(9, 2s, {{.status = 503}, {.status = 503}}), "after 9 attempts in 2 s (503, 503)"},
      {history_of(16, 9min, rejections(16)), "after 16 attempts in 9 min (" + sixteen + ")"},
      {history_of(50, 9min, rejections(50)), "after 50 attempts in 9 min (" + sixteen + ", …)"},
  };
  for (const auto& [history, expected] : cases) EXPECT_EQ(summary(history), expected);
}

TEST(CallHistory, spans_are_written_in_readable_units) {
  constexpr std::pair<noun::Duration, std::string_view> cases[] = {{0s, "0 ms"},
                                                                   {250ms, "250 ms"},
                                                                   {999'400us, "999 ms"},
                                                                   {999'900us, "1 s"},
                                                                   {1s, "1 s"},
                                                                   {7100ms, "7.1 s"},
                                                                   {119s, "119 s"},
                                                                   {2min, "2 min"},
                                                                   {12min, "12 min"},
                                                                   {2h, "2 h"},
                                                                   {3h + 30min, "3.5 h"},
                                                                   {72h, "3 days"},
                                                                   {24h * 36600, "more than 100 years"}};
  for (const auto& [span, written] : cases) EXPECT_EQ(noun::readable(span), written);
}

}  // namespace call_history_test
}  // namespace call_test
