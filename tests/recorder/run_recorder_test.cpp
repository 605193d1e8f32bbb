// Tests of what is written of a run, and of reading it.
#include "run_recorder.hpp"
#include "joining_thread.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "recorder/recorded_run.hpp"

namespace recorder_test { namespace run_recorder_test {

using recorder::RunRecorder;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

noun::Event event_at(noun::WallTime at) {
  return {.call = 1, .attempt = 1, .url = "https://api.example.com/a", .at = at};
}

/// A file that is open to be continued.
struct Opened {
  explicit Opened(const std::filesystem::path& file, int flags = O_RDWR | O_APPEND)
      : number(::open(file.c_str(), flags | O_CLOEXEC)) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { ::close(number); }

  int number;
};

/// The message of the error, or `none`.
std::string refusal_of(const std::filesystem::path& file) try {
  RunRecorder recorder(file);
  return "none";
} catch (const std::runtime_error& failure) {
  return failure.what();
}

TEST(RunRecorder, writes_a_line_for_each_event) {
  RunFile file;
  record_drain(file.path(), {.limit = 2, .period = 60s}, 25);
  const auto lines = file.lines();
  // Each page is sent, its attempt and its call end, and it is delivered; the third waits for the next window.
  ASSERT_THAT(lines, SizeIs(Ge(10)));
  EXPECT_EQ(lines[0], R"({"t":0.0,"started":"2026-01-20T12:00:00.000Z","kind":"sent","call":)" +
                          std::to_string(file.steps()[0].call) +
                          R"(,"attempt":1,"method":"GET","url":"https://api.example.com/tasks?per_page=10"})");
  EXPECT_THAT(lines[1],
              AllOf(HasSubstr(R"({"t":0.005,"kind":"attempt_ended",)"), HasSubstr(R"("status":200,"elapsed":0.005)"),
                    ContainsRegex(R"("limit":2,"remaining":1,"resets_in":[0-9.]+)")));
  EXPECT_THAT(lines[2], AllOf(HasSubstr(R"("kind":"ended")"), HasSubstr(R"("status":200)")));
  EXPECT_THAT(lines[3], AllOf(HasSubstr(R"("kind":"page_delivered")"), HasSubstr(R"("page":1,"items":10)")));
  const auto held = std::find_if(lines.begin(), lines.end(),
                                 [](const auto& line) { return line.find("\"quota\"") != std::string::npos; });
  ASSERT_NE(held, lines.end());
  const auto holding = noun::Json::parse(*held);
  EXPECT_EQ(holding["kind"], "holding");
  EXPECT_EQ(holding["reason"], "quota");
  EXPECT_NEAR(holding["wait"].get<double>(), 60, 1.5);
  EXPECT_NEAR(holding["until"].get<double>(), holding["t"].get<double>() + holding["wait"].get<double>(), 1e-5);
}

TEST(RunRecorder, a_run_on_virtual_time_is_reproducible) {
  RunFile file;
  const auto record = [&] {
    record_drain(file.path(), {.limit = 5, .period = 10s}, 200);
    std::vector<std::pair<double, std::string>> kinds;
    for (const auto& step : file.steps()) kinds.emplace_back(step.t, step.kind);
    return kinds;
  };
  EXPECT_EQ(record(), record());
}

TEST(RunRecorder, writes_each_line_immediately) {
  RunFile file;
  RunRecorder recorder(file.path());
  recorder.record(event_at({}));
  EXPECT_THAT(file.lines(), SizeIs(1));
  recorder.record(event_at(noun::WallTime{} + 1500ms));
  ASSERT_THAT(file.steps(), SizeIs(2));
  EXPECT_EQ(file.steps()[1].t, 1.5);
}

TEST(RunRecorder, a_continued_file_keeps_its_lines_and_its_start) {
  RunFile file;
  const noun::WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 20} + 12h + 250ms};
  RunRecorder(file.path()).record(event_at(noon));
  std::ofstream(file.path(), std::ios::app) << "{\"t\":1.0,\"ki";
  RunRecorder(Opened(file.path()).number).record(event_at(noon + 90s));
  ASSERT_THAT(file.steps(), SizeIs(2));
  EXPECT_EQ(file.steps()[0].t, 0);
  EXPECT_EQ(file.steps()[1].t, 90);
  EXPECT_THAT(file.lines()[1], Not(HasSubstr("started")));
}

TEST(RunRecorder, a_resumed_run_has_calls_of_its_own) {
  RunFile file;
  RunRecorder(file.path()).record(event_at({}));
  {
    RunRecorder resumed(Opened(file.path()).number);
    resumed.record({.at = noun::WallTime{} + 1s});
    for (int i = 0; i < 2; ++i) resumed.record(event_at(noun::WallTime{} + 1s));
  }
  RunRecorder(Opened(file.path()).number).record(event_at(noun::WallTime{} + 2s));
  std::vector<std::uint64_t> calls;
  for (const auto& step : file.steps()) calls.push_back(step.call);
  EXPECT_THAT(calls, ::testing::ElementsAre(1, 0, 2, 2, 3));
}

TEST(RunRecorder, a_file_without_a_start_is_replaced) {
  for (const auto* text : {"", "nonsense\n", "{\"t\":0.0,\"kind\":\"sent\"}\n", "{\"t\":0.0,\"started\":\"soon\"}\n",
                           "{\"t\":0.0,\"started\":\"2026-01-20T12:00:00.000Z\",\"kind\":\"sent\"}"}) {
    RunFile file;
    std::ofstream(file.path()) << text;
    RunRecorder(Opened(file.path()).number).record(event_at({}));
    ASSERT_THAT(file.steps(), SizeIs(1)) << text;
    EXPECT_THAT(file.lines()[0], HasSubstr("1970-01-01T00:00:00.000Z"));
  }
}

TEST(RunRecorder, many_threads_write_complete_lines) {
  RunFile file;
  {
    RunRecorder recorder(file.path());
    std::vector<noun_test::JoiningThread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 250; ++n) recorder.record(event_at({}));
      });
  }
  EXPECT_THAT(file.steps(), SizeIs(1000));
}

TEST(RunRecorder, all_members_are_read_back) {
  RunFile file;
  RunRecorder recorder(file.path());
  recorder.record({.kind = noun::EventKind::retrying,
                   .call = 7,
                   .attempt = 2,
                   .method = noun::Method::post,
                   .url = "https://api.example.com/\"\xff",
                   .status = 503,
                   .cache = noun::CacheStatus::stale,
                   .error = noun::Errc::timeout,
                   .reason = noun::WaitReason::retry_after,
                   .wait = 2s,
                   .until = noun::WallTime{} + 2s,
                   .quota = {.limit = 10, .remaining = 0, .resets_in = 1s},
                   .partition = "search",
                   .page = 2,
                   .items = 3,
                   .percent = 12.5,
                   .bytes = 10,
                   .total_bytes = 0,
                   .sent_bytes = 4,
                   .body_size = 8,
                   .note = "odd"});
  EXPECT_EQ(
      file.lines().at(0),
      R"({"t":0.0,"started":"1970-01-01T00:00:00.000Z","kind":"retrying","call":7,"attempt":2,"method":"POST",)"
      "\"url\":\"https://api.example.com/\\\"\uFFFD\","
      R"("status":503,"cache":"stale","error":"timeout","reason":"retry_after","wait":2.0,"until":2.0,)"
      R"("limit":10,"remaining":0,"resets_in":1.0,"partition":"search","page":2,"items":3,"percent":12.5,"bytes":10,)"
      R"("total_bytes":0,"sent_bytes":4,"body_size":8,"note":"odd"})");
  const auto step = file.steps().at(0);
  EXPECT_EQ(std::tie(step.t, step.kind, step.call, step.method, step.url, step.status, step.error),
            std::tuple(0.0, "retrying", 7U, "POST", "https://api.example.com/\"\uFFFD", 503, "timeout"));
  EXPECT_EQ(std::tie(step.reason, step.limit, step.remaining, step.partition, step.items),
            std::tuple("retry_after", 10, 0, "search", 3U));
  EXPECT_EQ(std::tie(step.attempt, step.cache, step.wait, step.resets_in, step.page, step.percent, step.bytes),
            std::tuple(2, "stale", 2, 1, 2U, 12.5, 10U));
  EXPECT_EQ(std::tie(step.total_bytes, step.sent_bytes, step.body_size, step.note, step.elapsed),
            std::tuple(0U, 4U, 8U, "odd", 0));
}

TEST(RunRecorder, the_last_lines_are_read_and_those_before_them_counted) {
  RunFile file;
  RunRecorder recorder(file.path());
  const noun::WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 20} + 12h};
  for (int i = 0; i < 5; ++i) recorder.record(event_at(noon + i * 1s));
  for (const auto& [most, dropped] : {std::pair(2U, 3U), {5U, 0U}, {9U, 0U}}) {
    std::ifstream lines(file.path());
    const auto end = recorder::read_run_end(lines, most);
    EXPECT_EQ(end.dropped, dropped);
    EXPECT_EQ(end.started, noon);
    ASSERT_THAT(end.steps, SizeIs(5 - dropped));
    EXPECT_EQ(end.steps.front().t, dropped);
    EXPECT_EQ(end.steps.back().t, 4);
  }
  std::istringstream torn("{\"t\":0,\"kind\":\"sent\"}\nnonsense\n{\"t\":0");
  EXPECT_THROW(recorder::read_run_end(torn, 2), std::runtime_error);
}

TEST(RunRecorder, an_incomplete_last_line_is_ignored) {
  std::istringstream torn("{\"t\":0,\"kind\":\"sent\"}\n{\"t\":1,\"ki");
  EXPECT_THAT(recorder::read_steps(torn), SizeIs(1));
}

TEST(RunRecorder, the_error_names_the_line_that_is_not_an_event) {
  for (const auto* line : {"nonsense", "[]", "{\"t\":\"soon\",\"kind\":\"sent\"}", "{\"kind\":\"sent\"}"}) {
    std::istringstream lines("{\"t\":0,\"kind\":\"sent\"}\n" + std::string(line) + "\n{\"t\":0,\"kind\":\"sent\"}\n");
    try {
      recorder::read_steps(lines);
      ADD_FAILURE() << line;
    } catch (const std::runtime_error& failure) {
      EXPECT_THAT(failure.what(), HasSubstr("line 2 is not an event"));
    }
  }
}

TEST(RunRecorder, the_error_names_the_file_that_cannot_be_written) {
  EXPECT_EQ(refusal_of("no/such/folder/run.jsonl"), "cannot write no/such/folder/run.jsonl: No such file or directory");
}

TEST(RunRecorder, writes_through_no_link) {
  RunFile file;
  const std::filesystem::path other = file.path().string() + ".other";
  std::ofstream(other) << "precious";
  std::filesystem::create_symlink(other, file.path());
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("not a regular file"));
  std::filesystem::remove(file.path());
  std::filesystem::create_hard_link(other, file.path());
  RunRecorder(file.path()).record(event_at({}));
  EXPECT_THAT(file.lines(), SizeIs(1));
  EXPECT_EQ(std::filesystem::file_size(other), std::string_view("precious").size());
  std::filesystem::remove(other);
  EXPECT_THAT(refusal_of("/dev/full"), HasSubstr("not a regular file"));
}

TEST(RunRecorder, a_failed_write_is_reported) {
  RunFile file;
  std::ofstream(file.path()) << "";
  RunRecorder recorder(Opened(file.path(), O_RDONLY).number);
  EXPECT_TRUE(recorder.complete());
  recorder.record(event_at({}));
  EXPECT_FALSE(recorder.complete());
}

}  // namespace run_recorder_test
}  // namespace recorder_test
