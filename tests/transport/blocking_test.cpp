// The blocking driver: one call on the caller's thread, and how it ends on request.
#include "transport/blocking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "transport/call_bench.hpp"

namespace noun_test {
namespace blocking_test {

using noun::Errc;
using noun::EventKind;
using ::testing::ElementsAre;

using noun::testing::ScriptedTransport;

TEST(BlockingDriver, runs_a_call_to_its_end_with_its_waits) {
  const auto script = std::make_shared<ScriptedTransport>();
  script->expect(noun::Method::get, "/a").reply(503);
  script->expect(noun::Method::get, "/a").reply(503, "", {{"Retry-After", 7}});
  script->expect(noun::Method::get, "/a").reply(200, "ok");
  CallBench bench(script);
  bench.environment.observed = true;
  std::vector<EventKind> kinds;
  bench.surroundings.observer = [&](const noun::Event& event) { kinds.push_back(event.kind); };
  auto call = bench.call();
  const auto done = run_blocking(call, bench.surroundings, {});
  EXPECT_FALSE(done.error);
  EXPECT_EQ(done.response->body, "ok");
  EXPECT_THAT(bench.clock->waits(), ElementsAre(1s, 7s));
  EXPECT_THAT(kinds, ElementsAre(EventKind::sent, EventKind::answered, EventKind::retrying, EventKind::sent,
                                 EventKind::answered, EventKind::retrying, EventKind::sent, EventKind::answered));
  EXPECT_EQ(bench.surroundings.observer_faults, 0U);
}

TEST(BlockingDriver, sends_nothing_once_stop_was_requested) {
  const auto script = std::make_shared<ScriptedTransport>();
  CallBench bench(script);
  std::stop_source stop;
  stop.request_stop();
  auto call = bench.call();
  const auto done = run_blocking(call, bench.surroundings, stop.get_token());
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code(), Errc::cancelled);
  EXPECT_EQ(done.error->sent(), noun::Sent::no);
  EXPECT_EQ(done.error->attempts(), 0);
  EXPECT_TRUE(script->requests().empty());
}

TEST(BlockingDriver, ends_before_the_wait_if_stop_is_requested_in_the_attempt) {
  std::stop_source stop;
  CallBench bench(std::make_shared<FunctionTransport>([&](const noun::Attempt&, const std::stop_token&) {
    stop.request_stop();
    return noun::Response{.status = 503};
  }));
  auto call = bench.call();
  const auto done = run_blocking(call, bench.surroundings, stop.get_token());
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code(), Errc::cancelled);
  EXPECT_EQ(done.error->sent(), noun::Sent::answered);
  EXPECT_TRUE(bench.clock->waits().empty());
}

TEST(BlockingDriver, gives_the_stop_token_to_the_transport) {
  std::stop_source stop;
  CallBench bench(std::make_shared<FunctionTransport>(
      [&](const noun::Attempt&, const std::stop_token& token) -> noun::Result<noun::Response> {
        stop.request_stop();
        EXPECT_TRUE(token.stop_requested());
        return noun::Error(Errc::cancelled, "cancelled", noun::Sent::maybe);
      }));
  auto call = bench.call();
  const auto done = run_blocking(call, bench.surroundings, stop.get_token());
  EXPECT_EQ(done.error->code(), Errc::cancelled);
  EXPECT_EQ(done.error->stopped_because(), noun::StopReason::cancelled);
  EXPECT_EQ(done.error->sent(), noun::Sent::maybe);
}

TEST(BlockingDriver, ends_within_50_ms_of_a_stop_request_in_a_wait) {
  const auto script = std::make_shared<ScriptedTransport>();
  script->expect(noun::Method::get, "/a").reply(503, "", {{"Retry-After", 600}}).times(5);
  CallBench bench(script);
  bench.surroundings.clock = noun::system_clock();
  for (int round = 0; round < 5; ++round) {
    std::stop_source stop;
    std::atomic<noun::Instant> stopped{noun::Instant::max()};
    std::jthread stopper([&] {
      noun::system_clock()->wait(noun::system_clock()->now().steady + 10ms, {}, {});
      stopped = noun::system_clock()->now().steady;
      stop.request_stop();
    });
    auto call = bench.call();
    const auto done = run_blocking(call, bench.surroundings, stop.get_token());
    const auto ended = noun::system_clock()->now().steady;
    stopper.join();
    EXPECT_EQ(done.error->code(), Errc::cancelled);
    EXPECT_LT(ended - stopped.load(), 50ms);
  }
  EXPECT_EQ(script->complaint(), "");
}

TEST(BlockingDriver, wakes_those_who_wait_for_the_first_answer) {
  // The second call holds until the first is answered; with a wake-up it need not wait for its next look.
  std::atomic<int> sent{0};
  noun::WakeCounter first_is_out{0};
  noun::WakeCounter second_holds{0};
  const auto clock = noun::system_clock();
  const auto give_up = clock->now().steady + 20s;
  CallBench bench(std::make_shared<FunctionTransport>([&](const noun::Attempt&, const std::stop_token&) {
    if (++sent == 1) {
      first_is_out.fetch_add(1);
      clock->wake(first_is_out);
      clock->wait(give_up, {&second_holds, 0}, {});
    }
    return noun::Response{.status = 200};
  }));
  bench.surroundings.clock = clock;
  bench.environment.observed = true;
  bench.surroundings.observer = [&](const noun::Event& event) {
    if (event.kind != EventKind::holding) return;
    EXPECT_EQ(event.reason, noun::WaitReason::first_answer);
    second_holds.fetch_add(1);
    clock->wake(second_holds);
  };
  std::jthread first([&] {
    auto call = bench.call();
    EXPECT_FALSE(run_blocking(call, bench.surroundings, {}).error);
  });
  clock->wait(give_up, {&first_is_out, 0}, {});
  auto call = bench.call();
  const auto start = clock->now().steady;
  EXPECT_FALSE(run_blocking(call, bench.surroundings, {}).error);
  EXPECT_LT(clock->now().steady - start, 900ms) << "it looked again by itself after a second";
  EXPECT_EQ(sent, 2);
}

}  // namespace blocking_test
}  // namespace noun_test
