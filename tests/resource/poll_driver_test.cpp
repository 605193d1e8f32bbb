// Tests of op::finish() in its asynchronous forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <noun/coroutine.hpp>
#include <noun/future.hpp>
#include <noun/stop.hpp>

#include "coroutine_task.hpp"
#include "resource/failing_allocations.hpp"
#include "resource/failing_threads.hpp"
#include "resource/function_queue.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace poll_driver_test {

using noun_test::Task;
using ::testing::StartsWith;

/// A server whose reports are made by operations, and a client whose waits take time if the clock is the system's.
struct Reports : Bench {
  std::shared_ptr<kit::SimulatedService> service = std::make_shared<kit::SimulatedService>(clock);
  noun::Client api;
  FunctionQueue queue;

  explicit Reports(kit::ServiceOperations how = {}, bool waits = false, noun::ClientOptions options = {})
      : api([&] {
          options.transport = service;
          auto all = filled(std::move(options));
          if (waits) all.clock = nullptr;
          return noun::Client("https://api.example.com/v1", all);
        }()) {
    service->run_operations("/v1/reports", how);
  }
  noun::Operation<Json> finish(noun::FinishOptions options = {}, noun::CallOptions start = {}) const {
    return noun::op::finish<Json>(
        api, noun::op::create<Json>(api.collection<Json>("reports"), Json{{"pages", 7}}, std::move(start)),
        std::move(options));
  }
};

/// The wait before each poll is longer than a test.
kit::ServiceOperations never() { return {.polls = 1000, .retry_after = 1h}; }

struct Completed {
  std::optional<noun::Result<Json>> result;
  std::thread::id on;
  int times = 0;

  auto completion() {
    return [this](noun::Result<Json> completed) {
      result.emplace(std::move(completed));
      on = std::this_thread::get_id();
      ++times;
    };
  }
};

noun::Started start(Reports& reports, const noun::Operation<Json>& operation, Completed& completed) {
  return noun::start(operation, reports.queue.executor(), completed.completion());
}

TEST(Finish, completes_once_on_the_executor) {
  Reports reports({.polls = 3});
  Completed completed;
  start(reports, reports.finish(), completed);
  auto run = reports.queue.take();
  EXPECT_EQ(completed.times, 0);
  run();
  EXPECT_EQ(completed.result->value()["pages"], 7);
  EXPECT_EQ(completed.on, std::this_thread::get_id());
  run();
  EXPECT_EQ(completed.times, 1);
  EXPECT_EQ(reports.queue.size(), 0U);
  EXPECT_EQ(reports.service->requests(), 6U);
}

TEST(Finish, completes_also_with_an_error_through_the_executor) {
  Reports reports({.polls = 1, .fails = true});
  Completed failed;
  start(reports, reports.finish(), failed);
  EXPECT_EQ(failed.times, 0);
  reports.queue.run_one();
  expect_error(*failed.result, Errc::client_error, "the disk is full");
  Completed refused;
  start(reports, noun::op::finish(reports.api, std::string("hello")), refused);
  EXPECT_EQ(refused.times, 0);
  reports.queue.run_one();
  EXPECT_EQ(code_of(*refused.result), Errc::invalid_argument);
}

/// A type whose decoding tells its thread.
struct Traced {
  int pages = 0;
  static inline std::thread::id decoded_on;
};
void from_json(const Json& json, Traced& traced) {
  Traced::decoded_on = std::this_thread::get_id();
  traced.pages = json.at("pages").get<int>();
}

TEST(Finish, is_decoded_on_the_executor_where_a_function_is_asked_for_credentials) {
  std::vector<std::thread::id> asked;
  Reports reports({.polls = 2}, false, {.credentials = noun::Credentials([&](const noun::CredentialsRequest&) {
                                          asked.push_back(std::this_thread::get_id());
                                          return noun::Result<noun::Headers>(noun::Headers{});
                                        })});
  bool completed = false;
  const auto spec = Json{{"pages", 7}};
  noun::start(noun::op::finish<Traced>(reports.api,
                                       noun::op::create<Json>(reports.api.collection<Json>("reports"), spec)),
              reports.queue.executor(), [&](const noun::Result<Traced>& report) {
                EXPECT_EQ(report.value().pages, 7);
                completed = true;
              });
  reports.queue.run_until([&] { return completed; });
  EXPECT_EQ(Traced::decoded_on, std::this_thread::get_id());
  EXPECT_EQ(asked, std::vector(5, std::this_thread::get_id()));
}

/// Waits for the notice of the wait before a poll.
struct Polling {
  Awaited<bool> waits;
  auto observer() {
    return [this](const noun::Event& event) {
      if (event.kind == noun::EventKind::polling) waits.set(true);
    };
  }
};

TEST(Finish, that_is_stopped_while_it_waits_has_its_token) {
  enum class By { handle, token, token_of_the_start };
  for (const auto by : {By::handle, By::token, By::token_of_the_start}) {
    Polling polling;
    Reports reports(never(), true, {.observer = polling.observer()});
    noun::StopSource stop;
    Completed completed;
    const auto operation = by == By::token ? reports.finish({.stop = stop.get_token()})
                                           : reports.finish({}, {.stop = stop.get_token()});
    const auto started = start(reports, operation, completed);
    polling.waits.wait();
    if (by == By::handle)
      started.stop();
    else
      stop.request_stop();
    reports.queue.run_one();
    EXPECT_EQ(code_of(*completed.result), Errc::cancelled);
    EXPECT_THAT(completed.result->error().poll_token(), StartsWith("nounpoll1."));
    EXPECT_EQ(reports.service->requests(), 1U);
  }
}

TEST(Finish, that_has_started_an_operation_is_not_stopped_as_if_nothing_was_sent) {
  Polling polling;
  Reports reports({.polls = 1, .retry_after = 300ms}, true, {.observer = [&, first = true](const noun::Event& event) mutable {
                    if (event.kind == noun::EventKind::polling && std::exchange(first, false)) polling.waits.set(true);
                  }});
  Completed completed;
  const auto started = start(reports, reports.finish(), completed);
  polling.waits.wait();
  noun::detail::StartedAccess::stop_unless_sent(started);
  reports.queue.run_one();
  EXPECT_EQ(completed.result->value()["pages"], 7);
}

TEST(Finish, stops_if_nothing_was_sent) {
  Reports reports({}, true, {.quota = {.in_flight_unknown = 1}});
  Awaited<bool> released;
  reports.service->on_request([&](const noun::Attempt& attempt, std::size_t) -> kit::SimulatedService::Outcome {
    if (attempt.method == Method::get) released.wait();
    return std::nullopt;
  });
  std::thread held([&] { static_cast<void>(reports.api.collection<Json>("reports")["x"].get()); });
  while (reports.service->requests() == 0) std::this_thread::yield();
  Completed completed;
  const auto started = start(reports, reports.finish(), completed);
  noun::detail::StartedAccess::stop_unless_sent(started);
  reports.queue.run_one();
  EXPECT_EQ(code_of(*completed.result), Errc::cancelled);
  EXPECT_EQ(completed.result->error().sent(), Sent::no);
  released.set(true);
  held.join();
}

TEST(Finish, runs_twice_at_once_as_two_operations) {
  Reports reports({.polls = 2});
  const auto operation = reports.finish();
  Completed first;
  Completed second;
  start(reports, operation, first);
  start(reports, operation, second);
  reports.queue.run_one();
  reports.queue.run_one();
  EXPECT_NE(first.result->value()["id"], second.result->value()["id"]);
}

TEST(Finish, keeps_the_client_alive_until_it_completes) {
  FunctionQueue queue;
  Completed completed;
  std::weak_ptr<kit::SimulatedService> watched;
  {
    Reports reports({.polls = 3});
    watched = reports.service;
    noun::start(reports.finish(), queue.executor(), completed.completion());
  }
  queue.run_one();
  EXPECT_EQ(completed.result->value()["pages"], 7);
  while (!watched.expired()) std::this_thread::yield();
}

TEST(Finish, with_an_executor_that_drops_its_completion_is_not_completed) {
  Reports reports({.polls = 1});
  const auto captured = std::make_shared<int>(0);
  noun::start(reports.finish(), reports.queue.executor(), [captured](const noun::Result<Json>&) { ++*captured; });
  reports.queue.take();
  while (captured.use_count() > 1) std::this_thread::yield();
  EXPECT_EQ(*captured, 0);
}

Task finish(Reports& reports, std::vector<int>& pages) {
  const auto operation = reports.finish();
  auto report = co_await noun::async(operation, reports.queue.executor());
  pages.push_back(report ? (*report)["pages"].get<int>() : -1);
}

TEST(Finish, is_awaited_by_a_coroutine) {
  Reports reports({.polls = 3});
  std::vector<int> pages;
  const auto task = finish(reports, pages);
  reports.queue.run_until([&] { return task.done(); });
  EXPECT_EQ(pages, std::vector{7});
}

TEST(Finish, of_a_coroutine_that_is_destroyed_ends_and_releases_its_client) {
  std::vector<int> pages;
  std::weak_ptr<kit::SimulatedService> watched;
  {
    Polling polling;
    Reports reports(never(), true, {.observer = polling.observer()});
    watched = reports.service;
    const auto task = finish(reports, pages);
    polling.waits.wait();
  }
  while (!watched.expired()) std::this_thread::yield();
  EXPECT_TRUE(pages.empty());
}

/// Starts an operation in the background, whose first response calls `fail` on the loop's thread.
template <class Fail>
noun::Result<Json> finish_failing(kit::ServiceOperations how, Fail fail) {
  int responses = 0;
  Reports reports(how, false, {.observer = [&](const noun::Event& event) {
                    if (event.kind == noun::EventKind::ended && ++responses == 1) fail();
                  }});
  return noun::future(reports.finish()).get();
}

TEST(Finish, that_cannot_go_on_in_the_background_has_its_token) {
  bool has_failed = false;
  for (std::size_t n = 1; n <= 8; ++n) {
    SCOPED_TRACE(n);
    // The loop's thread ends with its client.
    const auto report = finish_failing({.polls = 2}, [&] { fail_allocations(n); });
    if (report) continue;
    has_failed = true;
    EXPECT_EQ(report.error().code(), Errc::resource);
    EXPECT_EQ(report.error().sent(), Sent::answered);
    EXPECT_NE(report.error().poll_token(), "") << report.error().message();
  }
  EXPECT_TRUE(has_failed);
}

TEST(Finish, without_a_thread_to_go_on_has_its_token) {
  if (!can_fail_threads()) GTEST_SKIP() << "threads cannot be made to fail here";
  const auto report = finish_failing({.polls = 2}, [] { fail_threads(true); });
  fail_threads(false);
  expect_error(report, Errc::resource, "the next request could not be started in the background");
  EXPECT_EQ(report.error().sent(), Sent::answered);
  EXPECT_EQ(report.error().attempts(), 1);
  EXPECT_NE(report.error().poll_token(), "");
  EXPECT_THAT(report.error().advice(), ::testing::HasSubstr("Error::poll_token()"));
}

TEST(Finish, without_a_thread_returns_a_result_that_is_there) {
  if (!can_fail_threads()) GTEST_SKIP() << "threads cannot be made to fail here";
  Bench bench;
  bench.script->expect(Method::post, "/v1/reports").reply(200, R"({"pages": 7})");
  const auto api = bench.client({.observer = [](const noun::Event& event) {
    if (event.kind == noun::EventKind::ended) fail_threads(true);
  }});
  const auto report =
      noun::future(noun::op::finish<Json>(api, noun::op::create<Json>(api.collection<Json>("reports"), Json{{"a", 1}})))
          .get();
  fail_threads(false);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ((*report)["pages"], 7);
}

TEST(WaitUntilReady, without_a_thread_to_go_on_is_an_error_of_what_was_sent) {
  if (!can_fail_threads()) GTEST_SKIP() << "threads cannot be made to fail here";
  Bench bench;
  bench.script->expect(Method::get, "/v1/stats").reply(202, "{}");
  const auto api = bench.client({.observer = [](const noun::Event& event) {
    if (event.kind == noun::EventKind::ended) fail_threads(true);
  }});
  const auto stats = noun::future(noun::op::get(api.singleton("stats"), {.wait_until_ready = true})).get();
  fail_threads(false);
  expect_error(stats, Errc::resource, "the next request could not be started in the background");
  EXPECT_EQ(stats.error().sent(), Sent::answered);
  EXPECT_EQ(stats.error().attempts(), 1);
}

}  // namespace poll_driver_test
}  // namespace resource_test
