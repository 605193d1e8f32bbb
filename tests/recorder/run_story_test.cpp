// What is told of a run.
#include "run_story.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "recorder/recorded_run.hpp"

namespace recorder_test { namespace run_story_test {

using recorder::Outcome;
using recorder::Step;
using recorder::Story;
using recorder::tell_story;
using testing::ElementsAre;
using testing::SizeIs;

Step sent(double t, std::uint64_t call, std::string url = "https://h/a") {
  return {.t = t, .kind = "sent", .call = call, .method = "GET", .url = std::move(url)};
}
Step answered(double t, std::uint64_t call, int status = 200) {
  return {.t = t, .kind = "answered", .call = call, .status = status};
}
Step waits(double t, std::uint64_t call, std::string reason, std::string kind = "holding") {
  return {.t = t, .kind = std::move(kind), .call = call, .reason = std::move(reason)};
}

/// As `quota 1-5, probe 6-7`.
std::string holds(const Story& story) {
  std::string all;
  for (const auto& hold : story.holds)
    all += fmt::format("{}{} {}-{}", all.empty() ? "" : ", ", hold.reason, hold.from, hold.until);
  return all;
}

TEST(RunStory, tells_a_drain_in_windows) {
  RunFile file;
  record_drain(file.path(), {.limit = 5, .period = 10s}, 200);
  const auto story = tell_story(file.steps());
  EXPECT_THAT(story.attempts, SizeIs(20));
  EXPECT_EQ(story.lanes, 1U);
  EXPECT_EQ(story.pages, 20U);
  EXPECT_EQ(story.items, 200U);
  EXPECT_EQ(story.rejected, 0U);
  EXPECT_EQ(story.place, "https://api.example.com/tasks");
  // Shorter ones are the client's to choose.
  std::vector<std::string> long_holds;
  for (const auto& hold : story.holds)
    if (hold.until - hold.from > 8) long_holds.push_back(hold.reason);
  EXPECT_THAT(long_holds, ElementsAre("quota", "learning", "quota"));
  ASSERT_THAT(story.quotas, SizeIs(1));
  EXPECT_EQ(story.quotas[0].most, 5);
  EXPECT_EQ(story.quotas[0].points[4].remaining, 0);
  EXPECT_EQ(story.quotas[0].points[5].remaining, 4);
}

TEST(RunStory, counts_rejections_and_faults_of_a_run) {
  RunFile file;
  record_drain(file.path(), {}, 30, spoils({429, {}, ""}, {503, {{"Retry-After", 1}}, ""}));
  const auto story = tell_story(file.steps());
  EXPECT_THAT(story.attempts, SizeIs(5));
  EXPECT_EQ(story.rejected, 1U);
  EXPECT_EQ(story.failed, 1U);
  EXPECT_EQ(story.attempts[1].outcome, Outcome::rejected);
  EXPECT_EQ(story.attempts[3].outcome, Outcome::failed);
  EXPECT_EQ(story.attempts[1].what, "429, GET https://api.example.com/tasks?per_page=10&page=2");
  ASSERT_THAT(story.holds, SizeIs(2));
  EXPECT_EQ(story.holds[0].reason, "rejected");
  EXPECT_EQ(story.holds[1].reason, "retry_after");
}

TEST(RunStory, a_status_that_is_a_rejection_for_the_service_is_one) {
  EXPECT_EQ(tell_story({sent(0, 1), answered(1, 1, 403), waits(1, 1, "rejected", "retrying")}).rejected, 1U);
  EXPECT_EQ(tell_story({sent(0, 1), answered(1, 1, 403), waits(1, 1, "retry_after", "retrying")}).rejected, 1U);
  EXPECT_EQ(tell_story({sent(0, 1), answered(1, 1, 403)}).rejected, 0U);
  EXPECT_EQ(tell_story({sent(0, 1), answered(1, 1, 403), waits(1, 2, "rejected")}).rejected, 0U);
}

TEST(RunStory, what_was_not_answered_is_a_fault) {
  const auto story = tell_story({sent(0, 1), {.t = 1, .kind = "answered", .call = 1, .error = "timeout"}});
  EXPECT_EQ(story.failed, 1U);
  EXPECT_EQ(story.attempts[0].what, "timeout, GET https://h/a");
}

TEST(RunStory, a_hold_is_from_the_first_caller_to_the_next_request) {
  EXPECT_EQ(holds(tell_story({waits(1, 1, "quota"), waits(2, 2, "quota"), sent(5, 3)})), "quota 0-4");
  // What took no time is no hold, and another reason is another hold.
  EXPECT_EQ(holds(tell_story({waits(1, 1, "quota"), sent(5, 3), waits(6, 1, "probe"), sent(6, 1)})), "quota 0-4");
  EXPECT_EQ(holds(tell_story({sent(0, 1), waits(0, 2, "concurrency"), answered(1, 1), waits(1, 1, "quota"),
                              waits(1, 2, "quota"), sent(5, 2)})),
            "concurrency 0-1, quota 1-5");
}

TEST(RunStory, what_a_crash_left_open_ends_with_the_run) {
  const auto story = tell_story({sent(0, 1), waits(1, 2, "quota"), waits(3, 3, "probe")});
  EXPECT_EQ(story.attempts[0].answered, 3);
  EXPECT_EQ(holds(story), "quota 1-3");
}

TEST(RunStory, overlapping_attempts_are_in_lanes) {
  const auto story = tell_story({sent(0, 1), sent(0, 2), answered(1, 1), sent(1, 3), answered(2, 2), answered(3, 3)});
  EXPECT_EQ(story.lanes, 2U);
  EXPECT_EQ(story.attempts[2].lane, 0U);
  EXPECT_THAT(story.answers, ElementsAre(1, 2, 3));
}

TEST(RunStory, each_bucket_is_a_quota) {
  const Step core{.t = 1, .kind = "answered", .call = 1, .limit = 5000, .remaining = 4999, .partition = "core"};
  const Step search{.t = 2, .kind = "answered", .call = 2, .limit = 30, .remaining = 29, .partition = "search"};
  const auto story = tell_story({sent(0, 1), sent(0, 2), core, search});
  ASSERT_THAT(story.quotas, SizeIs(2));
  EXPECT_EQ(story.quotas[0].partition, "core");
  EXPECT_EQ(story.quotas[1].most, 30);
}

TEST(RunStory, events_out_of_order_are_put_in_order) {
  const auto story = tell_story({answered(0, 1), sent(-1, 1)});
  ASSERT_THAT(story.attempts, SizeIs(1));
  EXPECT_EQ(story.attempts[0].answered, 1);
  EXPECT_EQ(story.length, 1);
}

TEST(RunStory, the_place_is_what_the_urls_share) {
  EXPECT_EQ(tell_story({sent(0, 1, "https://h/a?x=1"), sent(1, 2, "https://h/a?x=2")}).place, "https://h/a");
  EXPECT_EQ(tell_story({sent(0, 1, "https://h/as/1"), sent(1, 2, "https://h/as/12")}).place, "https://h/as/");
  EXPECT_EQ(tell_story({sent(0, 1, "https://h/as/1"), sent(1, 2, "https://h/at")}).place, "https://h/");
}

}  // namespace run_story_test
}  // namespace recorder_test
