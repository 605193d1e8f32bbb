// One test suite for all drivers: each runs calls in the same way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/stop.hpp>

#include "curl/fails_with.hpp"
#include "loop/call_bench.hpp"
#include "loop/driven_calls.hpp"

namespace noun_test { namespace driver_contract_test {

using noun::Duration;
using noun::Errc;
using noun::EventKind;
using noun::Method;
using noun::Sent;
using noun::StopReason;
using noun::testing::ScriptedTransport;
using noun::testing::ServiceOptions;
using noun::testing::SimulatedService;
using ::testing::ElementsAre;

class DriverContract : public ::testing::TestWithParam<Driver> {
 protected:
  DriverContract() { bench.driver_context.transport = script; }
  noun::Done run(noun::StopToken token = {}) { return calls.run(std::move(token)); }
  Duration took() const { return bench.clock->now().steady - begin; }
  void expect_ok(Duration after) {
    const auto done = run();
    ASSERT_FALSE(done.error);
    EXPECT_EQ(done.response->body, "ok");
    EXPECT_EQ(took(), after);
    EXPECT_EQ(script->complaint(), "");
  }
  /// Responds to every attempt with this status, after a stop request.
  void stop_in_the_attempt(int status) {
    bench.driver_context.transport =
        std::make_shared<FunctionTransport>([this, status](const noun::Attempt&, const noun::StopToken&) {
          stop.request_stop();
          return noun::Response{.status = status};
        });
  }

  CallBench bench;
  std::shared_ptr<ScriptedTransport> script = std::make_shared<ScriptedTransport>(bench.clock);
  DrivenCalls calls{GetParam(), bench};
  noun::Instant begin = bench.clock->now().steady;
  noun::StopSource stop;
};

// The simulated driver does not support stop requests.
class StoppableDriver : public DriverContract {};

INSTANTIATE_TEST_SUITE_P(Drivers, DriverContract,
                         ::testing::Values(Driver::blocking, Driver::concurrent, Driver::multiplexed, Driver::executor,
                                           Driver::simulated),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Drivers, StoppableDriver,
                         ::testing::Values(Driver::blocking, Driver::concurrent, Driver::multiplexed, Driver::executor),
                         ::testing::PrintToStringParamName());

TEST_P(DriverContract, a_response_ends_the_call) {
  script->expect(Method::get, "/a").reply(200, "ok");
  expect_ok(0s);
}

TEST_P(DriverContract, an_attempt_has_the_whole_request_and_its_time) {
  script->expect(Method::put, "/a").with_header("X", "1").reply(200);
  bench.request.method = Method::put;
  bench.request.headers = {{"X", "1"}};
  bench.request.body = "body";
  bench.request.has_body = true;
  bench.request.attempt_timeout = 5s;
  EXPECT_FALSE(run().error);
  ASSERT_EQ(script->requests().size(), 1U);
  EXPECT_EQ(script->requests()[0].body, "body");
  EXPECT_EQ(script->requests()[0].timeout, 5s);
}

TEST_P(DriverContract, a_fault_is_retried_after_the_backoff_or_retry_after) {
  script->expect(Method::get, "/a").reply(503);
  script->expect(Method::get, "/a").reply(503, "", {{"Retry-After", 7}});
  script->expect(Method::get, "/a").fail(Errc::connect, Sent::no);
  script->expect(Method::get, "/a").reply(200, "ok");
  expect_ok(1s + 7s + 4s);
}

TEST_P(DriverContract, a_rejection_waits_for_retry_after) {
  script->expect(Method::get, "/a").reply(429, "", {{"Retry-After", 30}});
  script->expect(Method::get, "/a").reply(200, "ok");
  expect_ok(30s);
}

TEST_P(DriverContract, a_rejection_without_retry_after_doubles_the_wait) {
  script->expect(Method::get, "/a").reply(429).times(3);
  script->expect(Method::get, "/a").reply(200, "ok");
  expect_ok(1s + 2s + 4s);
}

TEST_P(DriverContract, a_wait_that_would_pass_the_deadline_is_not_started) {
  script->expect(Method::get, "/a").reply(503, "", {{"Retry-After", 60}});
  bench.request.deadline = begin + 30s;
  const auto done = run();
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code(), Errc::server_error);
  EXPECT_EQ(done.error->stopped_because(), StopReason::time);
  EXPECT_EQ(done.error->retry_at(), bench.clock->now().wall + 60s);
  EXPECT_EQ(took(), 0s);
}

TEST_P(DriverContract, an_attempt_ends_at_the_deadline) {
  script->expect(Method::get, "/a").reply(200).after(10s);
  bench.request.deadline = begin + 3s;
  const auto done = run();
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code(), Errc::deadline_exceeded);
  EXPECT_EQ(took(), 3s);
}

TEST_P(DriverContract, an_unrepeatable_request_is_sent_once) {
  script->expect(Method::post, "/a").fail(Errc::send, Sent::maybe);
  bench.request.method = Method::post;
  const auto done = run();
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->stopped_because(), StopReason::not_repeatable);
  EXPECT_EQ(done.error->sent(), Sent::maybe);
  EXPECT_EQ(script->requests().size(), 1U);
}

TEST_P(DriverContract, a_transport_that_throws_is_an_error_of_the_call) {
  bench.driver_context.transport = std::make_shared<FunctionTransport>(
      [](const noun::Attempt&, const noun::StopToken&) -> noun::Result<noun::Response> {
        throw std::runtime_error("broken");
      });
  bench.request.method = Method::post;
  const auto done = run();
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->sent(), Sent::maybe);
}

TEST_P(DriverContract, credentials_that_fail_end_the_call_before_anything_is_sent) {
  bench.call_context.credentials_may_change = true;
  bench.driver_context.credentials = [](const noun::Authorize&, const noun::StopToken&) {
    return noun::Result<noun::Headers>(noun::Error(Errc::credentials, "no token", "log in"));
  };
  const auto done = run();
  ASSERT_THAT(done.error, FailsWith(Errc::credentials, Sent::no));
  EXPECT_TRUE(script->requests().empty());
}

TEST_P(DriverContract, each_attempt_asks_for_credentials_without_a_permit_and_time_passes_by_waits_only) {
  script->expect(Method::get, "/a").with_header("X-Token", "1").reply(401);
  script->expect(Method::get, "/a").with_header("X-Token", "2").reply(503);
  script->expect(Method::get, "/a").with_header("X-Token", "3").reply(200, "ok");
  bench.call_context.credentials_may_change = true;
  bench.call_context.observed = true;
  std::atomic<std::thread::id> loop;
  bench.driver_context.observer = [&](const noun::Event&) { loop = std::this_thread::get_id(); };
  std::vector<std::thread::id> threads;
  std::vector<noun::CredentialsReason> reasons;
  bench.driver_context.credentials = [&](const noun::Authorize& authorize, const noun::StopToken&) {
    EXPECT_EQ(bench.call_context.gate->snapshot(bench.clock->now()).in_flight, 0U);
    std::this_thread::sleep_for(5ms);
    threads.push_back(std::this_thread::get_id());
    reasons.push_back(authorize.request.reason);
    return noun::Result<noun::Headers>(noun::Headers{{"X-Token", authorize.request.attempt}});
  };
  expect_ok(1s);
  EXPECT_THAT(reasons, ElementsAre(noun::CredentialsReason::first, noun::CredentialsReason::unauthorized,
                                   noun::CredentialsReason::retry));
  const bool has_loop = GetParam() != Driver::blocking && GetParam() != Driver::simulated;
  for (const auto thread : threads) EXPECT_EQ(thread == loop.load(), !has_loop);
}

TEST_P(DriverContract, many_calls_ask_for_credentials_and_all_end) {
  script->expect(Method::get, "/a").reply(200).times(100);
  bench.call_context.credentials_may_change = true;
  std::atomic<int> asked = 0;
  bench.driver_context.credentials = [&](const noun::Authorize&, const noun::StopToken&) {
    ++asked;
    return noun::Result<noun::Headers>(noun::Headers{});
  };
  for (const auto& done : calls.run_all(100)) EXPECT_FALSE(done.error);
  EXPECT_EQ(script->complaint(), "");
  EXPECT_GE(asked, 100);
}

TEST_P(StoppableDriver, a_stop_while_credentials_are_asked_for_ends_the_call_unsent) {
  bench.call_context.credentials_may_change = true;
  bench.driver_context.credentials = [&](const noun::Authorize&, const noun::StopToken& token) {
    stop.request_stop();
    EXPECT_TRUE(token.stop_requested());
    return noun::Result<noun::Headers>(noun::Headers{});
  };
  const auto done = run(stop.get_token());
  ASSERT_THAT(done.error, FailsWith(Errc::cancelled, Sent::no));
  EXPECT_EQ(done.error->attempts(), 0);
}

TEST(MultiplexedCredentials, that_take_too_long_end_their_calls_at_the_deadline_and_are_not_asked_for_late) {
  CallBench bench(std::make_shared<FunctionTransport>(
      [](const noun::Attempt&, const noun::StopToken&) { return noun::Response{.status = 200}; }));
  const auto deadline = bench.clock->now().steady + 500ms;
  bench.request.deadline = deadline;
  bench.call_context.credentials_may_change = true;
  std::atomic<int> asked = 0;
  bench.driver_context.credentials = [&](const noun::Authorize&, const noun::StopToken&) {
    ++asked;
    for (int i = 0; i < 2000 && bench.clock->now().steady < deadline; ++i) std::this_thread::sleep_for(1ms);
    return noun::Result<noun::Headers>(noun::Headers{});
  };
  for (const auto& done : DrivenCalls(Driver::multiplexed, bench).run_all(40))
    EXPECT_THAT(done.error, FailsWith(Errc::deadline_exceeded, Sent::no));
  EXPECT_EQ(bench.clock->now().steady, deadline);
  EXPECT_LE(asked, 16);
}

TEST_P(DriverContract, the_observer_receives_each_step_in_order) {
  script->expect(Method::get, "/a").reply(503);
  script->expect(Method::get, "/a").reply(200);
  bench.call_context.observed = true;
  std::vector<EventKind> kinds;
  bench.driver_context.observer = [&](const noun::Event& event) { kinds.push_back(event.kind); };
  EXPECT_FALSE(run().error);
  EXPECT_THAT(kinds, ElementsAre(EventKind::sent, EventKind::attempt_ended, EventKind::retrying, EventKind::sent,
                                 EventKind::attempt_ended, EventKind::ended));
}

TEST_P(DriverContract, each_attempt_has_the_trace_context_of_its_event) {
  const auto traceparent = [](int attempt) { return fmt::format("00-{:032x}-{:016x}-01", 1, attempt); };
  script->expect(Method::get, "/a").with_header("traceparent", traceparent(1)).reply(503);
  script->expect(Method::get, "/a").with_header("traceparent", traceparent(2)).reply(200, "ok");
  bench.call_context.observed = true;
  bench.driver_context.trace_context = [&](const noun::Event& sent) {
    EXPECT_EQ(sent.kind, EventKind::sent);
    return noun::TraceContext{.traceparent = traceparent(sent.attempt)};
  };
  expect_ok(1s);
}

TEST_P(DriverContract, an_observer_that_throws_is_counted_and_has_no_effect) {
  script->expect(Method::get, "/a").reply(200);
  bench.call_context.observed = true;
  bench.driver_context.observer = [](const noun::Event&) { throw std::runtime_error("not today"); };
  EXPECT_FALSE(run().error);
  EXPECT_EQ(bench.driver_context.observer_faults, 3U);
}

TEST_P(DriverContract, a_known_quota_delays_calls_and_none_is_rejected) {
  const auto service = std::make_shared<SimulatedService>(bench.clock, ServiceOptions{.limit = 5, .latency = 0s});
  service->add("/numbers", "1", 1);
  bench.driver_context.transport = service;
  bench.request.url = "https://h.example/numbers/1";
  const auto all = calls.run_all(12);
  EXPECT_EQ(all.size(), 12U);
  for (const auto& done : all) EXPECT_FALSE(done.error) << done.error->message();
  EXPECT_EQ(service->requests(), 12U);
  EXPECT_EQ(service->rejected(), 0U);
  // The last two requests fit into the third window only.
  EXPECT_GT(took(), 60s);
  EXPECT_LE(took(), 121s);
}

TEST_P(DriverContract, the_first_response_releases_the_others_at_once) {
  script->expect(Method::get, "/a").reply(200).times(8);
  for (const auto& done : calls.run_all(8)) EXPECT_FALSE(done.error);
  EXPECT_EQ(script->complaint(), "");
}

TEST_P(StoppableDriver, a_call_that_was_stopped_before_sends_nothing) {
  stop.request_stop();
  const auto done = run(stop.get_token());
  ASSERT_THAT(done.error, FailsWith(Errc::cancelled, Sent::no));
  EXPECT_EQ(done.error->attempts(), 0);
  EXPECT_TRUE(script->requests().empty());
}

TEST_P(StoppableDriver, a_stop_in_the_attempt_ends_the_call_before_the_wait) {
  stop_in_the_attempt(503);
  const auto done = run(stop.get_token());
  ASSERT_THAT(done.error, FailsWith(Errc::cancelled, Sent::answered));
  EXPECT_EQ(took(), 0s);
}

TEST_P(StoppableDriver, a_stop_after_a_successful_response_is_too_late) {
  stop_in_the_attempt(200);
  EXPECT_FALSE(run(stop.get_token()).error);
}

TEST_P(StoppableDriver, a_stop_from_the_observer_precedes_the_next_attempt) {
  script->expect(Method::get, "/a").reply(503);
  bench.call_context.observed = true;
  bench.driver_context.observer = [&](const noun::Event& event) {
    if (event.kind == EventKind::retrying) stop.request_stop();
  };
  const auto done = run(stop.get_token());
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code(), Errc::cancelled);
  EXPECT_EQ(script->requests().size(), 1U);
}

}  // namespace driver_contract_test
}  // namespace noun_test
