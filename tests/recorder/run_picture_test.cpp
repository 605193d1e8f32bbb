// Tests of the picture of a run.
#include "run_picture.hpp"

#include <gmock/gmock.h>

#include "recorder/markup_scan.hpp"
#include "recorder/recorded_run.hpp"
#include "run_sheet.hpp"

namespace recorder_test { namespace run_picture_test {

using recorder::draw_run;
using recorder::Step;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string drawn(std::vector<Step> steps) {
  auto picture = draw_run(std::move(steps));
  EXPECT_THAT(MarkupScan(picture).error(), IsEmpty());
  EXPECT_THAT(picture, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  return picture;
}

/// Requests of 10 ms in windows of `window` requests; each window has a rejection, a fault, and a hold at its end.
std::vector<Step> long_run(std::size_t requests, std::size_t window, std::size_t partitions) {
  std::vector<Step> steps;
  double t = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    const auto url = "https://api.example.com/things/" + std::to_string(i);
    steps.push_back({.t = t, .kind = "sent", .call = i, .method = "GET", .url = url});
    t += 0.01;
    Step ended{.t = t, .kind = "attempt_ended", .call = i, .status = 200};
    if (i % window == 1) ended.status = 429;
    if (i % window == 2) ended.status = 500;
    ended.limit = static_cast<std::int64_t>(window);
    ended.remaining = static_cast<std::int64_t>(window - 1 - i % window);
    ended.partition = partitions > 1 ? "partition " + std::to_string(i % partitions) : "";
    steps.push_back(ended);
    if (i % window != window - 1) continue;
    steps.push_back({.t = t, .kind = "holding", .call = i + 1, .reason = "quota"});
    t += 1;
  }
  return steps;
}

TEST(RunPicture, shows_the_windows_of_a_drain) {
  RunFile file;
  record_drain(file.path(), {.limit = 5, .period = 10s}, 200);
  const auto picture = drawn(file.steps());
  EXPECT_THAT(picture, AllOf(HasSubstr("20 requests in 3"), HasSubstr("none rejected"),
                             HasSubstr("https://api.example.com/tasks  ·  20 pages, 200 items  ·  quota 5"),
                             HasSubstr("seconds since the first request"), HasSubstr("requests completed"),
                             HasSubstr("remaining quota"), HasSubstr("waits: quota exhausted, 3×, ")));
  // Each hold is a band with a label, and the legend has one symbol.
  EXPECT_EQ(count(picture, R"(<rect class="hold")"), 4U);
  EXPECT_EQ(count(picture, R"(text-anchor="middle">quota )"), 2U) << "the third hold is a reset probe";
  EXPECT_EQ(count(picture, R"(<path class="line quota-1")"), 2U);
  EXPECT_THAT(picture, Not(HasSubstr("class=\"rejections\"")));
  EXPECT_THAT(picture, HasSubstr("prefers-color-scheme: dark"));
}

TEST(RunPicture, marks_rejections_and_faults_with_status_and_url) {
  RunFile file;
  record_drain(file.path(), {}, 30, replaces({429, {}, ""}, {500, {}, ""}));
  const auto picture = drawn(file.steps());
  EXPECT_THAT(picture, AllOf(HasSubstr("1 rejected"), HasSubstr("1 fault"), HasSubstr("waits: rejection, 1×, 1.00 s"),
                             HasSubstr("waits: backoff, 1×, 1.00 s")));
  for (const auto* twice : {"<path class=\"rejections\"", "<path class=\"faults\""})
    EXPECT_EQ(count(picture, twice), 2U) << twice;
  for (const auto* once : {"<path class=\"requests-rejected\"", "<path class=\"requests-failed\""})
    EXPECT_EQ(count(picture, once), 1U) << once;
  EXPECT_THAT(picture, HasSubstr("<title>429, GET https://api.example.com/tasks?per_page=10&amp;page=2"));
}

TEST(RunPicture, escapes_texts_of_the_server) {
  const std::string odd = "<b>&\"'\x01\xEF\xBF\xBF</b>";
  Step ended{.t = 1, .kind = "attempt_ended", .call = 1, .status = 429, .reason = odd};
  ended.limit = 5, ended.remaining = 4, ended.partition = odd;
  Step hold{.t = 1, .kind = "holding", .call = 1, .reason = odd};
  Step sent{.t = 0, .kind = "sent", .call = 1, .method = "GET", .url = "https://h/" + odd};
  auto again = sent;
  again.t = 2, again.call = 2;
  const auto picture = drawn({sent, ended, hold, again});
  EXPECT_THAT(picture, Not(HasSubstr("<b>")));
  EXPECT_THAT(picture, HasSubstr("&lt;b&gt;&amp;&quot;'\uFFFD\uFFFD&lt;/b&gt;"));
}

TEST(RunPicture, draws_several_quotas_on_a_scale_in_percent) {
  const auto picture = drawn(long_run(60, 20, 6));
  EXPECT_EQ(count(picture, "<path class=\"line quota-4\""), 2U);
  EXPECT_THAT(picture, Not(HasSubstr("<path class=\"line quota-5\"")));
  EXPECT_THAT(picture, AllOf(HasSubstr("remaining quota, %"), HasSubstr("partition 0, of 20"),
                             HasSubstr("and 2 quotas not drawn")));
}

TEST(RunPicture, stays_small_for_a_long_run) {
  EXPECT_THAT(drawn(long_run(10, 5, 1)), SizeIs(Lt(20'000)));
  EXPECT_THAT(drawn(long_run(100'000, 1000, 5)), SizeIs(Lt(600'000)));
  const auto many = drawn(long_run(100'000, 20, 1));
  EXPECT_THAT(many, SizeIs(Lt(600'000)));
  // Holds that touch each other are one band. The legend has one symbol.
  EXPECT_EQ(count(many, R"(<rect class="hold")"), 2U);
  EXPECT_EQ(count(drawn(long_run(100, 20, 1)), R"(<rect class="hold")"), 5U);
}

TEST(RunPicture, draws_the_density_of_many_requests) {
  EXPECT_THAT(drawn(long_run(2000, 50, 1)), AllOf(HasSubstr("in flight"), SizeIs(Lt(200'000))));
  EXPECT_THAT(drawn(long_run(2001, 50, 1)), AllOf(Not(HasSubstr("in flight")), HasSubstr("per s")));
}

TEST(RunPicture, draws_an_empty_run_and_a_run_of_one_event) {
  EXPECT_THAT(drawn({}), HasSubstr("0 requests in 0 ms"));
  EXPECT_THAT(drawn({{.t = 0, .kind = "sent", .call = 1, .method = "GET", .url = "https://h/a"}}),
              HasSubstr("1 request in 0 ms"));
}

TEST(RunPicture, cuts_texts_between_characters) {
  EXPECT_EQ(recorder::shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(recorder::shortened("abcdefg", 6), "abc\u2026");
  EXPECT_EQ(recorder::shortened("ab\u00e4defg", 6), "ab\u2026");
}

TEST(RunPicture, keeps_four_points_of_each_pixel_column) {
  std::vector<std::pair<double, double>> kept;
  for (const auto spot : recorder::thinned({{1.1, 5}, {1.2, 9}, {1.3, 6}, {1.4, 2}, {1.5, 7}, {2.0, 1}}))
    kept.emplace_back(spot.x, spot.y);
  EXPECT_THAT(kept, ElementsAre(std::pair(1.1, 5.0), std::pair(1.2, 9.0), std::pair(1.4, 2.0), std::pair(1.5, 7.0),
                                std::pair(2.0, 1.0)));
}

TEST(MarkupScan, finds_invalid_markup) {
  EXPECT_THAT(MarkupScan("<a b=\"c &amp; d\"><e/>f</a>\n").error(), IsEmpty());
  for (const auto* wrong :
       {"<a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>", "<a/><a/>", "<a/>b", "", "<a b=\"c/>", "<a>\x01</a>"})
    EXPECT_THAT(MarkupScan(wrong).error(), Not(IsEmpty())) << wrong;
}

}  // namespace run_picture_test
}  // namespace recorder_test
