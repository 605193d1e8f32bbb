// Tests of how a run is shown.
#include "progress_view.hpp"

#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>

namespace progress_test { namespace progress_view_test {

using namespace std::chrono_literals;
using noun::WaitReason;
using progress::clock_text;
using progress::grouped;
using progress::hold_line;
using progress::in_words;
using progress::live_line;
using progress::plain_line;
using progress::RunView;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t wide = 300;

class ProgressView : public ::testing::Test {
 protected:
  ProgressView() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

RunView running() {
  return {.items = 12300,
          .total = 100000,
          .pages = 123,
          .requests_per_second = 14.2,
          .limit = 60,
          .remaining = 37,
          .resets_in = 42s,
          .time_left = 70s};
}

RunView holding() {
  auto view = running();
  view.reason = WaitReason::quota;
  view.hold_left = 12s;
  view.hold_until = noun::WallTime(14h + 3min + 10s + 700ms);
  return view;
}

std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    count += code < 0x80 ? 1 : code < 0xC0 ? 0 : 2;
  }
  return count;
}

TEST_F(ProgressView, shows_progress_rate_and_time_left) {
  const auto* text =
      "12,300 of 100,000 items · 123 pages · 14.2 requests/s · quota 37 of 60, resets in 42 s · 1 m 10 s left";
  EXPECT_EQ(live_line(running(), wide), text);
  EXPECT_EQ(plain_line(running()), text);
}

TEST_F(ProgressView, shows_the_reason_and_the_end_of_a_wait) {
  EXPECT_EQ(live_line(holding(), wide),
            "waiting 12 s for the quota, until 14:03:10 · 12,300 of 100,000 items · 123 pages · 1 m 10 s left");
  EXPECT_EQ(hold_line(holding()), "waiting 12 s for the quota, until 14:03:10 (12,300 of 100,000 items so far)");
  auto view = holding();
  view.reason = WaitReason::backoff;
  EXPECT_EQ(live_line(view, wide),
            "waiting 12 s before a retry, until 14:03:10 · 12,300 of 100,000 items · 123 pages · "
            "quota 37 of 60, resets in 42 s · 1 m 10 s left");
}

TEST_F(ProgressView, each_reason_has_a_text) {
  for (int reason = 1; reason <= static_cast<int>(WaitReason::same_request); ++reason) {
    auto view = holding();
    view.reason = static_cast<WaitReason>(reason);
    const bool ends = progress::has_known_end(view.reason);
    EXPECT_THAT(hold_line(view), AllOf(StartsWith(ends ? "waiting 12 s " : "waiting for "), Not(HasSubstr("12 s ,"))))
        << to_string(view.reason);
  }
}

TEST_F(ProgressView, a_wait_for_a_share_has_no_known_end) {
  auto view = holding();
  view.reason = WaitReason::share;
  EXPECT_EQ(hold_line(view), "waiting for a share of the quota (12,300 of 100,000 items so far)");
}

TEST_F(ProgressView, a_past_hold_and_a_time_on_another_day_are_not_shown) {
  auto view = holding();
  for (const auto left : {0s, -5s}) {
    view.hold_left = left;
    EXPECT_EQ(live_line(view, wide), live_line(running(), wide));
  }
  view.hold_left = 25h;
  EXPECT_THAT(hold_line(view), StartsWith("waiting 1 d 01 h for the quota (12"));
}

TEST_F(ProgressView, unknown_and_impossible_values_are_left_out) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();
  const std::pair<RunView, const char*> cases[] = {
      {{}, "0 items · 0 pages"},
      {{.items = 1, .pages = 1}, "1 item · 1 page"},
      {{.items = 1, .total = 1, .pages = 1}, "1 of 1 item · 1 page"},
      {{.limit = 60}, "0 items · 0 pages · a quota of 60"},
      {{.remaining = 7}, "0 items · 0 pages · quota 7 left"},
      {{.resets_in = 3s}, "0 items · 0 pages · quota resets in 3 s"},
      {{.items = 10, .total = 9, .pages = 1}, "10 items · 1 page"},
      {{.items = 10}, "10 items"},
      {{.limit = 60, .remaining = 70}, "0 items · 0 pages · quota 70 left"},
      {{.remaining = -7, .resets_in = -1s, .time_left = -1s}, "0 items · 0 pages · quota 0 left"},
      {{.requests_per_second = not_a_number}, "0 items · 0 pages"},
      {{.requests_per_second = infinity}, "0 items · 0 pages"},
      {{.requests_per_second = 0.04}, "0 items · 0 pages · under 0.1 requests/s"},
      {{.requests_per_second = 0.2}, "0 items · 0 pages · 0.2 requests/s"},
      {{.requests_per_second = 99.96}, "0 items · 0 pages · 100 requests/s"},
  };
  for (const auto& [view, text] : cases) EXPECT_EQ(live_line(view, wide), text);
}

TEST_F(ProgressView, lines_fit_the_terminal) {
  auto huge = holding();
  huge.items = std::numeric_limits<std::uint64_t>::max();
  huge.total = huge.items;
  huge.pages = huge.items;
  huge.limit = std::numeric_limits<std::int64_t>::max();
  huge.remaining = huge.limit;
  huge.hold_left = noun::Duration::max();
  huge.hold_until = noun::WallTime::max();
  huge.time_left = noun::Duration::max();
  huge.resets_in = noun::Duration::max();
  huge.requests_per_second = std::numeric_limits<double>::max();
  auto smallest = huge;
  smallest.hold_left = noun::Duration::min();
  smallest.hold_until = noun::WallTime::min();
  smallest.resets_in = noun::Duration::min();
  for (const auto& view : {RunView{}, running(), holding(), huge, smallest})
    for (std::size_t columns = 0; columns <= wide; ++columns) EXPECT_LE(width(live_line(view, columns)), columns);
}

TEST_F(ProgressView, the_least_important_parts_are_left_out_first) {
  const auto whole = live_line(running(), wide);
  const std::tuple<RunView, std::size_t, std::string> cases[] = {
      // A separator is one column wide.
      {running(), width(whole), whole},
      {running(), width(whole) - 1,
       "12,300 of 100,000 items · 123 pages · quota 37 of 60, resets in 42 s · 1 m 10 s left"},
      {running(), 75, "12,300 of 100,000 items · quota 37 of 60, resets in 42 s · 1 m 10 s left"},
      {running(), 60, "12,300 of 100,000 items · 1 m 10 s left"},
      {running(), 30, "12,300 of 100,000 items"},
      {running(), 20, "12,300 of 100,000"},
      {holding(), 80, "waiting 12 s for the quota, until 14:03:10 · 12,300 of 100,000 items"},
      {holding(), 65, "waiting 12 s for the quota, until 14:03:10 · 12,300 of 100,000"},
      {holding(), 30, "waiting 12 s for the quota"},
      {holding(), 20, "waiting 12 s"},
  };
  for (const auto& [view, columns, text] : cases) EXPECT_EQ(live_line(view, columns), text);
}

TEST_F(ProgressView, numbers_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12345678), "12,345,678");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST_F(ProgressView, units_of_spans_depend_on_their_length) {
  // clang-format off
  const std::pair<noun::Duration, const char*> cases[] = {
      {0s, "0 s"}, {-3s, "0 s"}, {1ns, "1 ms"}, {850ms, "850 ms"}, {999600us, "1 s"}, {12s, "12 s"},
      {12499ms, "12 s"}, {59500ms, "1 m 00 s"}, {185s, "3 m 05 s"}, {3599600ms, "1 h 00 m"},
      {2h + 7min, "2 h 07 m"}, {23h + 59min + 40s, "1 d 00 h"}, {76h, "3 d 04 h"},
      {noun::Duration::max(), "106,752 d 00 h"}, {noun::Duration::min(), "0 s"}};
  // clang-format on
  for (const auto& [span, words] : cases) EXPECT_EQ(in_words(span), words) << span.count();
}

TEST_F(ProgressView, the_time_of_day_is_local) {
  EXPECT_EQ(clock_text(noun::WallTime(14h + 3min + 10s)), "14:03:10");
  EXPECT_EQ(clock_text(noun::WallTime(-1ms)), "23:59:59");
  setenv("TZ", "XYZ-2", 1);
  tzset();
  EXPECT_EQ(clock_text(noun::WallTime(14h + 3min + 10s)), "16:03:10");
}

}  // namespace progress_view_test
}  // namespace progress_test
