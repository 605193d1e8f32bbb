// What is on the picture of a run.
#include "run_picture.hpp"

#include <gmock/gmock.h>

#include "recorder/markup_scan.hpp"
#include "recorder/recorded_run.hpp"
#include "run_sheet.hpp"

namespace recorder_test { namespace run_picture_test {

using recorder::draw_run;
using recorder::Step;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string drawn(std::vector<Step> steps) {
  auto picture = draw_run(std::move(steps));
  EXPECT_THAT(MarkupScan(picture).complaint(), IsEmpty());
  EXPECT_THAT(picture, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  return picture;
}

/// Requests in windows, ten milliseconds each; each window has a rejection, a fault, and a hold to the next one.
std::vector<Step> long_run(std::size_t requests, std::size_t window, std::size_t partitions) {
  std::vector<Step> steps;
  double t = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    const auto url = "https://api.example.com/things/" + std::to_string(i);
    steps.push_back({.t = t, .kind = "sent", .call = i, .method = "GET", .url = url});
    t += 0.01;
    Step answer{.t = t, .kind = "answered", .call = i, .status = 200};
    if (i % window == 1) answer.status = 429;
    if (i % window == 2) answer.status = 500;
    answer.limit = static_cast<std::int64_t>(window);
    answer.remaining = static_cast<std::int64_t>(window - 1 - i % window);
    answer.partition = partitions > 1 ? "partition " + std::to_string(i % partitions) : "";
    steps.push_back(answer);
    if (i % window != window - 1) continue;
    steps.push_back({.t = t, .kind = "holding", .call = i + 1, .reason = "quota"});
    t += 1;
  }
  return steps;
}

TEST(RunPicture, shows_a_drain_in_windows) {
  RunFile file;
  record_drain(file.path(), {.limit = 5, .period = 10s}, 200);
  const auto picture = drawn(file.steps());
  EXPECT_THAT(picture, AllOf(HasSubstr("20 requests in 3"), HasSubstr("none rejected"),
                             HasSubstr("https://api.example.com/tasks  ·  20 pages, 200 items  ·  quota 5"),
                             HasSubstr("seconds since the first request"), HasSubstr("requests answered"),
                             HasSubstr("left of the quota"), HasSubstr("held: nothing left of the quota, 3×, ")));
  // Each hold is a band with a label, and one sign stands in the legend.
  EXPECT_EQ(count(picture, R"(<rect class="hold")"), 4U);
  EXPECT_EQ(count(picture, R"(text-anchor="middle">quota )"), 2U) << "and one is held for, to learn when it resets";
  EXPECT_EQ(count(picture, R"(<path class="line quota-1")"), 2U);
  EXPECT_THAT(picture, Not(HasSubstr("class=\"rejections\"")));
  EXPECT_THAT(picture, HasSubstr("prefers-color-scheme: dark"));
}

TEST(RunPicture, marks_rejections_and_faults_with_what_they_were) {
  RunFile file;
  record_drain(file.path(), {}, 30, spoils({429, {}, ""}, {500, {}, ""}));
  const auto picture = drawn(file.steps());
  EXPECT_THAT(picture,
              AllOf(HasSubstr("1 rejected"), HasSubstr("1 fault"), HasSubstr("held: after a rejection, 1×, 1.00 s"),
                    HasSubstr("held: after a fault, 1×, 1.00 s")));
  for (const auto* twice : {"<path class=\"rejections\"", "<path class=\"faults\""})
    EXPECT_EQ(count(picture, twice), 2U) << twice;
  for (const auto* once : {"<path class=\"requests-rejected\"", "<path class=\"requests-failed\""})
    EXPECT_EQ(count(picture, once), 1U) << once;
  EXPECT_THAT(picture, HasSubstr("<title>429, GET https://api.example.com/tasks?per_page=10&amp;page=2"));
}

TEST(RunPicture, escapes_what_a_service_names) {
  const std::string odd = "<b>&\"'\x01\xEF\xBF\xBF</b>";
  Step answer{.t = 1, .kind = "answered", .call = 1, .status = 429, .reason = odd};
  answer.limit = 5, answer.remaining = 4, answer.partition = odd;
  Step hold{.t = 1, .kind = "holding", .call = 1, .reason = odd};
  Step sent{.t = 0, .kind = "sent", .call = 1, .method = "GET", .url = "https://h/" + odd};
  auto again = sent;
  again.t = 2, again.call = 2;
  const auto picture = drawn({sent, answer, hold, again});
  EXPECT_THAT(picture, Not(HasSubstr("<b>")));
  EXPECT_THAT(picture, HasSubstr("&lt;b&gt;&amp;&quot;'\uFFFD\uFFFD&lt;/b&gt;"));
}

TEST(RunPicture, several_quotas_share_a_scale_in_percent) {
  const auto picture = drawn(long_run(60, 20, 6));
  EXPECT_EQ(count(picture, "<path class=\"line quota-4\""), 2U);
  EXPECT_THAT(picture, Not(HasSubstr("<path class=\"line quota-5\"")));
  EXPECT_THAT(picture, AllOf(HasSubstr("left of each quota, %"), HasSubstr("partition 0, of 20"),
                             HasSubstr("and 2 quotas not drawn")));
}

TEST(RunPicture, stays_small_however_long_the_run) {
  EXPECT_THAT(drawn(long_run(10, 5, 1)), SizeIs(Lt(20'000)));
  EXPECT_THAT(drawn(long_run(100'000, 1000, 5)), SizeIs(Lt(600'000)));
  const auto many = drawn(long_run(100'000, 20, 1));
  EXPECT_THAT(many, SizeIs(Lt(600'000)));
  // Holds that run into each other are one band. One sign is in the legend.
  EXPECT_EQ(count(many, R"(<rect class="hold")"), 2U);
  EXPECT_EQ(count(drawn(long_run(100, 20, 1)), R"(<rect class="hold")"), 5U);
}

TEST(RunPicture, of_many_requests_shows_how_many_there_were) {
  EXPECT_THAT(drawn(long_run(2000, 50, 1)), AllOf(HasSubstr("in flight"), SizeIs(Lt(200'000))));
  EXPECT_THAT(drawn(long_run(2001, 50, 1)), AllOf(Not(HasSubstr("in flight")), HasSubstr("per s")));
}

TEST(RunPicture, of_nothing_or_one_event_is_a_picture_too) {
  EXPECT_THAT(drawn({}), HasSubstr("0 requests in 0 ms"));
  EXPECT_THAT(drawn({{.t = 0, .kind = "sent", .call = 1, .method = "GET", .url = "https://h/a"}}),
              HasSubstr("1 request in 0 ms"));
}

TEST(RunPicture, texts_are_cut_between_characters) {
  EXPECT_EQ(recorder::shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(recorder::shortened("abcdefg", 6), "abc\u2026");
  EXPECT_EQ(recorder::shortened("ab\u00e4defg", 6), "ab\u2026");
}

TEST(RunPicture, of_each_pixel_column_four_spots_are_kept) {
  std::vector<std::pair<double, double>> kept;
  for (const auto spot : recorder::thinned({{1.1, 5}, {1.2, 9}, {1.3, 6}, {1.4, 2}, {1.5, 7}, {2.0, 1}}))
    kept.emplace_back(spot.x, spot.y);
  EXPECT_THAT(kept, ElementsAre(std::pair(1.1, 5.0), std::pair(1.2, 9.0), std::pair(1.4, 2.0), std::pair(1.5, 7.0),
                                std::pair(2.0, 1.0)));
}

TEST(MarkupScan, finds_what_is_wrong) {
  EXPECT_THAT(MarkupScan("<a b=\"c &amp; d\"><e/>f</a>\n").complaint(), IsEmpty());
  for (const auto* wrong :
       {"<a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>", "<a/><a/>", "<a/>b", "", "<a b=\"c/>", "<a>\x01</a>"})
    EXPECT_THAT(MarkupScan(wrong).complaint(), Not(IsEmpty())) << wrong;
}

}  // namespace run_picture_test
}  // namespace recorder_test
