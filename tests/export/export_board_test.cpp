// What is known of a run at an instant.
#include "export_board.hpp"

#include <limits>

#include <gmock/gmock.h>

namespace export_test {
namespace export_board_test {

using namespace std::chrono_literals;
using noun::Event;
using noun::EventKind;
using noun::Instant;
using noun::WaitReason;
using noun_export::RunBoard;

const Instant begin{1h};

Event sent(std::uint64_t call = 1) { return {.kind = EventKind::sent, .call = call, .attempt = 1}; }
Event holds(noun::Duration wait, std::uint64_t call = 1, WaitReason reason = WaitReason::quota) {
  return {.kind = EventKind::holding, .call = call, .reason = reason, .wait = wait, .until = noun::WallTime(wait)};
}
Event told(noun::QuotaReading quota) { return {.kind = EventKind::answered, .call = 1, .status = 200, .quota = quota}; }
Event notice(std::string note) { return {.kind = EventKind::notice, .note = std::move(note)}; }

TEST(ExportBoard, begins_with_the_first_that_is_told) {
  RunBoard board(begin);
  EXPECT_FALSE(board.has_begun());
  board.observe(sent(), begin);
  EXPECT_TRUE(board.has_begun());
}

TEST(ExportBoard, the_rate_is_that_of_the_last_five_seconds) {
  RunBoard board(begin);
  for (int i = 0; i < 10; ++i) board.observe(sent(), begin + i * 1s);
  EXPECT_DOUBLE_EQ(board.view(begin + 9s).requests_per_second, 1);
  EXPECT_DOUBLE_EQ(board.view(begin + 12s).requests_per_second, 0.4);
  EXPECT_DOUBLE_EQ(board.view(begin + 14s).requests_per_second, 0);
}

TEST(ExportBoard, the_first_requests_are_not_taken_for_a_flood_nor_for_a_trickle) {
  RunBoard board(begin);
  for (int i = 0; i < 4; ++i) board.observe(sent(), begin + 10ms);
  EXPECT_DOUBLE_EQ(board.view(begin + 10ms).requests_per_second, 4);
  EXPECT_DOUBLE_EQ(board.view(begin + 2s).requests_per_second, 2);
}

TEST(ExportBoard, the_quota_counts_down_until_it_resets) {
  RunBoard board(begin);
  board.observe(told({.limit = 60, .remaining = 37, .resets_in = 42s}), begin);
  // What tells no quota does not take it away.
  board.observe(told({}), begin + 1s);
  auto view = board.view(begin + 2s);
  EXPECT_EQ(view.limit, 60);
  EXPECT_EQ(view.remaining, 37);
  EXPECT_EQ(view.resets_in, 40s);
  view = board.view(begin + 42s);
  EXPECT_EQ(view.limit, 60);
  EXPECT_EQ(view.remaining, std::nullopt);
  EXPECT_EQ(view.resets_in, std::nullopt);
}

TEST(ExportBoard, a_quota_without_a_reset_stays) {
  RunBoard board(begin);
  board.observe(told({.limit = {}, .remaining = 5, .resets_in = {}}), begin);
  EXPECT_EQ(board.view(begin + 1h).remaining, 5);
}

TEST(ExportBoard, a_hold_counts_down_and_ends_with_the_next_request) {
  RunBoard board(begin);
  EXPECT_TRUE(board.observe(holds(12s), begin).hold_begins);
  auto view = board.view(begin + 2s);
  EXPECT_EQ(view.reason, WaitReason::quota);
  EXPECT_EQ(view.hold_left, 10s);
  EXPECT_EQ(view.hold_until, noun::WallTime(12s));
  board.observe(sent(), begin + 3s);
  EXPECT_EQ(board.view(begin + 3s).reason, WaitReason::none);
}

TEST(ExportBoard, a_hold_of_a_call_that_gave_up_ends_by_itself) {
  RunBoard board(begin);
  board.observe(holds(12s), begin);
  EXPECT_EQ(board.view(begin + 12s).reason, WaitReason::none);
  EXPECT_TRUE(board.observe(holds(12s, 2), begin + 13s).hold_begins);
}

TEST(ExportBoard, of_several_calls_the_one_that_waits_longest_is_shown) {
  RunBoard board(begin);
  board.observe(holds(5s, 1), begin);
  board.observe(holds(9s, 2, WaitReason::backoff), begin);
  board.observe(holds(7s, 3), begin);
  EXPECT_EQ(board.view(begin).reason, WaitReason::backoff);
  EXPECT_EQ(board.view(begin).hold_left, 9s);
  board.observe(sent(2), begin + 1s);
  EXPECT_EQ(board.view(begin + 1s).hold_left, 6s);
  board.observe(sent(4), begin + 1s);
  EXPECT_EQ(board.view(begin + 1s).hold_left, 6s);
  board.observe(sent(1), begin + 2s);
  board.observe(sent(3), begin + 2s);
  EXPECT_EQ(board.view(begin + 2s).reason, WaitReason::none);
}

TEST(ExportBoard, a_hold_of_many_calls_is_said_once) {
  RunBoard board(begin);
  EXPECT_TRUE(board.observe(holds(30s, 1), begin).hold_begins);
  EXPECT_FALSE(board.observe(holds(30s, 2), begin + 400ms).hold_begins);
  EXPECT_FALSE(board.observe(holds(20s, 3), begin + 1s).hold_begins);
  EXPECT_TRUE(board.observe(holds(60s, 4), begin + 2s).hold_begins);
  for (std::uint64_t call = 1; call <= 4; ++call) board.observe(sent(call), begin + 3s);
  EXPECT_TRUE(board.observe(holds(5s, 5), begin + 4s).hold_begins);
}

TEST(ExportBoard, a_short_hold_is_not_said_and_a_shorter_one_not_shown) {
  RunBoard board(begin);
  EXPECT_FALSE(board.observe(holds(999ms), begin).hold_begins);
  EXPECT_EQ(board.view(begin).reason, WaitReason::quota);
  EXPECT_EQ(board.view(begin + 900ms).reason, WaitReason::quota);
  EXPECT_FALSE(board.observe(holds(199ms), begin).hold_begins);
  EXPECT_EQ(board.view(begin).reason, WaitReason::none);
}

TEST(ExportBoard, a_retry_is_a_hold) {
  RunBoard board(begin);
  auto event = holds(3s, 1, WaitReason::retry_after);
  event.kind = EventKind::retrying;
  EXPECT_TRUE(board.observe(event, begin).hold_begins);
  EXPECT_EQ(board.view(begin).reason, WaitReason::retry_after);
}

TEST(ExportBoard, a_notice_is_said_once) {
  RunBoard board(begin);
  EXPECT_EQ(board.observe(notice("The reset is far."), begin).notice, "The reset is far.");
  EXPECT_EQ(board.observe(notice("The reset is far."), begin).notice, "");
  EXPECT_EQ(board.observe(notice(""), begin).notice, "");
  EXPECT_EQ(board.observe(notice("Another."), begin).notice, "Another.");
}

TEST(ExportBoard, there_is_an_end_to_notices) {
  RunBoard board(begin);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(board.observe(notice(std::to_string(i)), begin).notice, std::to_string(i));
  EXPECT_THAT(board.observe(notice("20"), begin).notice, testing::HasSubstr("left out"));
  EXPECT_EQ(board.observe(notice("21"), begin).notice, "");
  EXPECT_EQ(board.observe(notice("3"), begin).notice, "");
}

TEST(ExportBoard, says_what_failed_before_it_tries_again) {
  const auto line_of = [](noun::Event event) {
    RunBoard board(begin);
    event.kind = noun::EventKind::retrying;
    event.wait = 5s;
    board.observe(event, begin);
    return noun_export::hold_line(board.view(begin));
  };
  using noun::WaitReason;
  EXPECT_THAT(line_of({.error = noun::Errc::connect, .reason = WaitReason::backoff}),
              testing::HasSubstr("waiting 5 s before another try (connect)"));
  EXPECT_THAT(line_of({.status = 503, .reason = WaitReason::backoff}), testing::HasSubstr("another try (503)"));
  EXPECT_THAT(line_of({.status = 503, .reason = WaitReason::retry_after}), testing::Not(testing::HasSubstr("(503)")));
}

TEST(ExportBoard, the_end_comes_nearer) {
  RunBoard board(begin);
  board.progress(300, 3, 1000, {.estimate = 70s}, begin);
  const auto view = board.view(begin + 10s);
  EXPECT_EQ(view.items, 300U);
  EXPECT_EQ(view.pages, 3U);
  EXPECT_EQ(view.total, 1000U);
  EXPECT_EQ(view.time_left, 60s);
  EXPECT_EQ(board.view(begin + 70s).time_left, std::nullopt);
  board.progress(400, 4, 1000, {}, begin + 11s);
  EXPECT_EQ(board.view(begin + 11s).time_left, std::nullopt);
}

TEST(ExportBoard, plain_lines_are_ten_seconds_apart_and_say_something_new) {
  RunBoard board(begin);
  board.progress(1, 1, {}, {}, begin + 1s);
  EXPECT_FALSE(board.line_due(begin + 9999ms));
  EXPECT_TRUE(board.line_due(begin + 10s));
  EXPECT_FALSE(board.line_due(begin + 30s));
  board.progress(2, 1, {}, {}, begin + 30s);
  EXPECT_TRUE(board.line_due(begin + 30s));
  board.progress(3, 1, {}, {}, begin + 31s);
  EXPECT_FALSE(board.line_due(begin + 31s));
}

TEST(ExportBoard, the_longest_times_overflow_nothing) {
  RunBoard board(begin);
  board.observe(holds(noun::Duration::max()), begin);
  board.observe(told({.limit = 1, .remaining = 1, .resets_in = noun::Duration::max()}), begin);
  board.progress(1, 1, std::numeric_limits<std::uint64_t>::max(), {.estimate = noun::Duration::max()}, begin);
  EXPECT_GT(board.view(begin + 1h).hold_left, 24h);
  EXPECT_GT(board.view(begin + 1h).time_left, 24h);
  EXPECT_GT(board.view(begin + 1h).resets_in, 24h);
  board.observe(told({.limit = 1, .remaining = 1, .resets_in = noun::Duration::min()}), begin);
  EXPECT_EQ(board.view(begin + 1h).remaining, std::nullopt);
  EXPECT_FALSE(board.observe(holds(noun::Duration::min(), 2), begin).hold_begins);
}

}  // namespace export_board_test
}  // namespace export_test
