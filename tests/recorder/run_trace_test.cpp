// Tests of the trace of a run: its events are those of the trace event format, and slices of a thread are nested.
#include "run_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <noun/json.hpp>

#include "recorder/hostile_texts.hpp"
#include "recorder/recorded_run.hpp"

namespace recorder_test { namespace run_trace_test {

using recorder::Step;
using recorder::trace_of;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What the format demands of an event that it does not have: members, their types, and no others. Empty if nothing.
std::string fault_of(const noun::Json& event) {
  static const std::map<std::string, std::set<std::string>> members = {
      {"M", {"ph", "pid", "tid", "name", "args"}},
      {"X", {"ph", "pid", "tid", "name", "args", "cat", "ts", "dur"}},
      {"C", {"ph", "pid", "name", "args", "ts"}},
      {"i", {"ph", "pid", "tid", "name", "args", "cat", "ts", "s"}}};
  const auto expected = members.find(event.value("ph", ""));
  if (expected == members.end()) return "an unknown phase";
  std::set<std::string> found;
  for (const auto& [name, value] : event.items()) {
    found.insert(name);
    const bool is_text = name == "ph" || name == "name" || name == "cat" || name == "s";
    const bool fits = name == "args" ? value.is_object() : is_text ? value.is_string() : value.is_number_integer();
    if (!fits || (value.is_number() && value < 0)) return "a wrong value of " + name;
  }
  if (found != expected->second) return "members that are missing or not known";
  if (event["ph"] == "M" && event["name"] != "process_name" && event["name"] != "thread_name") return "metadata";
  if (event["ph"] == "M" && !event["args"].value("name", noun::Json()).is_string()) return "a name that is no text";
  if (event["ph"] == "i" && event["s"] != "t" && event["s"] != "p") return "an unknown scope";
  for (const auto& value : event["args"])
    if (event["ph"] == "C" && !value.is_number()) return "a counter that is no number";
  return "";
}

/// The events of a trace that is as the format says.
noun::Json events_of(std::vector<Step> steps) {
  const auto trace = noun::Json::parse(trace_of({.steps = std::move(steps)}));
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  for (const auto& other : trace.at("otherData")) EXPECT_TRUE(other.is_string());
  for (const auto& event : trace.at("traceEvents")) EXPECT_EQ(fault_of(event), "") << event;
  return trace.at("traceEvents");
}

/// The slices and instants of a category, as `GET 3: 5+2`: the name, the thread, the time, the duration.
std::vector<std::string> of_category(const noun::Json& events, const std::string& category) {
  std::vector<std::string> found;
  for (const auto& event : events)
    if (event.value("cat", "") == category)
      found.push_back(fmt::format("{} {}: {}+{}", event["name"].get<std::string>(), event["tid"].get<int>(),
                                  event["ts"].get<int>(), event.value("dur", 0)));
  return found;
}

/// The slices that overlap another one of their thread without being in it.
std::vector<std::string> not_nested(const noun::Json& events) {
  struct Slice {
    std::int64_t from, until;
  };
  std::map<std::int64_t, std::vector<Slice>> threads;
  for (const auto& event : events)
    if (event["ph"] == "X") {
      const auto from = event["ts"].get<std::int64_t>();
      threads[event["tid"]].push_back({from, from + event["dur"].get<std::int64_t>()});
    }
  std::vector<std::string> found;
  for (auto& [thread, slices] : threads) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return std::pair(a.from, -a.until) < std::pair(b.from, -b.until);
    });
    std::vector<std::int64_t> open;
    for (const auto& [from, until] : slices) {
      while (!open.empty() && open.back() <= from) open.pop_back();
      if (!open.empty() && open.back() < until) found.push_back(fmt::format("{}: {}-{}", thread, from, until));
      open.push_back(until);
    }
  }
  return found;
}

TEST(RunTrace, a_call_is_a_slice_with_its_attempts_and_waits_in_it) {
  const auto events =
      events_of({{.t = 1, .kind = "sent", .call = 7, .attempt = 1, .method = "GET", .url = "https://h/a"},
                 {.t = 2, .kind = "attempt_ended", .call = 7, .status = 503},
                 {.t = 2, .kind = "retrying", .call = 7, .reason = "backoff", .wait = 1},
                 {.t = 3, .kind = "sent", .call = 7, .attempt = 2},
                 {.t = 5, .kind = "attempt_ended", .call = 7, .error = "timeout"}});
  EXPECT_THAT(of_category(events, "call"), ElementsAre("GET https://h/a 2: 0+4000000"));
  EXPECT_THAT(of_category(events, "attempt"), ElementsAre("503 2: 0+1000000", "timeout 2: 2000000+2000000"));
  EXPECT_THAT(of_category(events, "wait"), ElementsAre("backoff 2: 1000000+1000000"));
  EXPECT_THAT(of_category(events, "hold"), ElementsAre("backoff 1: 1000000+1000000"));
  EXPECT_THAT(not_nested(events), IsEmpty());
}

TEST(RunTrace, a_call_has_its_result) {
  const auto events = events_of({{.t = 0, .kind = "sent", .call = 1, .method = "GET", .url = "https://h/a"},
                                 {.t = 1, .kind = "attempt_ended", .call = 1, .attempt = 1, .status = 503},
                                 {.t = 2, .kind = "sent", .call = 1, .attempt = 2},
                                 {.t = 3, .kind = "attempt_ended", .call = 1, .attempt = 2, .status = 200},
                                 {.t = 3, .kind = "ended", .call = 1, .attempt = 2, .status = 200},
                                 {.t = 4, .kind = "sent", .call = 2, .attempt = 1},
                                 {.t = 5, .kind = "ended", .call = 2, .attempt = 1, .error = "cancelled"},
                                 {.t = 6, .kind = "sent", .call = 3, .method = "GET", .url = "https://h/b"}});
  std::vector<std::string> results;
  for (const auto& event : events)
    if (event.value("cat", "") == "call") results.push_back(event["args"].dump());
  EXPECT_THAT(results,
              ElementsAre(R"({"attempts":2,"call":1,"method":"GET","status":200,"url":"https://h/a"})",
                          R"({"attempts":1,"call":2,"error":"cancelled"})",
                          R"({"call":3,"method":"GET","url":"https://h/b"})"));
}

TEST(RunTrace, calls_at_one_time_are_threads_with_names) {
  const auto events =
      events_of({{.t = 0, .kind = "sent", .call = 1}, {.t = 1, .kind = "sent", .call = 2}, {.t = 3, .kind = "notice"}});
  std::vector<std::string> names;
  for (const auto& event : events)
    if (event["ph"] == "M") names.push_back(event["args"]["name"]);
  EXPECT_THAT(names, ElementsAre("noun", "calls 1", "calls 2"));
  EXPECT_THAT(of_category(events, "attempt"),
              ElementsAre("no response yet 2: 0+3000000", "no response yet 3: 1000000+2000000"));
}

TEST(RunTrace, pages_cached_responses_and_notices_are_instants) {
  const auto events = events_of({{.t = 0, .kind = "cached", .call = 1, .status = 200, .cache = "fresh"},
                                 {.t = 1, .kind = "page_delivered", .call = 1, .page = 3, .items = 50},
                                 {.t = 2, .kind = "notice", .note = "odd"}});
  EXPECT_THAT(of_category(events, "cached"), ElementsAre("fresh 2: 0+0"));
  EXPECT_THAT(of_category(events, "page_delivered"), ElementsAre("page 3 2: 1000000+0"));
  EXPECT_THAT(of_category(events, "notice"), ElementsAre("notice 0: 2000000+0"));
}

TEST(RunTrace, each_quota_is_a_counter) {
  const auto events = events_of({{.t = 0, .kind = "sent", .call = 1},
                                 {.t = 1, .kind = "attempt_ended", .call = 1, .remaining = 4},
                                 {.t = 1, .kind = "sent", .call = 1},
                                 {.t = 2, .kind = "attempt_ended", .call = 1, .remaining = 9, .partition = "search"}});
  std::vector<std::string> counters;
  for (const auto& event : events)
    if (event["ph"] == "C") counters.push_back(event["name"].get<std::string>() + event["args"].dump());
  EXPECT_THAT(counters, ElementsAre(R"(quota left{"remaining":4})", R"(quota left, search{"remaining":9})"));
}

TEST(RunTrace, a_recorded_run_is_nested) {
  RunFile file;
  record_drain(file.path(), {.limit = 5, .period = 10s}, 200, replaces({429, {}, ""}, {503, {}, ""}));
  const auto events = events_of(file.steps());
  EXPECT_THAT(not_nested(events), IsEmpty());
  EXPECT_THAT(of_category(events, "page_delivered"), SizeIs(20));
  EXPECT_THAT(of_category(events, "attempt"), SizeIs(22));
}

TEST(RunTrace, texts_of_the_server_are_data) {
  std::vector<Step> steps;
  for (const auto& text : hostile_texts())
    steps.push_back({.kind = "sent", .call = steps.size(), .method = "GET", .url = text});
  std::vector<std::string> urls;
  for (const auto& event : events_of(std::move(steps)))
    if (event.value("cat", "") == "call") urls.push_back(event["args"]["url"]);
  EXPECT_EQ(urls, hostile_texts());
}

}  // namespace run_trace_test
}  // namespace recorder_test
