// Tests of the state of a run at an instant.
#include "progress_board.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>

namespace progress_test { namespace progress_board_test {

using namespace std::chrono_literals;
using noun::Event;
using noun::EventKind;
using noun::Instant;
using noun::WaitReason;
using progress::RunBoard;
using ::testing::HasSubstr;
using ::testing::Not;

const Instant begin{1h};

Event sent(std::uint64_t call = 1) { return {.kind = EventKind::sent, .call = call, .attempt = 1}; }
Event holds(noun::Duration wait, std::uint64_t call = 1, WaitReason reason = WaitReason::quota) {
  return {.kind = EventKind::holding, .call = call, .reason = reason, .wait = wait, .until = noun::WallTime(wait)};
}
Event reported(noun::QuotaReading quota) {
  return {.kind = EventKind::attempt_ended, .call = 1, .status = 200, .quota = quota};
}

/// A board; times are since its start.
class ProgressBoard : public ::testing::Test {
 protected:
  progress::ToPrint observe(const Event& event, noun::Duration after = 0s) {
    return board_.observe(event, begin + after);
  }
  /// Whether a hold is printed at once.
  bool prints(const Event& event, noun::Duration after = 0s) { return observe(event, after).hold_started; }
  std::string printed_notice(const std::string& note, std::uint64_t call = 1) {
    return observe({.kind = EventKind::notice, .call = call, .note = note}).notice;
  }
  progress::RunView view(noun::Duration after) const { return board_.view(begin + after); }
  /// For example `waiting 10 s for the quota`; `waiting ` if there is no hold.
  std::string hold(noun::Duration after) const {
    const auto line = progress::hold_line(view(after));
    return line.substr(0, line.find_first_of(",("));
  }
  std::string line(noun::Duration after) const { return progress::plain_line(view(after)); }

  RunBoard board_{begin};
};

TEST_F(ProgressBoard, starts_with_the_first_event) {
  EXPECT_FALSE(board_.has_started());
  observe(sent());
  EXPECT_TRUE(board_.has_started());
}

TEST_F(ProgressBoard, the_rate_is_that_of_the_last_five_seconds) {
  for (int i = 0; i < 10; ++i) observe(sent(), i * 1s);
  EXPECT_DOUBLE_EQ(view(9s).requests_per_second, 1);
  EXPECT_DOUBLE_EQ(view(12s).requests_per_second, 0.4);
  EXPECT_DOUBLE_EQ(view(14s).requests_per_second, 0);
}

TEST_F(ProgressBoard, the_rate_of_the_first_seconds_is_per_elapsed_time_and_not_known_before_the_first) {
  for (int i = 0; i < 4; ++i) observe(sent(), 10s);
  EXPECT_DOUBLE_EQ(view(10999ms).requests_per_second, 0);
  EXPECT_DOUBLE_EQ(view(11s).requests_per_second, 4);
  EXPECT_DOUBLE_EQ(view(12s).requests_per_second, 2);
}

TEST_F(ProgressBoard, the_quota_counts_down_until_it_resets) {
  observe(reported({.limit = 60, .remaining = 37, .resets_in = 42s}));
  // A response without a quota does not remove it.
  observe(reported({}), 1s);
  EXPECT_EQ(line(2s), "0 items · 0 pages · quota 37 of 60, resets in 40 s");
  EXPECT_EQ(line(42s), "0 items · 0 pages · a quota of 60");
  // Without a reset it is kept.
  observe(reported({.limit = {}, .remaining = 5, .resets_in = {}}), 43s);
  EXPECT_EQ(view(1h).remaining, 5);
}

TEST_F(ProgressBoard, a_hold_counts_down_and_ends_with_the_next_request) {
  EXPECT_TRUE(prints(holds(12s)));
  EXPECT_EQ(hold(2s), "waiting 10 s for the quota");
  EXPECT_EQ(view(2s).hold_until, noun::WallTime(12s));
  observe(sent(), 3s);
  EXPECT_EQ(hold(3s), "waiting ");
}

TEST_F(ProgressBoard, a_hold_ends_at_its_time_without_a_request) {
  observe(holds(12s));
  EXPECT_EQ(hold(12s), "waiting ");
  EXPECT_TRUE(prints(holds(12s, 2), 13s));
}

TEST_F(ProgressBoard, a_hold_ends_with_its_call) {
  observe(holds(12s));
  observe({.kind = EventKind::ended, .call = 1}, 3s);
  EXPECT_EQ(hold(4s), "waiting ");
}

TEST_F(ProgressBoard, the_longest_hold_is_shown) {
  observe(holds(5s, 1));
  observe(holds(9s, 2, WaitReason::backoff));
  observe(holds(7s, 3));
  EXPECT_EQ(hold(0s), "waiting 9 s before a retry");
  observe(sent(2), 1s);
  EXPECT_EQ(hold(1s), "waiting 6 s for the quota");
  observe(sent(4), 1s);
  EXPECT_EQ(hold(1s), "waiting 6 s for the quota");
  observe(sent(1), 2s);
  observe(sent(3), 2s);
  EXPECT_EQ(hold(2s), "waiting ");
}

TEST_F(ProgressBoard, a_hold_of_many_calls_is_printed_once) {
  EXPECT_TRUE(prints(holds(30s, 1)));
  EXPECT_FALSE(prints(holds(30s, 2), 400ms));
  EXPECT_FALSE(prints(holds(20s, 3), 1s));
  EXPECT_TRUE(prints(holds(60s, 4), 2s));
  for (std::uint64_t call = 1; call <= 4; ++call) observe(sent(call), 3s);
  EXPECT_TRUE(prints(holds(5s, 5), 4s));
}

TEST_F(ProgressBoard, a_short_hold_is_not_printed_and_a_very_short_one_not_shown) {
  EXPECT_FALSE(prints(holds(999ms)));
  EXPECT_EQ(hold(0s), "waiting 999 ms for the quota");
  EXPECT_EQ(hold(900ms), "waiting 99 ms for the quota");
  EXPECT_FALSE(prints(holds(199ms)));
  EXPECT_EQ(hold(0s), "waiting ");
}

TEST_F(ProgressBoard, waits_without_a_known_end_are_printed_once_in_ten_seconds) {
  for (const auto reason : {WaitReason::share, WaitReason::concurrency, WaitReason::probe}) {
    RunBoard board{begin};
    std::uint64_t call = 0;
    const auto prints_at = [&](noun::Duration at) {
      return board.observe(holds(1s, ++call, reason), begin + at).hold_started;
    };
    EXPECT_TRUE(prints_at(1s));
    EXPECT_FALSE(prints_at(2s));
    EXPECT_TRUE(prints_at(11s));
    board.observe(holds(60s, ++call), begin + 12s);
    EXPECT_FALSE(prints_at(30s)) << "a wait with a known end says more";
  }
}

TEST_F(ProgressBoard, a_wait_without_a_known_end_is_shown_if_there_is_no_other) {
  observe(holds(1s, 1, WaitReason::share));
  EXPECT_EQ(hold(5min), "waiting for a share of the quota ");
  observe(holds(2s, 2), 5min);
  EXPECT_EQ(hold(5min), "waiting 2 s for the quota");
}

TEST_F(ProgressBoard, a_notice_of_the_ledger_is_printed_whenever_it_changes) {
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(printed_notice("unavailable", 0), "unavailable");
    EXPECT_EQ(printed_notice("unavailable", 0), "");
    EXPECT_EQ(printed_notice("available", 0), "available");
  }
}

TEST_F(ProgressBoard, a_retry_is_a_hold) {
  auto event = holds(3s, 1, WaitReason::retry_after);
  event.kind = EventKind::retrying;
  EXPECT_TRUE(prints(event));
  EXPECT_EQ(hold(0s), "waiting 3 s as the server requested");
}

TEST_F(ProgressBoard, a_notice_is_printed_once_and_at_most_20_are_printed) {
  EXPECT_EQ(printed_notice(""), "");
  for (int i = 0; i < 20; ++i) {
    const auto note = std::to_string(i);
    EXPECT_EQ(printed_notice(note), note);
    EXPECT_EQ(printed_notice(note), "");
  }
  EXPECT_THAT(printed_notice("20"), HasSubstr("not shown"));
  EXPECT_EQ(printed_notice("21"), "");
  EXPECT_EQ(printed_notice("3"), "");
}

TEST_F(ProgressBoard, names_the_fault_before_a_retry) {
  const auto line_of = [](Event end, WaitReason reason) {
    RunBoard board(begin);
    end.kind = EventKind::attempt_ended;
    end.call = 7;
    board.observe(end, begin);
    board.observe({.kind = EventKind::retrying, .call = 7, .reason = reason, .wait = 5s}, begin);
    return progress::hold_line(board.view(begin));
  };
  EXPECT_THAT(line_of({.error = noun::Errc::connect}, WaitReason::backoff),
              HasSubstr("waiting 5 s before a retry (connect)"));
  EXPECT_THAT(line_of({.status = 503}, WaitReason::backoff), HasSubstr("a retry (503)"));
  EXPECT_THAT(line_of({.status = 503}, WaitReason::retry_after), Not(HasSubstr("(503)")));
}

TEST_F(ProgressBoard, the_time_left_counts_down) {
  board_.progress(300, 3, 1000, {.estimate = 70s}, begin);
  EXPECT_EQ(line(10s), "300 of 1,000 items · 3 pages · 1 m 00 s left");
  EXPECT_EQ(line(70s), "300 of 1,000 items · 3 pages");
  board_.progress(400, 4, 1000, {}, begin + 11s);
  EXPECT_EQ(line(11s), "400 of 1,000 items · 4 pages");
}

TEST_F(ProgressBoard, the_time_left_has_the_waits_that_are_not_planned) {
  board_.progress(300, 3, 1000, {.estimate = 10s}, begin);
  observe(holds(4s, 1, WaitReason::backoff), 2s);
  EXPECT_EQ(view(2s).time_left, 12s);
  EXPECT_EQ(view(5s).time_left, 9s);
  // Waits at the same time delay it once; those after each other are added.
  observe(holds(2s, 2, WaitReason::retry_after), 3s);
  EXPECT_EQ(view(5s).time_left, 9s);
  observe(sent(1), 6s);
  observe(sent(2), 6s);
  observe(holds(1s, 1, WaitReason::backoff), 6s);
  EXPECT_EQ(view(6s).time_left, 9s);
  board_.progress(400, 4, 1000, {.estimate = 7s}, begin + 8s);
  EXPECT_EQ(view(8s).time_left, 7s);
}

TEST_F(ProgressBoard, the_time_left_is_not_less_than_the_wait) {
  board_.progress(300, 3, 1000, {.estimate = 1s}, begin);
  observe(holds(5s));
  EXPECT_EQ(view(0s).time_left, 5s);
  observe(holds(1s, 1, WaitReason::share));
  EXPECT_EQ(view(0s).time_left, 1s);
}

TEST_F(ProgressBoard, without_a_plan_the_time_left_is_that_of_the_items_at_their_rate) {
  board_.progress(100, 1, 1000, {}, begin);  // of a previous run
  observe(sent(), 10s);
  board_.progress(200, 2, 1000, {}, begin + 10500ms);
  EXPECT_EQ(view(10500ms).time_left, std::nullopt) << "after less than a second";
  board_.progress(300, 3, 1000, {}, begin + 12s);
  EXPECT_EQ(view(12s).time_left, 7s);
  EXPECT_EQ(view(13s).time_left, 6s);
  for (const auto total : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(200)}) {
    board_.progress(300, 3, total, {}, begin + 14s);
    EXPECT_EQ(view(14s).time_left, std::nullopt);
  }
  board_.progress(300, 3, std::numeric_limits<std::uint64_t>::max(), {}, begin + 15s);
  EXPECT_EQ(view(15s).time_left, std::nullopt);
}

TEST_F(ProgressBoard, plain_lines_are_ten_seconds_apart_and_only_after_progress) {
  board_.progress(1, 1, {}, {}, begin + 1s);
  EXPECT_FALSE(board_.line_due(begin + 9999ms));
  EXPECT_TRUE(board_.line_due(begin + 10s));
  EXPECT_FALSE(board_.line_due(begin + 30s));
  board_.progress(2, 1, {}, {}, begin + 30s);
  EXPECT_TRUE(board_.line_due(begin + 30s));
  board_.progress(3, 1, {}, {}, begin + 31s);
  EXPECT_FALSE(board_.line_due(begin + 31s));
}

TEST_F(ProgressBoard, the_longest_times_do_not_overflow) {
  observe(holds(noun::Duration::max()));
  observe(reported({.limit = 1, .remaining = 1, .resets_in = noun::Duration::max()}));
  board_.progress(1, 1, std::numeric_limits<std::uint64_t>::max(), {.estimate = noun::Duration::max()}, begin);
  EXPECT_GT(view(1h).hold_left, 24h);
  EXPECT_GT(view(1h).time_left, 24h);
  EXPECT_GT(view(1h).resets_in, 24h);
  observe(reported({.limit = 1, .remaining = 1, .resets_in = noun::Duration::min()}));
  EXPECT_EQ(view(1h).remaining, std::nullopt);
  EXPECT_FALSE(prints(holds(noun::Duration::min(), 2)));
}

}  // namespace progress_board_test
}  // namespace progress_test
