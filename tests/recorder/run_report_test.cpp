// Tests of the page of a run: its data, and that what a server wrote stays data.
#include "run_report.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <noun/json.hpp>

#include "recorder/hostile_texts.hpp"
#include "recorder/recorded_run.hpp"
#include "run_page.hpp"

namespace recorder_test { namespace run_report_test {

using recorder::page_of;
using recorder::report_format;
using recorder::ReportFormat;
using recorder::RunEnd;
using recorder::Step;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;
using Numbers = std::vector<std::int64_t>;

constexpr std::string_view data_start = "<script type=\"application/json\" id=\"run\">";

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string data_text(const std::string& page) {
  const auto from = page.find(data_start) + data_start.size();
  return page.substr(from, page.find("</script>", from) - from);
}

noun::Json data_of(RunEnd run) { return noun::Json::parse(data_text(page_of(std::move(run)))); }

Numbers sums(Numbers values) {
  for (std::size_t i = 1; i < values.size(); ++i) values[i] += values[i - 1];
  return values;
}

/// The values of a column of a table.
Numbers column(const noun::Json& table, const char* name) {
  const auto& packed = table.at(name);
  if (packed.empty() || !packed[0].is_array()) return packed.get<Numbers>();
  Numbers values(table.at("count").get<std::size_t>());
  const auto at = sums(packed[0].get<Numbers>());
  for (std::size_t i = 0; i < at.size(); ++i) values.at(static_cast<std::size_t>(at[i])) = packed[1][i];
  return values;
}

/// A column of texts.
std::vector<std::string> texts(const noun::Json& data, const char* table, const char* name) {
  std::vector<std::string> found;
  for (const auto index : column(data.at(table), name))
    found.push_back(data.at("texts").at(static_cast<std::size_t>(index)));
  return found;
}

/// A call that waits, is rejected, and is repeated; and a response of the cache.
std::vector<Step> small_run() {
  const std::string url = "https://h/a?page=1";
  return {{.t = 5, .kind = "holding", .call = 7, .method = "GET", .url = url, .reason = "probe", .wait = 1},
          {.t = 6, .kind = "sent", .call = 7, .attempt = 1, .method = "GET", .url = url},
          {.t = 6.25,
           .kind = "attempt_ended",
           .call = 7,
           .attempt = 1,
           .status = 429,
           .elapsed = 0.25,
           .limit = 10,
           .remaining = 0,
           .resets_in = 2.5,
           .partition = "search"},
          {.t = 6.25, .kind = "retrying", .call = 7, .attempt = 1, .reason = "rejected", .wait = 2.5},
          {.t = 7, .kind = "cached", .call = 9, .method = "GET", .url = "https://h/b", .status = 200, .cache = "fresh"},
          {.t = 8.75, .kind = "sent", .call = 7, .attempt = 2, .method = "GET", .url = url},
          {.t = 9, .kind = "attempt_ended", .call = 7, .attempt = 2, .error = "timeout", .elapsed = 0.25}};
}

TEST(RunReport, the_data_has_each_event) {
  const auto data = data_of({.steps = small_run()});
  const auto& events = data.at("events");
  EXPECT_EQ(events.at("count"), 7);
  EXPECT_THAT(sums(column(events, "t")),
              ElementsAre(0, 1'000'000, 1'250'000, 1'250'000, 2'000'000, 3'750'000, 4'000'000));
  EXPECT_THAT(texts(data, "events", "kind"),
              ElementsAre("holding", "sent", "attempt_ended", "retrying", "cached", "sent", "attempt_ended"));
  EXPECT_THAT(column(events, "call"), ElementsAre(1, 1, 1, 1, 2, 1, 1));
  EXPECT_THAT(column(events, "attempt"), ElementsAre(0, 1, 1, 1, 0, 2, 2));
  EXPECT_THAT(column(events, "status"), ElementsAre(0, 0, 429, 0, 200, 0, 0));
  EXPECT_THAT(column(events, "elapsed"), ElementsAre(0, 0, 250'000, 0, 0, 0, 250'000));
  EXPECT_THAT(column(events, "wait"), ElementsAre(1'000'000, 0, 0, 2'500'000, 0, 0, 0));
  // One more than the number; 0 is unknown.
  EXPECT_THAT(column(events, "limit"), ElementsAre(0, 0, 11, 0, 0, 0, 0));
  EXPECT_THAT(column(events, "remaining"), ElementsAre(0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(column(events, "resets_in"), ElementsAre(0, 0, 2'500'001, 0, 0, 0, 0));
  EXPECT_EQ(texts(data, "events", "url").at(4), "https://h/b");
  EXPECT_EQ(texts(data, "events", "cache").at(4), "fresh");
  EXPECT_EQ(texts(data, "events", "error").at(6), "timeout");
  EXPECT_EQ(texts(data, "events", "partition").at(2), "search");
}

TEST(RunReport, the_data_has_calls_attempts_waits_holds_and_quotas) {
  const auto data = data_of({.steps = small_run()});
  EXPECT_THAT(sums(column(data.at("calls"), "first")), ElementsAre(0, 4));
  EXPECT_THAT(column(data.at("calls"), "length"), ElementsAre(4'000'000, 0));
  EXPECT_THAT(column(data.at("calls"), "lane"), ElementsAre(0, 1));
  EXPECT_EQ(data.at("lanes"), 2);
  EXPECT_THAT(sums(column(data.at("attempts"), "sent")), ElementsAre(1, 5));
  EXPECT_THAT(column(data.at("attempts"), "ended"), ElementsAre(1, 1));
  EXPECT_THAT(column(data.at("attempts"), "outcome"), ElementsAre(1, 2));
  EXPECT_THAT(texts(data, "waits", "reason"), ElementsAre("probe", "rejected"));
  EXPECT_THAT(column(data.at("waits"), "from"), ElementsAre(0, 1'250'000));
  EXPECT_THAT(column(data.at("waits"), "length"), ElementsAre(1'000'000, 2'500'000));
  EXPECT_THAT(texts(data, "holds", "reason"), ElementsAre("probe", "rejected"));
  ASSERT_EQ(data.at("quotas").size(), 1U);
  EXPECT_EQ(data.at("quotas")[0].at("limit"), 10);
  EXPECT_EQ(data.at("rejected"), 1);
  EXPECT_EQ(data.at("failed"), 1);
  EXPECT_EQ(data.at("length"), 4'000'000);
}

TEST(RunReport, numbers_that_a_server_may_send_are_bounded) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const auto data = data_of({.steps = {{.kind = "notice", .limit = most, .remaining = -most, .percent = 1e300},
                                       {.kind = "notice", .total_bytes = std::numeric_limits<std::uint64_t>::max()}}});
  const auto& events = data.at("events");
  constexpr std::int64_t highest = 9'000'000'000'000'001;
  EXPECT_THAT(column(events, "limit"), ElementsAre(highest, 0));
  EXPECT_THAT(column(events, "remaining"), ElementsAre(1, 0));
  EXPECT_THAT(column(events, "percent"), ElementsAre(highest, 0));
  EXPECT_THAT(column(events, "total_bytes"), ElementsAre(0, highest));
}

TEST(RunReport, an_attempt_without_an_end_has_none) {
  const auto data = data_of({.steps = {{.kind = "sent", .call = 1}, {.t = 2, .kind = "notice"}}});
  EXPECT_THAT(column(data.at("attempts"), "ended"), ElementsAre(0));
}

TEST(RunReport, the_start_is_that_of_the_first_event) {
  const noun::WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 20} + 12h};
  const auto noon_in_ms = std::chrono::duration_cast<std::chrono::milliseconds>(noon.time_since_epoch()).count();
  EXPECT_EQ(data_of({.started = noon, .steps = small_run()}).at("started"), noon_in_ms + 5000);
  EXPECT_TRUE(data_of({.steps = small_run()}).at("started").is_null());
}

TEST(RunReport, a_run_without_events_has_a_page) {
  const auto data = data_of({});
  EXPECT_EQ(data.at("events").at("count"), 0);
  EXPECT_EQ(data.at("length"), 0);
}

TEST(RunReport, texts_of_the_server_are_data) {
  std::vector<Step> steps;
  for (const auto& text : hostile_texts()) {
    steps.push_back({.kind = "sent", .call = 1, .method = text, .url = text});
    steps.push_back({.kind = "attempt_ended", .call = 1, .remaining = 1, .partition = text, .note = text});
    steps.push_back({.kind = text, .call = 1, .error = text, .reason = text});
  }
  const auto page = page_of({.steps = steps});
  // Its own: the data and the script.
  EXPECT_EQ(count(page, "</script"), 2U);
  EXPECT_EQ(count(page, "<script"), 2U);
  const auto data = data_text(page);
  EXPECT_THAT(data, Not(HasSubstr("<")));
  EXPECT_TRUE(std::all_of(data.begin(), data.end(), [](char c) { return c >= ' ' && c < '\x7f'; }));
  const auto read = texts(noun::Json::parse(data), "events", "url");
  for (std::size_t i = 0; i < hostile_texts().size(); ++i) EXPECT_EQ(read.at(3 * i), hostile_texts()[i]);
}

TEST(RunReport, the_page_allows_and_loads_nothing_but_its_own) {
  const auto page = page_of({.steps = small_run()});
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
  const auto own = page.substr(0, page.find(data_start)) + std::string(recorder::page_script);
  for (const auto* loads : {"http:", "https:", "//cdn", "src=", "href=", "@import", "url(", "fetch("})
    EXPECT_THAT(own, Not(HasSubstr(loads)));
  for (const auto* markup : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("})
    EXPECT_THAT(own, Not(HasSubstr(markup)));
}

TEST(RunReport, many_events_are_small) {
  std::vector<Step> steps;
  for (std::uint64_t call = 1; call <= 5'000; ++call) {
    const auto t = static_cast<double>(call) / 7;
    const auto url = "https://api.example.com/things?page=" + std::to_string(call);
    steps.push_back({.t = t, .kind = "sent", .call = call, .attempt = 1, .method = "GET", .url = url});
    steps.push_back({.t = t + 0.1,
                     .kind = "attempt_ended",
                     .call = call,
                     .attempt = 1,
                     .method = "GET",
                     .url = url,
                     .status = 200,
                     .elapsed = 0.1,
                     .limit = 50,
                     .remaining = 49});
    steps.push_back({.t = t + 0.1, .kind = "page_delivered", .call = call, .method = "GET", .url = url, .items = 9});
  }
  const auto events = steps.size();
  EXPECT_THAT(page_of({.steps = std::move(steps)}), SizeIs(Lt(70'000 + 60 * events)));
}

TEST(RunReport, of_a_long_run_the_last_events_are_reported) {
  std::string text = "{\"t\":0,\"started\":\"2026-01-20T12:00:00.000Z\",\"kind\":\"notice\"}\n";
  for (std::size_t i = 1; i < 8; ++i) text += "{\"t\":" + std::to_string(i) + ",\"kind\":\"notice\"}\n";
  std::istringstream lines(text);
  const auto data = noun::Json::parse(data_text(recorder::report_of(lines, ReportFormat::page, 5)));
  EXPECT_EQ(data.at("dropped"), 3);
  EXPECT_EQ(data.at("events").at("count"), 5);
  EXPECT_EQ(data.at("length"), 4'000'000);
  std::istringstream again(text);
  EXPECT_THAT(recorder::report_of(again, ReportFormat::trace, 5), HasSubstr("\"dropped_events\":\"3\""));
}

TEST(RunReport, the_suffix_selects_the_format) {
  EXPECT_EQ(report_format("a/run.html"), ReportFormat::page);
  EXPECT_EQ(report_format("a/run.json"), ReportFormat::trace);
  for (const auto* other : {"run.jsonl", "run", ".html", "run.html.svg"}) EXPECT_EQ(report_format(other), std::nullopt);
}

TEST(RunReport, a_report_is_known_by_its_start) {
  std::istringstream page;
  std::istringstream trace;
  EXPECT_TRUE(recorder::is_report(recorder::report_of(page, ReportFormat::page)));
  EXPECT_TRUE(recorder::is_report(recorder::report_of(trace, ReportFormat::trace)));
  EXPECT_FALSE(recorder::is_report("<!doctype html><html>"));
  EXPECT_FALSE(recorder::is_report("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[]}"));
}

}  // namespace run_report_test
}  // namespace recorder_test
