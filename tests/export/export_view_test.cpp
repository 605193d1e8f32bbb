// What a person sees of a run.
#include "export_view.hpp"

#include <cstdlib>
#include <ctime>
#include <limits>

#include <gmock/gmock.h>

namespace export_test {
namespace export_view_test {

using namespace std::chrono_literals;
using noun::WaitReason;
using noun_export::clock_text;
using noun_export::grouped;
using noun_export::hold_line;
using noun_export::in_words;
using noun_export::live_line;
using noun_export::plain_line;
using noun_export::RunView;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::size_t wide = 300;

class ExportView : public testing::Test {
 protected:
  ExportView() {
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
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0U) == 0x80 ? 0 : 1;
  return count;
}

TEST_F(ExportView, says_how_far_how_fast_and_how_long) {
  const auto* text =
      "12,300 of 100,000 items · 123 pages · 14.2 requests/s · quota 37 of 60, resets in 42 s · 1 m 10 s left";
  EXPECT_EQ(live_line(running(), wide), text);
  EXPECT_EQ(plain_line(running()), text);
}

TEST_F(ExportView, while_it_waits_says_why_and_until_when) {
  EXPECT_EQ(live_line(holding(), wide),
            "waiting 12 s for the quota, until 14:03:10 · 12,300 of 100,000 items · 123 pages · 1 m 10 s left");
  EXPECT_EQ(hold_line(holding()), "waiting 12 s for the quota, until 14:03:10 (12,300 of 100,000 items so far)");
  auto view = holding();
  view.reason = WaitReason::backoff;
  EXPECT_EQ(live_line(view, wide),
            "waiting 12 s before another try, until 14:03:10 · 12,300 of 100,000 items · 123 pages · "
            "quota 37 of 60, resets in 42 s · 1 m 10 s left");
}

TEST_F(ExportView, each_reason_has_words) {
  for (auto reason = WaitReason::quota; reason <= WaitReason::backoff;
       reason = static_cast<WaitReason>(static_cast<int>(reason) + 1)) {
    auto view = holding();
    view.reason = reason;
    EXPECT_THAT(hold_line(view), Not(HasSubstr("12 s ,"))) << to_string(reason);
    EXPECT_THAT(hold_line(view), StartsWith("waiting 12 s ")) << to_string(reason);
  }
}

TEST_F(ExportView, a_hold_that_is_over_is_not_told) {
  auto view = holding();
  view.hold_left = 0s;
  EXPECT_EQ(live_line(view, wide), live_line(running(), wide));
  view.hold_left = -5s;
  EXPECT_EQ(live_line(view, wide), live_line(running(), wide));
}

TEST_F(ExportView, a_time_of_day_is_not_told_of_another_day) {
  auto view = holding();
  view.hold_left = 25h;
  EXPECT_THAT(hold_line(view), StartsWith("waiting 1 d 01 h for the quota (12"));
}

TEST_F(ExportView, what_is_not_known_is_left_out) {
  EXPECT_EQ(live_line({}, wide), "0 items · 0 pages");
  EXPECT_EQ(live_line({.items = 1, .pages = 1}, wide), "1 item · 1 page");
  EXPECT_EQ(live_line({.items = 1, .total = 1, .pages = 1}, wide), "1 of 1 item · 1 page");
  EXPECT_EQ(live_line({.limit = 60}, wide), "0 items · 0 pages · a quota of 60");
  EXPECT_EQ(live_line({.remaining = 7}, wide), "0 items · 0 pages · quota 7 left");
  EXPECT_EQ(live_line({.resets_in = 3s}, wide), "0 items · 0 pages · quota resets in 3 s");
}

TEST_F(ExportView, what_cannot_be_is_not_told) {
  EXPECT_EQ(live_line({.items = 10, .total = 9}, wide), "10 items · 0 pages");
  EXPECT_EQ(live_line({.limit = 60, .remaining = 70}, wide), "0 items · 0 pages · quota 70 left");
  EXPECT_EQ(live_line({.remaining = -7, .resets_in = -1s, .time_left = -1s}, wide), "0 items · 0 pages · quota 0 left");
  EXPECT_EQ(live_line({.requests_per_second = std::numeric_limits<double>::quiet_NaN()}, wide), "0 items · 0 pages");
  EXPECT_EQ(live_line({.requests_per_second = std::numeric_limits<double>::infinity()}, wide), "0 items · 0 pages");
}

TEST_F(ExportView, rates_are_as_exact_as_they_need_be) {
  EXPECT_EQ(live_line({.requests_per_second = 0.04}, wide), "0 items · 0 pages · under 0.1 requests/s");
  EXPECT_EQ(live_line({.requests_per_second = 0.2}, wide), "0 items · 0 pages · 0.2 requests/s");
  EXPECT_EQ(live_line({.requests_per_second = 99.96}, wide), "0 items · 0 pages · 100 requests/s");
}

TEST_F(ExportView, no_line_is_wider_than_the_terminal) {
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

TEST_F(ExportView, the_separator_is_one_column_wide) {
  const auto line = live_line(running(), wide);
  EXPECT_EQ(live_line(running(), width(line)), line);
  EXPECT_NE(live_line(running(), width(line) - 1), line);
}

TEST_F(ExportView, what_matters_least_goes_first) {
  EXPECT_EQ(live_line(running(), 100),
            "12,300 of 100,000 items · 123 pages · quota 37 of 60, resets in 42 s · 1 m 10 s left");
  EXPECT_EQ(live_line(running(), 75), "12,300 of 100,000 items · quota 37 of 60, resets in 42 s · 1 m 10 s left");
  EXPECT_EQ(live_line(running(), 60), "12,300 of 100,000 items · 1 m 10 s left");
  EXPECT_EQ(live_line(running(), 30), "12,300 of 100,000 items");
  EXPECT_EQ(live_line(running(), 20), "12,300 of 100,000");
  EXPECT_EQ(live_line(holding(), 80), "waiting 12 s for the quota, until 14:03:10 · 12,300 of 100,000 items");
  EXPECT_EQ(live_line(holding(), 65), "waiting 12 s for the quota, until 14:03:10 · 12,300 of 100,000");
  EXPECT_EQ(live_line(holding(), 30), "waiting 12 s for the quota");
  EXPECT_EQ(live_line(holding(), 20), "waiting 12 s");
}

TEST_F(ExportView, numbers_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12345678), "12,345,678");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST_F(ExportView, spans_are_in_units_that_fit) {
  EXPECT_EQ(in_words(0s), "0 s");
  EXPECT_EQ(in_words(-3s), "0 s");
  EXPECT_EQ(in_words(1ns), "1 ms");
  EXPECT_EQ(in_words(850ms), "850 ms");
  EXPECT_EQ(in_words(999600us), "1 s");
  EXPECT_EQ(in_words(12s), "12 s");
  EXPECT_EQ(in_words(12499ms), "12 s");
  EXPECT_EQ(in_words(59500ms), "1 m 00 s");
  EXPECT_EQ(in_words(185s), "3 m 05 s");
  EXPECT_EQ(in_words(3599600ms), "1 h 00 m");
  EXPECT_EQ(in_words(2h + 7min), "2 h 07 m");
  EXPECT_EQ(in_words(23h + 59min + 40s), "1 d 00 h");
  EXPECT_EQ(in_words(76h), "3 d 04 h");
  EXPECT_EQ(in_words(noun::Duration::max()), "106,752 d 00 h");
  EXPECT_EQ(in_words(noun::Duration::min()), "0 s");
}

TEST_F(ExportView, the_time_of_day_is_that_of_the_machine) {
  EXPECT_EQ(clock_text(noun::WallTime(14h + 3min + 10s)), "14:03:10");
  EXPECT_EQ(clock_text(noun::WallTime(-1ms)), "23:59:59");
  setenv("TZ", "XYZ-2", 1);
  tzset();
  EXPECT_EQ(clock_text(noun::WallTime(14h + 3min + 10s)), "16:03:10");
}

}  // namespace export_view_test
}  // namespace export_test
