// Tests of the timeline of a run.
#include "run_timeline.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "recorder/recorded_run.hpp"

namespace recorder_test { namespace run_timeline_test {

using recorder::Outcome;
using recorder::Step;
using recorder::Timeline;
using recorder::timeline_of;
using ::testing::ElementsAre;
using ::testing::SizeIs;

Step sent(double t, std::uint64_t call, std::string url = "https://h/a") {
  return {.t = t, .kind = "sent", .call = call, .method = "GET", .url = std::move(url)};
}
Step ended(double t, std::uint64_t call, int status = 200) {
  return {.t = t, .kind = "attempt_ended", .call = call, .status = status};
}
Step waits(double t, std::uint64_t call, std::string reason, std::string kind = "holding") {
  return {.t = t, .kind = std::move(kind), .call = call, .reason = std::move(reason)};
}

/// For example `quota 1-5, probe 6-7`.
std::string holds(const Timeline& timeline) {
  std::string all;
  for (const auto& hold : timeline.holds)
    all += fmt::format("{}{} {}-{}", all.empty() ? "" : ", ", hold.reason, hold.from, hold.until);
  return all;
}

/// With the indices of the calls: `0:quota 1-5`.
std::string call_waits(const Timeline& timeline) {
  std::string all;
  for (const auto& wait : timeline.waits)
    all += fmt::format("{}{}:{} {}-{}", all.empty() ? "" : ", ", wait.call, wait.reason, wait.from, wait.until);
  return all;
}

TEST(RunTimeline, reads_the_windows_of_a_drain) {
  RunFile file;
  record_drain(file.path(), {.limit = 5, .period = 10s}, 200);
  const auto timeline = timeline_of(file.steps());
  EXPECT_THAT(timeline.attempts, SizeIs(20));
  EXPECT_EQ(timeline.lanes, 1U);
  EXPECT_EQ(timeline.pages, 20U);
  EXPECT_EQ(timeline.items, 200U);
  EXPECT_EQ(timeline.rejected, 0U);
  EXPECT_EQ(timeline.url_prefix, "https://api.example.com/tasks");
  // How many shorter holds there are depends on the pacing.
  std::vector<std::string> long_holds;
  for (const auto& hold : timeline.holds)
    if (hold.until - hold.from > 8) long_holds.push_back(hold.reason);
  EXPECT_THAT(long_holds, ElementsAre("quota", "reset_probe", "quota"));
  ASSERT_THAT(timeline.quotas, SizeIs(1));
  EXPECT_EQ(timeline.quotas[0].limit, 5);
  EXPECT_EQ(timeline.quotas[0].readings[4].remaining, 0);
  EXPECT_EQ(timeline.quotas[0].readings[5].remaining, 4);
}

TEST(RunTimeline, counts_rejections_and_faults) {
  RunFile file;
  record_drain(file.path(), {}, 30, replaces({429, {}, ""}, {503, {{"Retry-After", 1}}, ""}));
  const auto timeline = timeline_of(file.steps());
  EXPECT_THAT(timeline.attempts, SizeIs(5));
  EXPECT_EQ(timeline.rejected, 1U);
  EXPECT_EQ(timeline.failed, 1U);
  EXPECT_EQ(timeline.attempts[1].outcome, Outcome::rejected);
  EXPECT_EQ(timeline.attempts[3].outcome, Outcome::failed);
  EXPECT_EQ(timeline.attempts[1].what, "429, GET https://api.example.com/tasks?per_page=10&page=2");
  ASSERT_THAT(timeline.holds, SizeIs(2));
  EXPECT_EQ(timeline.holds[0].reason, "rejected");
  EXPECT_EQ(timeline.holds[1].reason, "retry_after");
}

TEST(RunTimeline, another_status_may_be_a_rejection) {
  EXPECT_EQ(timeline_of({sent(0, 1), ended(1, 1, 403), waits(1, 1, "rejected", "retrying")}).rejected, 1U);
  EXPECT_EQ(timeline_of({sent(0, 1), ended(1, 1, 403), waits(1, 1, "retry_after", "retrying")}).rejected, 1U);
  EXPECT_EQ(timeline_of({sent(0, 1), ended(1, 1, 403)}).rejected, 0U);
  EXPECT_EQ(timeline_of({sent(0, 1), ended(1, 1, 403), waits(1, 2, "rejected")}).rejected, 0U);
}

TEST(RunTimeline, an_attempt_without_a_response_is_a_fault) {
  const auto timeline = timeline_of({sent(0, 1), {.t = 1, .kind = "attempt_ended", .call = 1, .error = "timeout"}});
  EXPECT_EQ(timeline.failed, 1U);
  EXPECT_EQ(timeline.attempts[0].what, "timeout, GET https://h/a");
}

TEST(RunTimeline, a_hold_lasts_from_the_first_waiting_call_to_the_next_request) {
  EXPECT_EQ(holds(timeline_of({waits(1, 1, "quota"), waits(2, 2, "quota"), sent(5, 3)})), "quota 0-4");
  // A hold of no duration is left out; another reason is another hold.
  EXPECT_EQ(holds(timeline_of({waits(1, 1, "quota"), sent(5, 3), waits(6, 1, "probe"), sent(6, 1)})), "quota 0-4");
  EXPECT_EQ(holds(timeline_of({sent(0, 1), waits(0, 2, "concurrency"), ended(1, 1), waits(1, 1, "quota"),
                               waits(1, 2, "quota"), sent(5, 2)})),
            "concurrency 0-1, quota 1-5");
}

TEST(RunTimeline, open_attempts_and_holds_end_with_the_recording) {
  const auto timeline = timeline_of({sent(0, 1), waits(1, 2, "quota"), waits(3, 3, "probe")});
  EXPECT_EQ(timeline.attempts[0].ended, 3);
  EXPECT_EQ(holds(timeline), "quota 1-3");
}

TEST(RunTimeline, overlapping_attempts_have_different_lanes) {
  const auto timeline = timeline_of({sent(0, 1), sent(0, 2), ended(1, 1), sent(1, 3), ended(2, 2), ended(3, 3)});
  EXPECT_EQ(timeline.lanes, 2U);
  EXPECT_EQ(timeline.attempts[2].lane, 0U);
  EXPECT_THAT(timeline.ended, ElementsAre(1, 2, 3));
}

TEST(RunTimeline, a_call_has_its_attempts_and_waits) {
  const auto timeline = timeline_of({waits(0, 7, "quota"), waits(1, 7, "quota"), waits(2, 7, "probe"), sent(3, 7),
                                     ended(4, 7, 503), waits(4, 7, "backoff", "retrying"), sent(6, 7), ended(7, 7)});
  ASSERT_THAT(timeline.calls, SizeIs(1));
  EXPECT_EQ(timeline.calls[0].id, 7U);
  EXPECT_EQ(timeline.calls[0].until, 7);
  EXPECT_EQ(call_waits(timeline), "0:quota 0-2, 0:probe 2-3, 0:backoff 4-6");
  ASSERT_THAT(timeline.attempts, SizeIs(2));
  EXPECT_EQ(timeline.attempts[1].sent_step, 6U);
  EXPECT_EQ(timeline.attempts[1].ended_step, 7U);
}

TEST(RunTimeline, the_end_of_a_call_ends_its_wait) {
  auto last = waits(1, 1, "quota");
  last.wait = 60;
  const Step end{.t = 2, .kind = "ended", .call = 1, .error = "cancelled"};
  EXPECT_EQ(call_waits(timeline_of({last, end, sent(9, 3)})), "0:quota 0-1");
  EXPECT_EQ(timeline_of({end}).calls.size(), 0U);
}
TEST(RunTimeline, a_wait_that_nothing_follows_lasts_as_long_as_it_says) {
  auto last = waits(1, 1, "backoff");
  last.wait = 2;
  const Step poll{.t = 1, .kind = "polling", .call = 2, .wait = 90};
  EXPECT_EQ(call_waits(timeline_of({sent(0, 2), last, poll, sent(9, 3)})), "1:backoff 1-3, 0:polling 1-9");
}

TEST(RunTimeline, a_response_of_the_cache_ends_a_wait) {
  const Step cached{.t = 2, .kind = "cached", .call = 1, .status = 200, .cache = "fresh"};
  const auto timeline = timeline_of({waits(0, 1, "same_request"), cached, sent(5, 2)});
  EXPECT_EQ(call_waits(timeline), "0:same_request 0-2");
  EXPECT_EQ(timeline.calls[0].until, 2);
}

TEST(RunTimeline, a_step_of_no_call_makes_none) {
  const Step notice{.t = 0, .kind = "notice", .note = "odd"};
  const Step poll{.t = 0, .kind = "polling", .wait = 90};
  EXPECT_THAT(timeline_of({notice, poll, sent(1, 1)}).calls, SizeIs(1));
}

TEST(RunTimeline, calls_at_one_time_have_different_lanes) {
  const auto timeline = timeline_of({sent(0, 1), sent(0, 2), sent(0, 3), ended(1, 2), sent(1, 4), ended(2, 1),
                                     ended(3, 4), sent(3, 5), sent(3, 6), ended(4, 5)});
  std::vector<std::size_t> lanes;
  for (const auto& call : timeline.calls) lanes.push_back(call.lane);
  EXPECT_THAT(lanes, ElementsAre(0, 1, 2, 1, 0, 1));
  EXPECT_EQ(timeline.call_lanes, 3U);
}

TEST(RunTimeline, each_partition_is_a_quota) {
  const Step core{.t = 1, .kind = "attempt_ended", .call = 1, .limit = 5000, .remaining = 4999, .partition = "core"};
  const Step search{.t = 2, .kind = "attempt_ended", .call = 2, .limit = 30, .remaining = 29, .partition = "search"};
  const auto timeline = timeline_of({sent(0, 1), sent(0, 2), core, search});
  ASSERT_THAT(timeline.quotas, SizeIs(2));
  EXPECT_EQ(timeline.quotas[0].partition, "core");
  EXPECT_EQ(timeline.quotas[1].limit, 30);
}

TEST(RunTimeline, events_are_sorted_by_time) {
  const auto timeline = timeline_of({ended(0, 1), sent(-1, 1)});
  ASSERT_THAT(timeline.attempts, SizeIs(1));
  EXPECT_EQ(timeline.attempts[0].ended, 1);
  EXPECT_EQ(timeline.length, 1);
}

TEST(RunTimeline, the_url_prefix_is_common_to_all_urls) {
  EXPECT_EQ(timeline_of({sent(0, 1, "https://h/a?x=1"), sent(1, 2, "https://h/a?x=2")}).url_prefix, "https://h/a");
  EXPECT_EQ(timeline_of({sent(0, 1, "https://h/as/1"), sent(1, 2, "https://h/as/12")}).url_prefix, "https://h/as/");
  EXPECT_EQ(timeline_of({sent(0, 1, "https://h/as/1"), sent(1, 2, "https://h/at")}).url_prefix, "https://h/");
}

}  // namespace run_timeline_test
}  // namespace recorder_test
