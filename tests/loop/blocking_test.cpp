// The blocking driver: how a call on the caller's thread ends on request. driver_contract_test has the rest.
#include "loop/blocking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "curl/fails_with.hpp"
#include "joining_thread.hpp"
#include "loop/call_bench.hpp"

namespace noun_test { namespace blocking_test {

using noun::Errc;
using noun::EventKind;
using noun::testing::ScriptedTransport;

TEST(BlockingDriver, passes_the_stop_token_to_the_transport) {
  noun::StopSource stop;
  CallBench bench(std::make_shared<FunctionTransport>(
      [&](const noun::Attempt&, const noun::StopToken& token) -> noun::Result<noun::Response> {
        stop.request_stop();
        EXPECT_TRUE(token.stop_requested());
        return noun::Error(Errc::cancelled, "cancelled", noun::Sent::maybe);
      }));
  auto call = bench.call();
  const auto error = call.error_of(run_blocking(call, bench.driver_context, stop.get_token()));
  ASSERT_THAT(error, FailsWith(Errc::cancelled, noun::Sent::maybe));
  EXPECT_EQ(error->stopped_because(), noun::StopReason::cancelled);
}

TEST(BlockingDriver, ends_within_50_ms_of_a_stop_request_in_a_wait) {
  const auto script = std::make_shared<ScriptedTransport>();
  script->expect(noun::Method::get, "/a").reply(503, "", {{"Retry-After", 600}}).times(5);
  CallBench bench(script);
  bench.driver_context.clock = noun::system_clock();
  for (int round = 0; round < 5; ++round) {
    noun::StopSource stop;
    std::atomic<noun::Instant> stopped{noun::Instant::max()};
    JoiningThread stopper([&] {
      noun::system_clock()->wait(noun::system_clock()->now().steady + 10ms, {}, {});
      stopped = noun::system_clock()->now().steady;
      stop.request_stop();
    });
    auto call = bench.call();
    const auto done = run_blocking(call, bench.driver_context, stop.get_token());
    const auto ended = noun::system_clock()->now().steady;
    stopper.join();
    EXPECT_EQ(call.error_of(done)->code(), Errc::cancelled);
    EXPECT_LT(ended - stopped.load(), 50ms);
  }
  EXPECT_EQ(script->complaint(), "");
}

TEST(BlockingDriver, reports_the_end_of_a_call_that_an_exception_ends) {
  CallBench bench(std::make_shared<ScriptedTransport>());
  bench.call_context.credentials_may_change = true;
  bench.driver_context.credentials = [](const noun::Authorize&, const noun::StopToken&) -> noun::Result<noun::Headers> {
    throw std::bad_alloc();
  };
  bench.call_context.observed = true;
  std::vector<std::optional<Errc>> ends;
  bench.driver_context.observer = [&](const noun::Event& event) {
    if (event.kind == EventKind::ended) ends.push_back(event.error);
  };
  auto call = bench.call();
  EXPECT_THROW(run_blocking(call, bench.driver_context, {}), std::bad_alloc);
  EXPECT_THAT(ends, testing::ElementsAre(Errc::resource));
}

TEST(BlockingDriver, wakes_calls_that_wait_for_the_first_response) {
  // The second call waits for the response to the first. A wake-up ends its wait before it would re-check by itself.
  std::atomic<int> sent{0};
  noun::WakeCounter first_is_out{0};
  noun::WakeCounter second_holds{0};
  const auto clock = noun::system_clock();
  const auto give_up = clock->now().steady + 20s;
  CallBench bench(std::make_shared<FunctionTransport>([&](const noun::Attempt&, const noun::StopToken&) {
    if (++sent == 1) {
      first_is_out.fetch_add(1);
      clock->wake(first_is_out);
      clock->wait(give_up, {&second_holds, 0}, {});
    }
    return noun::Response{.status = 200};
  }));
  bench.driver_context.clock = clock;
  bench.call_context.observed = true;
  bench.driver_context.observer = [&](const noun::Event& event) {
    if (event.kind != EventKind::holding) return;
    EXPECT_EQ(event.reason, noun::WaitReason::first_response);
    second_holds.fetch_add(1);
    clock->wake(second_holds);
  };
  JoiningThread first([&] {
    auto call = bench.call();
    EXPECT_FALSE(call.error_of(run_blocking(call, bench.driver_context, {})));
  });
  clock->wait(give_up, {&first_is_out, 0}, {});
  auto call = bench.call();
  const auto start = clock->now().steady;
  EXPECT_FALSE(call.error_of(run_blocking(call, bench.driver_context, {})));
  EXPECT_LT(clock->now().steady - start, 900ms) << "it looked again by itself after a second";
  EXPECT_EQ(sent, 2);
}

}  // namespace blocking_test
}  // namespace noun_test
