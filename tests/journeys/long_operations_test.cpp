// Long-running operations as a program sees them, in virtual time.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing.hpp>

namespace noun_test { namespace long_operations_test {

using namespace std::chrono_literals;
namespace kit = noun::testing;
using noun::Errc;
using noun::Json;
using noun::Method;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Report {
  std::string id;
  int pages = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report, id, pages)

constexpr const char* root = "https://api.example.com/v1";
const Json spec = {{"id", "r1"}, {"pages", 7}};

/// A client on virtual time.
struct Bench {
  std::shared_ptr<kit::ManualClock> clock = std::make_shared<kit::ManualClock>();
  /// The observer runs on the loop's thread and on workers.
  std::mutex mutex = {};
  std::vector<noun::Event> events = {};

  noun::Client client(std::shared_ptr<noun::Transport> transport, noun::ClientOptions options = {}) {
    options.transport = std::move(transport);
    options.clock = clock;
    options.quota_ledger = noun::make_quota_ledger();
    options.retry.jitter = 0;
    options.observer = [this](const noun::Event& event) {
      const std::lock_guard lock(mutex);
      events.push_back(event);
      if (on_event) on_event(event);
    };
    return noun::Client(root, std::move(options));
  }
  /// Called for each event, if there is one.
  std::function<void(const noun::Event&)> on_event = {};

  /// The waits that were announced, in milliseconds.
  std::vector<std::int64_t> waits() const {
    std::vector<std::int64_t> all;
    for (const auto& event : events)
      if (event.kind == noun::EventKind::polling)
        all.push_back(std::chrono::round<std::chrono::milliseconds>(event.wait).count());
    return all;
  }
};

/// A simulated server whose reports are made by operations.
struct Simulated : Bench {
  explicit Simulated(kit::ServiceOperations how = {}, kit::ServiceOptions server = {}, noun::ClientOptions options = {})
      : service(std::make_shared<kit::SimulatedService>(clock, server)), api(client(service, [&] {
          options.dialect = server.dialect;
          return options;
        }())) {
    service->run_operations("/v1/reports", how);
  }
  auto start() { return reports.create<Json>(spec); }

  std::shared_ptr<kit::SimulatedService> service;
  noun::Client api;
  noun::Collection<Report> reports = api.collection<Report>("reports");
};

/// A server that plays a script.
struct Scripted : Bench {
  std::shared_ptr<kit::ScriptedTransport> script = std::make_shared<kit::ScriptedTransport>(clock);
  ~Scripted() { EXPECT_EQ(script->complaint(), ""); }
};

kit::ServiceOptions speaking(noun::Polling polling) { return {.dialect = {.polling = std::move(polling)}}; }

TEST(LongOperations, end_with_the_result) {
  Simulated bench({.polls = 2, .retry_after = 5s});
  const auto began = bench.clock->now().steady;
  const auto report = bench.api.finish<Report>(bench.start());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->pages, 7);
  EXPECT_EQ(report.response()->status, 200);
  // The POST, three polls, and the report.
  EXPECT_EQ(bench.service->requests(), 5U);
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{5000, 5000, 5000}));
  const auto took = bench.clock->now().steady - began;
  EXPECT_GE(took, 15s);
  EXPECT_LT(took, 16s);
}

TEST(LongOperations, end_with_the_result_of_each_dialect) {
  for (const auto& polling : {noun::polling::plain(), noun::polling::azure()}) {
    Simulated bench({.polls = 1}, speaking(polling));
    const auto report = bench.api.finish<Report>(bench.start());
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->id, "r1");
  }
  auto in_the_body = noun::polling::azure();
  in_the_body.result = "/result";
  in_the_body.result_url.clear();
  in_the_body.result_from = noun::ResultFrom::monitor;
  Simulated bench({.polls = 1}, speaking(in_the_body));
  EXPECT_EQ(bench.api.finish<Report>(bench.start()).value().pages, 7);
  EXPECT_EQ(bench.service->requests(), 3U);
}

TEST(LongOperations, wait_longer_and_longer_if_the_server_does_not_say_how_long) {
  Simulated bench({.polls = 7, .retry_after = std::nullopt});
  EXPECT_TRUE(bench.api.finish<Report>(bench.start()));
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000}));
}

TEST(LongOperations, wait_as_the_last_response_that_said_it) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports")
      .reply(202, "", {{"Location", "/v1/jobs/1"}, {"Retry-After", "0.5"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(202);
  bench.script->expect(Method::get, "/v1/jobs/1")
      .reply(202, "", {{"Date", "Fri, 15 Jan 2027 08:00:00 GMT"}, {"Retry-After", "Fri, 15 Jan 2027 08:00:40 GMT"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(202, "", {{"Retry-After", "0"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(200, R"({"id": "r1", "pages": 1})");
  const auto api = bench.client(bench.script);
  EXPECT_EQ(api.finish<Report>(api.collection("reports").create(spec)).value().pages, 1);
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{500, 500, 40000, 250}));
}

TEST(LongOperations, have_their_result_where_its_redirects_lead) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/v1/jobs/1"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(303, "", {{"Location", "/v1/reports/r1"}});
  bench.script->expect(Method::get, "/v1/reports/r1").reply(303, "{}", {{"Location", "/v1/files/1"}});
  bench.script->expect(Method::get, "/v1/files/1").reply(200, R"({"id": "r1", "pages": 5})");
  const auto api = bench.client(bench.script);
  const auto report = api.finish<Report>(api.collection("reports").create(spec));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->pages, 5);
}

TEST(LongOperations, that_are_done_at_once_may_have_their_result_elsewhere) {
  for (const bool is_sent_by_finish : {true, false}) {
    Scripted bench;
    bench.script->expect(Method::post, "/v1/reports").reply(303, "", {{"Location", "/v1/reports/r1"}});
    bench.script->expect(Method::get, "/v1/reports/r1").reply(200, R"({"id": "r1", "pages": 5})");
    const auto api = bench.client(bench.script);
    const auto reports = api.collection("reports");
    const auto report = is_sent_by_finish ? api.finish<Report>(noun::op::create(reports, spec))
                                          : api.finish<Report>(reports.create(spec));
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->pages, 5);
  }
}

TEST(LongOperations, wait_for_a_result_that_is_not_there_yet) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/v1/jobs/1"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(303, "", {{"Location", "/v1/reports/r1"}});
  bench.script->expect(Method::get, "/v1/reports/r1").reply(202, R"({"state": "copying"})", {{"Retry-After", "3"}});
  bench.script->expect(Method::get, "/v1/reports/r1").reply(202, R"({"state": "copying"})", {{"Retry-After", "60"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(303, "", {{"Location", "/v1/reports/r1"}});
  bench.script->expect(Method::get, "/v1/reports/r1").reply(200, R"({"id": "r1", "pages": 5})");
  const auto api = bench.client(bench.script);
  const auto late = api.finish<Report>(api.collection("reports").create(spec), {.deadline = 20s});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{1000, 3000, 60000}));
  const auto began = bench.clock->now().steady;
  const auto report = api.finish<Report>(late.error().poll_token());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->pages, 5);
  EXPECT_GE(bench.clock->now().steady - began, 60s);
}

TEST(LongOperations, wait_for_the_result_as_long_with_their_token) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/v1/jobs/1"}});
  bench.script->expect(Method::get, "/v1/jobs/1")
      .reply(303, "", {{"Location", "/v1/reports/r1"}, {"Retry-After", "9"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(303, "", {{"Location", "/v1/reports/r1"}});
  bench.script->expect(Method::get, "/v1/reports/r1").reply(200, R"({"id": "r1", "pages": 5})");
  const auto api = bench.client(bench.script);
  const auto late = api.finish<Report>(api.collection("reports").create(spec), {.deadline = 5s});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{1000, 9000}));
  const auto began = bench.clock->now().steady;
  EXPECT_EQ(api.finish<Report>(late.error().poll_token()).value().pages, 5);
  EXPECT_GE(bench.clock->now().steady - began, 9s);
}

TEST(LongOperations, that_failed_are_errors_with_what_the_server_says) {
  Simulated bench({.polls = 1, .fails = true}, speaking(noun::polling::azure()));
  const auto report = bench.api.finish<Report>(bench.start());
  ASSERT_FALSE(report);
  const auto& error = report.error();
  EXPECT_EQ(error.code(), Errc::operation_failed);
  EXPECT_EQ(error.status(), 200);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("GET https://api.example.com/v1/operations/1: the operation failed"),
                                     HasSubstr("saying \"the disk is full (Failed)\"")));
  EXPECT_EQ(error.body_as<Json>().value()["error"]["code"], "Failed");
  EXPECT_EQ(error.poll_token(), "");
  EXPECT_EQ(error.stopped_because(), noun::StopReason::permanent);
}

TEST(LongOperations, of_google_fail_or_end_in_their_bodies) {
  for (const bool fails : {true, false}) {
    Scripted bench;
    bench.script->expect(Method::post, "/v1/reports").reply(200, R"({"name": "operations/1", "done": false})");
    bench.script->expect(Method::get, "/v1/operations/1")
        .reply(200, fails ? R"({"done": true, "error": {"code": 8, "message": "no disk left"}})"
                          : R"({"done": true, "response": {"id": "r1", "pages": 9}})");
    const auto api = bench.client(bench.script, {.dialect = {.polling = noun::polling::google()}});
    const auto report = api.finish<Report>(api.collection("reports").create(spec));
    EXPECT_EQ(report.has_value(), !fails);
    if (report)
      EXPECT_EQ(report->pages, 9);
    else
      EXPECT_THAT(report.error().message(), HasSubstr("no disk left"));
  }
}

TEST(LongOperations, of_openai_are_items) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/batches").reply(200, R"({"id": "b1", "status": "validating"})");
  bench.script->expect(Method::get, "/v1/batches/b1").reply(200, R"({"id": "b1", "status": "in_progress"})");
  bench.script->expect(Method::get, "/v1/batches/b1").reply(200, R"({"id": "b1", "status": "completed", "pages": 3})");
  const auto api = bench.client(bench.script, {.dialect = noun::dialects::openai()});
  EXPECT_EQ(api.finish<Report>(api.collection("batches").create(spec)).value().pages, 3);
}

TEST(LongOperations, that_the_server_forgot_are_expired) {
  Simulated bench({.polls = 1, .forgets = true});
  const auto report = bench.api.finish<Report>(bench.start());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), Errc::expired_cursor);
  EXPECT_THAT(report.error().message(), HasSubstr("the server no longer knows the operation (404 Not Found)"));
  EXPECT_EQ(report.error().poll_token(), "");
}

TEST(LongOperations, do_not_lead_to_another_origin_unless_it_is_trusted) {
  for (const bool is_trusted : {false, true}) {
    Scripted bench;
    bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "https://ops.example.com/jobs/1"}});
    if (is_trusted)
      bench.script->expect(Method::get, "/jobs/1")
          .with_header("Authorization", "Bearer s3cret-token")
          .reply(200, R"({"id": "r1", "pages": 1})");
    noun::ClientOptions options{.credentials = noun::bearer("s3cret-token")};
    if (is_trusted) options.trusted_origins = {"https://ops.example.com"};
    const auto api = bench.client(bench.script, options);
    const auto report = api.finish<Report>(api.collection("reports").create<void>(spec));
    EXPECT_EQ(report.has_value(), is_trusted);
    if (is_trusted) continue;
    EXPECT_EQ(report.error().code(), Errc::refused);
    EXPECT_THAT(report.error().message(), HasSubstr("ClientOptions::trusted_origins"));
  }
}

TEST(LongOperations, that_lead_to_another_origin_later_go_on_with_their_token) {
  for (const bool moves : {false, true}) {
    Scripted bench;
    const noun::Headers elsewhere = {{"Location", "https://ops.example.com/r/1"}};
    bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/v1/jobs/1"}});
    bench.script->expect(Method::get, "/v1/jobs/1").times(2).reply(moves ? 202 : 303, "", elsewhere);
    bench.script->expect(Method::get, "/r/1").reply(200, R"({"id": "r1", "pages": 5})");
    const auto api = bench.client(bench.script);
    const auto refused = api.finish<Report>(api.collection("reports").create(spec));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::refused);
    EXPECT_THAT(refused.error().message(),
                HasSubstr(" if it belongs to the API, then continue with Client::finish() and Error::poll_token()"));
    const auto trusting = bench.client(bench.script, {.trusted_origins = {"https://ops.example.com"}});
    const auto report = trusting.finish<Report>(refused.error().poll_token());
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->pages, 5);
  }
}

TEST(LongOperations, without_a_result_type_do_not_care_where_the_result_is) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/v1/jobs/1"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(303, "", {{"Location", "https://ops.example.com/r/1"}});
  const auto api = bench.client(bench.script);
  const auto finished = api.finish<void>(api.collection("reports").create(spec));
  EXPECT_TRUE(finished) << finished.error().message();
}

TEST(LongOperations, are_not_started_with_options_that_no_poll_may_have) {
  Simulated bench;
  const auto start = noun::op::create<Json>(bench.reports, spec);
  const std::vector<noun::FinishOptions> wrong = {{.headers = {{"X-A", "a\nb"}}}, {.attempt_timeout = 0s}};
  for (const auto& options : wrong) {
    const auto refused = bench.api.finish<Report>(start, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_EQ(bench.service->requests(), 0U);
  }
}

TEST(LongOperations, whose_server_asks_for_years_are_refused_with_their_token) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports")
      .times(2)
      .reply(202, "", {{"Location", "/v1/jobs/1"}, {"Retry-After", "999999999999999"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(202, "", {{"Retry-After", "90000"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(200, R"({"id": "r1", "pages": 5})");
  const auto api = bench.client(bench.script);
  const auto began = bench.clock->now();
  const auto expect_refused = [&](const noun::Result<Report>& report) {
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), Errc::refused);
    EXPECT_EQ(report.error().stopped_because(), noun::StopReason::time);
    EXPECT_EQ(report.error().sent(), noun::Sent::answered);
    EXPECT_THAT(report.error().message(), HasSubstr("longer than ClientOptions::dialect.farthest_reset"));
    EXPECT_THAT(report.error().poll_token(), ::testing::StartsWith("nounpoll1."));
    EXPECT_GT(report.error().retry_at().value(), began.wall + 24h);
  };
  const auto started = api.collection("reports").create<void>(spec);
  const auto refused = api.finish<Report>(started);
  expect_refused(refused);
  expect_refused(api.finish<Report>(noun::op::create<Json>(api.collection("reports"), spec)));
  expect_refused(api.finish<Report>(refused.error().poll_token()));
  EXPECT_LT(bench.clock->now().steady - began.steady, 1min);

  const noun::Result<void> soon(std::make_shared<const noun::Response>(
      noun::Response{.status = 202, .headers = {{"Location", "/v1/jobs/1"}}}));
  const auto later = api.finish<Report>(soon);
  expect_refused(later);
  EXPECT_THAT(later.error().message(), HasSubstr("the server reported a wait of 25 h before the next request"));
  const auto patient = bench.client(bench.script, {.dialect = {.farthest_reset = 48h}});
  EXPECT_EQ(patient.finish<Report>(later.error().poll_token()).value().pages, 5);
  EXPECT_GE(bench.clock->now().steady - began.steady, 25h);

  // Without a monitor there is nothing to continue with.
  const noun::Result<void> elsewhere(std::make_shared<const noun::Response>(
      noun::Response{.status = 303, .headers = {{"Location", "/v1/reports/r1"}, {"Retry-After", "90000"}}}));
  const auto lost = api.finish<Report>(elsewhere);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::refused);
  EXPECT_EQ(lost.error().poll_token(), "");
}

TEST(LongOperations, wait_longer_than_the_farthest_reset_if_the_server_does_not_say_how_long) {
  Simulated bench({.polls = 5, .retry_after = std::nullopt}, {.dialect = {.farthest_reset = 10s}});
  const auto report = bench.api.finish<Report>(bench.start());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{1000, 2000, 4000, 8000, 16000, 30000}));
}

TEST(LongOperations, whose_options_no_poll_may_have_go_on_with_their_token) {
  Simulated bench;
  const noun::FinishOptions wrong = {.headers = {{"X-A", "a\nb"}}};
  const auto started = bench.start();
  const auto sent = bench.service->requests();
  const auto expect_token = [&](const noun::Result<Report>& report) {
    ASSERT_FALSE(report);
    const auto& error = report.error();
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(error.sent(), noun::Sent::answered);
    EXPECT_EQ(bench.service->requests(), sent);
    EXPECT_THAT(error.poll_token(), ::testing::StartsWith("nounpoll1."));
    EXPECT_THAT(error.message(), HasSubstr("fix the call's headers, then continue with Client::finish()"));
  };
  expect_token(bench.api.finish<Report>(bench.api.poll_token(started).value(), wrong));
  const auto refused = bench.api.finish<Report>(started, wrong);
  expect_token(refused);
  EXPECT_EQ(bench.api.finish<Report>(refused.error().poll_token()).value().pages, 7);
}

TEST(LongOperations, hide_a_secret_in_the_host_that_they_do_not_follow) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "https://s3cret-token.example.com/1"}});
  const auto api = bench.client(bench.script, {.credentials = noun::bearer("s3cret-token")});
  const auto report = api.finish<Report>(api.collection("reports").create<void>(spec));
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("leads to another origin, https://***.example.com"));
}

TEST(LongOperations, are_started_once) {
  Simulated bench;
  bench.service->on_request([](const noun::Attempt& attempt, std::size_t number) -> kit::SimulatedService::Outcome {
    if (attempt.method == Method::post)
      return std::pair(noun::Error(Errc::send, "the connection broke", noun::Sent::maybe),
                       kit::SimulatedService::When::after);
    // Polls are retried as every GET.
    if (number % 2 == 0) return std::pair(noun::Response{.status = 503}, kit::SimulatedService::When::instead);
    return std::nullopt;
  });
  const auto lost = bench.api.finish<Report>(bench.start());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::send);
  EXPECT_EQ(lost.error().poll_token(), "");
  EXPECT_EQ(bench.service->requests(), 1U);
  // The operation runs: where it is polled is known.
  const noun::Result<void> started(std::make_shared<const noun::Response>(
      noun::Response{.status = 202, .headers = {{"Location", "/v1/operations/1"}}}));
  EXPECT_EQ(bench.api.finish<Report>(started).value().pages, 7);
}

TEST(LongOperations, send_no_polls_while_the_quota_is_exhausted) {
  Simulated bench({.polls = 3, .retry_after = 1s}, {.limit = 2, .period = 60s});
  EXPECT_TRUE(bench.api.finish<Report>(bench.start()));
  EXPECT_EQ(bench.service->rejected(), 0U);
  EXPECT_EQ(bench.service->requests(), 6U);
}

TEST(LongOperations, that_exceed_the_deadline_go_on_with_their_token) {
  Simulated bench({.polls = 3, .retry_after = 20s}, {}, {.credentials = noun::bearer("s3cret-token")});
  const auto began = bench.clock->now().steady;
  const auto late = bench.api.finish<Report>(bench.start(), {.deadline = 50s});
  ASSERT_FALSE(late);
  const auto& error = late.error();
  EXPECT_EQ(error.code(), Errc::deadline_exceeded);
  EXPECT_EQ(error.sent(), noun::Sent::answered);
  EXPECT_TRUE(error.retry_at());
  EXPECT_THAT(error.message(), HasSubstr("continue with Client::finish() and Error::poll_token()"));
  // The wait that would pass the deadline is not started.
  EXPECT_LT(bench.clock->now().steady - began, 41s);
  EXPECT_EQ(bench.service->requests(), 3U);
  EXPECT_THAT(error.poll_token(), AllOf(Not(HasSubstr("s3cret")), ::testing::StartsWith("nounpoll1.")));

  const auto elsewhere = bench.client(bench.service, {.credentials = noun::bearer("s3cret-token")});
  const auto report = elsewhere.finish<Report>(error.poll_token());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->pages, 7);
  // The next poll was due 20 s after the last one, wherever it is sent.
  EXPECT_GE(bench.clock->now().steady - began, 80s);
  EXPECT_EQ(bench.service->requests(), 6U);
}

TEST(LongOperations, that_are_cancelled_go_on_with_their_token) {
  Simulated bench({.polls = 2});
  noun::StopSource source;
  bench.service->on_request([&](const noun::Attempt& attempt, std::size_t) {
    if (attempt.method == Method::get) source.request_stop();
    return kit::SimulatedService::Outcome();
  });
  const auto stopped = bench.api.finish<Report>(bench.start(), {.stop = source.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Errc::cancelled);
  EXPECT_EQ(bench.service->requests(), 2U);
  bench.service->on_request({});
  EXPECT_EQ(bench.api.finish<Report>(stopped.error().poll_token()).value().pages, 7);
}

TEST(LongOperations, that_are_cancelled_before_their_first_poll_were_sent) {
  Simulated bench;
  noun::StopSource source;
  bench.on_event = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::polling) source.request_stop();
  };
  const auto stopped = bench.api.finish<Report>(bench.start(), {.stop = source.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().sent(), noun::Sent::answered);
  EXPECT_THAT(stopped.error().message(), HasSubstr("cancelled by the caller before the request was sent"));
  EXPECT_NE(stopped.error().poll_token(), "");
}

TEST(LongOperations, that_are_cancelled_after_a_transient_404_are_not_expired) {
  Scripted bench;
  noun::StopSource source;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/v1/jobs/1"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(404);
  bench.on_event = [&](const noun::Event& event) {
    if (event.kind == noun::EventKind::retrying) source.request_stop();
  };
  const auto api = bench.client(bench.script, {.dialect = {.transient_statuses = {404}}});
  const auto stopped = api.finish<Report>(api.collection("reports").create(spec), {.stop = source.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Errc::cancelled);
  EXPECT_NE(stopped.error().poll_token(), "");
}

TEST(LongOperations, have_a_token_from_the_start) {
  Simulated bench({.polls = 1, .retry_after = 4s}, {}, {.query = {{"api-version", "key-of-caller"}}});
  const auto token = bench.api.poll_token(bench.start());
  ASSERT_TRUE(token) << token.error().message();
  bench.clock->advance(1s);
  const auto began = bench.clock->now().steady;
  EXPECT_EQ(bench.api.finish<Report>(*token).value().pages, 7);
  // 3 s are left of the first wait.
  EXPECT_LT(bench.clock->now().steady - began, 8s);
  EXPECT_EQ(bench.api.poll_token(bench.reports["r1"].get()).error().code(), Errc::invalid_argument);
}

TEST(LongOperations, refuse_a_token_that_is_not_theirs) {
  Simulated bench;
  const auto token = bench.api.poll_token(bench.start()).value();
  const auto sent = bench.service->requests();
  const auto with_key = bench.client(bench.service, {.bookmark_key = "0123456789abcdef"});
  EXPECT_EQ(with_key.finish(token).error().code(), Errc::invalid_argument);
  noun::ClientOptions other{.transport = bench.service, .clock = bench.clock};
  EXPECT_THAT(noun::Client("https://other.example.com/v1", other).finish(token).error().message(),
              HasSubstr("another base URL"));
  EXPECT_EQ(bench.api.finish(std::string("hello")).error().code(), Errc::invalid_argument);
  EXPECT_EQ(bench.service->requests(), sent);
}

TEST(LongOperations, keep_secrets_out_of_their_tokens) {
  Scripted bench;
  const auto target = "/v1/jobs/1?key=the-api-key&again=the-api-key";
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", target}});
  bench.script->expect(Method::get, target).reply(200, R"({"id": "r1", "pages": 1})");
  const auto api = bench.client(bench.script, {.query = {{"key", "the-api-key"}}, .bookmark_key = "0123456789abcdef"});
  const auto token = api.poll_token(api.collection("reports").create<void>(spec)).value();
  const auto bytes = token.substr(token.find('.') + 1);
  EXPECT_THAT(token, ::testing::StartsWith("nounpoll1s."));
  // In base64, at each of three places.
  for (const auto* part : {"dGhlLWFwaS1rZX", "RoZS1hcGkta2V5", "0aGUtYXBpLWtle"})
    EXPECT_THAT(bytes, Not(HasSubstr(part)));
  EXPECT_EQ(api.finish<Report>(token).value().pages, 1);
}

TEST(LongOperations, whose_monitor_repeats_changing_credentials_have_no_token) {
  for (const bool fails : {false, true}) {
    Scripted bench;
    const auto target = "/v1/jobs/1?t=s3cret-token";
    bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", target}});
    if (fails) bench.script->expect(Method::get, target).reply(403);
    const auto api = bench.client(
        bench.script,
        {.credentials = noun::Credentials([](const noun::CredentialsRequest&) -> noun::Result<noun::Headers> {
           return noun::Headers{{"Authorization", "Bearer s3cret-token"}};
         })});
    const auto started = api.collection("reports").create<void>(spec);
    if (fails)
      EXPECT_EQ(api.finish<Report>(started).error().poll_token(), "");
    else
      EXPECT_EQ(api.poll_token(started).error().code(), Errc::refused);
  }
}

TEST(LongOperations, whose_monitor_repeats_earlier_credentials_have_no_token) {
  // A monitor that moves after the first poll, and one of a start that noun did not send: the call that would poll it is
  // stopped before it asks for credentials.
  for (const bool moves : {false, true}) {
    Scripted bench;
    const auto secret = "/v1/jobs/1?t=s3cret-token-1";
    bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", moves ? "/v1/jobs/1" : secret}});
    if (moves) bench.script->expect(Method::get, "/v1/jobs/1").reply(202, "", {{"Location", secret}});
    noun::StopSource source;
    int polls_to_come = moves ? 2 : 1;
    bench.on_event = [&](const noun::Event& event) {
      if (event.kind == noun::EventKind::polling && --polls_to_come == 0) source.request_stop();
    };
    int token = moves ? -1 : 0;
    const auto api = bench.client(
        bench.script,
        {.credentials = noun::Credentials([&](const noun::CredentialsRequest&) -> noun::Result<noun::Headers> {
           return noun::Headers{{"Authorization", "Bearer s3cret-token-" + std::to_string(++token)}};
         })});
    const auto started = api.collection("reports").create<void>(spec);
    const auto stopped = api.finish<Report>(started, {.stop = source.get_token()});
    EXPECT_EQ(stopped.error().code(), Errc::cancelled);
    EXPECT_EQ(stopped.error().poll_token(), "");
    EXPECT_THAT(stopped.error().message(), Not(HasSubstr("s3cret")));
  }
}

TEST(LongOperations, outside_of_the_base_url_need_a_key_for_their_token) {
  for (const bool has_key : {false, true}) {
    Scripted bench;
    bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/jobs/1"}});
    if (has_key) bench.script->expect(Method::get, "/jobs/1").reply(200, R"({"id": "r1", "pages": 1})");
    noun::ClientOptions options;
    if (has_key) options.bookmark_key = "0123456789abcdef";
    const auto api = bench.client(bench.script, options);
    const auto token = api.poll_token(api.collection("reports").create<void>(spec));
    EXPECT_EQ(token.has_value(), has_key);
    if (has_key)
      EXPECT_EQ(api.finish<Report>(*token).value().pages, 1);
    else
      EXPECT_EQ(token.error().code(), Errc::refused);
  }
}

TEST(LongOperations, without_a_token_say_that_they_may_still_run) {
  Scripted bench;
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Location", "/jobs/1"}});
  const auto api = bench.client(bench.script, {});
  const auto started = api.collection("reports").create<void>(spec);
  const auto stopped = api.finish<Report>(started, {.deadline = 10ms});
  EXPECT_EQ(stopped.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(stopped.error().poll_token(), "");
  EXPECT_THAT(stopped.error().advice(),
              HasSubstr("the operation may still run: set ClientOptions::bookmark_key for a token to continue with"));
}

TEST(LongOperations, tell_the_observer_about_each_poll) {
  Simulated bench({.polls = 3}, speaking(noun::polling::azure()));
  EXPECT_TRUE(bench.api.finish<Report>(bench.start()));
  std::vector<std::optional<double>> percents;
  for (const auto& event : bench.events)
    if (event.kind == noun::EventKind::polling) percents.push_back(event.percent);
  EXPECT_THAT(percents, ElementsAre(std::nullopt, 25, 50, 75));
  const auto& last = *std::find_if(bench.events.rbegin(), bench.events.rend(),
                                   [](const auto& event) { return event.kind == noun::EventKind::polling; });
  EXPECT_THAT(to_string(last), HasSubstr("GET /v1/operations/1 not finished (75 %): the next poll is in 1 s"));
}

TEST(LongOperations, run_in_every_asynchronous_form) {
  Simulated bench({.polls = 2, .retry_after = 5s});
  const auto made_of = [&](int pages) {
    return noun::op::finish(bench.api, noun::op::create<Json>(bench.reports, Json{{"pages", pages}}));
  };
  const auto operation = made_of(1);
  EXPECT_EQ(noun::future(operation).get().value()["pages"], 1);
  std::vector<noun::Operation<Json>> several;
  for (int pages = 2; pages < 6; ++pages) several.push_back(made_of(pages));
  int expected = 2;
  for (auto& report : bench.api.run_all(several)) {
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ((*report)["pages"], expected++);
  }
  EXPECT_EQ(bench.service->size("/v1/reports"), 5U);
  // An operation may run more than once: each starts another one.
  EXPECT_TRUE(operation.run());
  EXPECT_EQ(bench.service->size("/v1/reports"), 6U);
}

TEST(LongOperations, in_the_background_end_with_the_errors_of_blocking_ones) {
  Simulated bench({.polls = 1, .fails = true}, speaking(noun::polling::azure()));
  EXPECT_EQ(noun::future(noun::op::finish<Report>(bench.api, bench.start())).get().error().code(),
            Errc::operation_failed);
  EXPECT_EQ(noun::future(noun::op::finish<Report>(bench.api, std::string("hello"))).get().error().code(),
            Errc::invalid_argument);
  Simulated slow({.polls = 9, .retry_after = 20s});
  const auto late = noun::future(noun::op::finish<Report>(slow.api, slow.start(), {.deadline = 50s})).get();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::deadline_exceeded);
  EXPECT_NE(late.error().poll_token(), "");
}

TEST(LongOperations, are_polled_at_the_server_whatever_the_cache_has) {
  Scripted bench;
  const noun::Headers fresh = {{"Cache-Control", "max-age=3600"}, {"ETag", "\"1\""}};
  bench.script->expect(Method::post, "/v1/reports").reply(202, "", {{"Operation-Location", "/v1/jobs/1"}});
  bench.script->expect(Method::get, "/v1/jobs/1").reply(200, R"({"status": "Running"})", fresh);
  bench.script->expect(Method::get, "/v1/jobs/1").reply(200, R"({"status": "Succeeded"})", fresh);
  const auto api = bench.client(bench.script, {.dialect = {.polling = noun::polling::azure()},
                                               .cache = noun::memory_cache(),
                                               .cache_mode = noun::CacheMode::rfc9111});
  EXPECT_TRUE(api.finish<Json>(api.collection("reports").create<void>(spec), {.deadline = 10s}));
}

TEST(LongOperations, without_a_result_type_do_not_request_the_result) {
  Simulated bench({.polls = 1});
  EXPECT_TRUE(bench.api.finish<void>(bench.start()));
  EXPECT_EQ(bench.service->requests(), 3U);
}

TEST(LongOperations, return_the_errors_that_came_before_them) {
  Simulated bench;
  const auto missing = bench.api.collection("nothing").create<Json>(spec);
  EXPECT_EQ(bench.api.finish<Report>(missing).error(), missing.error());
  const auto listed =
      noun::op::finish<Report>(bench.api, noun::op::get(bench.reports["x"], {.wait_until_ready = true}));
  EXPECT_EQ(listed.run().error().code(), Errc::invalid_argument);
}

TEST(WaitUntilReady, repeats_a_get_until_it_is_computed) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats?a=1").times(2).reply(202, "{}");
  bench.script->expect(Method::get, "/v1/stats?a=1").with_header("X-A", "b").reply(200, R"({"id": "r1", "pages": 2})");
  const auto api = bench.client(bench.script, {.dialect = noun::dialects::github(), .strict_statuses = true});
  const auto stats =
      api.singleton<Report>("stats").get({.query = {{"a", 1}}, .headers = {{"X-A", "b"}}, .wait_until_ready = true});
  ASSERT_TRUE(stats) << stats.error().message();
  EXPECT_EQ(stats->pages, 2);
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{1000, 2000}));
}

TEST(WaitUntilReady, takes_a_204_for_final_and_works_in_the_background) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats").reply(202, "", {{"Retry-After", "3"}});
  bench.script->expect(Method::get, "/v1/stats").reply(204);
  const auto api = bench.client(bench.script);
  const auto stats = noun::future(noun::op::get(api.singleton("stats"), {.wait_until_ready = true})).get();
  ASSERT_TRUE(stats) << stats.error().message();
  EXPECT_TRUE(stats->is_null());
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{3000}));
}

TEST(WaitUntilReady, has_errors_of_all_its_requests) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats").times(2).reply(202, "", {{"Retry-After", "1"}});
  bench.script->expect(Method::get, "/v1/stats")
      .reply(202, R"({"detail": "busy"})", {{"Retry-After", "10"}, {"X-Request-Id", "r-3"}});
  const auto api = bench.client(bench.script);
  const auto late = api.singleton("stats").get({.deadline = 8s, .wait_until_ready = true});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(late.error().sent(), noun::Sent::answered);
  EXPECT_EQ(late.error().attempts(), 3);
  EXPECT_EQ(late.error().status(), 202);
  EXPECT_EQ(late.error().request_id(), "r-3");
  EXPECT_GE(late.error().elapsed(), 2s);
  ASSERT_NE(late.error().response(), nullptr);
  EXPECT_EQ(late.error().response()->body, R"({"detail": "busy"})");
}

TEST(WaitUntilReady, has_the_response_of_its_last_request) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats").reply(202);
  bench.script->expect(Method::get, "/v1/stats").reply(403);
  const auto api = bench.client(bench.script);
  const auto stats = api.singleton("stats").get({.wait_until_ready = true});
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().attempts(), 2);
  EXPECT_EQ(stats.error().status(), 403);
}

TEST(WaitUntilReady, does_not_wait_for_years) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats").reply(202, "{}");
  bench.script->expect(Method::get, "/v1/stats").reply(202, "{}", {{"Retry-After", "999999999999999"}});
  const auto api = bench.client(bench.script);
  const auto began = bench.clock->now();
  const auto stats = api.singleton("stats").get({.wait_until_ready = true});
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().code(), Errc::refused);
  EXPECT_EQ(stats.error().attempts(), 2);
  EXPECT_EQ(stats.error().status(), 202);
  EXPECT_GT(stats.error().retry_at().value(), began.wall + 24h);
  EXPECT_LT(bench.clock->now().steady - began.steady, 1min);
  EXPECT_THAT(stats.error().message(), HasSubstr("before the next request, which is longer than"));
}

TEST(WaitUntilReady, waits_longer_than_the_farthest_reset_if_the_server_does_not_say_how_long) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats").times(5).reply(202, "{}");
  bench.script->expect(Method::get, "/v1/stats").reply(200, "{}");
  const auto api = bench.client(bench.script, {.dialect = {.farthest_reset = 10s}});
  const auto stats = api.singleton("stats").get({.wait_until_ready = true});
  ASSERT_TRUE(stats) << stats.error().message();
  EXPECT_EQ(bench.waits(), (std::vector<std::int64_t>{1000, 2000, 4000, 8000, 16000}));
}

TEST(WaitUntilReady, ends_at_the_deadline_and_is_for_reading_only) {
  Scripted bench;
  bench.script->expect(Method::get, "/v1/stats").reply(202, "", {{"Retry-After", "30"}});
  const auto api = bench.client(bench.script);
  const auto stats = api.singleton("stats").get({.deadline = 20s, .wait_until_ready = true});
  EXPECT_EQ(stats.error().code(), Errc::deadline_exceeded);
  EXPECT_EQ(stats.error().poll_token(), "");
  EXPECT_EQ(api.collection("a").create(spec, {.wait_until_ready = true}).error().code(), Errc::invalid_argument);
}

}}  // namespace noun_test::long_operations_test
