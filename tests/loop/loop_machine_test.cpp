// The machine of the concurrent driver: events in, actions out, in virtual time.
#include "loop/loop_machine.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include <gtest/gtest.h>
#include <noun/stop.hpp>

#include "loop/call_bench.hpp"

namespace noun_test { namespace loop_machine_test {

using noun::Errc;
using noun::LoopMachine;

struct Bench : CallBench {
  /// Adds a call, as call 1 of the machine, and starts it.
  noun::LoopAction start() {
    noun::RunningCalls one;
    auto& running = one[1];
    running.id = 1;
    running.job = std::make_unique<noun::CallJob>(call_context, request, 1, 7);
    running.start.stop_unless_sent = stop_unless_sent.get_token();
    stop = running.stop;
    machine.add(one);
    return machine.on(LoopMachine::Started{machine.next_new().value()}, clock->now());
  }
  template <class Event>
  noun::LoopAction on(Event event) {
    return machine.on(std::move(event), clock->now());
  }
  noun::LoopAction respond(int status) { return on(LoopMachine::Ended{1, noun::Response{.status = status}}); }

  LoopMachine machine;
  noun::StopSource stop;
  noun::StopSource stop_unless_sent;
};

template <class Action>
bool is(const noun::LoopAction& action) {
  return std::holds_alternative<Action>(action);
}

bool is_none(const noun::LoopAction& action) { return is<std::monostate>(action); }

Errc code_of(const noun::LoopAction& action) {
  const auto& finish = std::get<noun::Finish>(action);
  return finish.call.mapped().job->call().error_of(finish.done)->code();
}

TEST(LoopMachine, sends_a_call_and_finishes_it) {
  Bench bench;
  EXPECT_TRUE(is<noun::StartAttempt>(bench.start()));
  EXPECT_EQ(bench.machine.sleep_until(), noun::Instant::max());
  EXPECT_FALSE(bench.machine.next_new());
  const auto action = bench.respond(200);
  EXPECT_EQ(std::get<noun::Finish>(action).done.response->status, 200);
  EXPECT_TRUE(bench.machine.calls().empty());
}

TEST(LoopMachine, sleeps_until_a_retry_is_due) {
  Bench bench;
  bench.start();
  EXPECT_TRUE(is<noun::Sleep>(bench.respond(503)));
  EXPECT_EQ(bench.machine.sleep_until(), bench.clock->now().steady + 1s);
  EXPECT_FALSE(bench.machine.next_due(bench.clock->now().steady));
  bench.clock->advance(1s);
  EXPECT_EQ(bench.machine.next_due(bench.clock->now().steady), 1U);
  EXPECT_TRUE(is<noun::StartAttempt>(bench.on(LoopMachine::Due{1})));
  EXPECT_FALSE(bench.machine.next_due(bench.clock->now().steady));
}

TEST(LoopMachine, ignores_what_does_not_suit_what_a_call_waits_for) {
  Bench bench;
  bench.start();
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Credentials{1, noun::Headers()})));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Woken{1})));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Due{1})));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Stopped{1})));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Ended{2, noun::Response{.status = 200}})));
  bench.respond(503);
  EXPECT_TRUE(is_none(bench.respond(200)));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Woken{1}))) << "no permit came free";
}

TEST(LoopMachine, cancels_an_attempt_once_and_takes_its_response_all_the_same) {
  Bench bench;
  bench.start();
  bench.stop.request_stop();
  EXPECT_TRUE(is<noun::CancelAttempt>(bench.on(LoopMachine::Stopped{1})));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Stopped{1})));
  EXPECT_EQ(std::get<noun::Finish>(bench.respond(200)).done.response->status, 200);
}

TEST(LoopMachine, finishes_a_sleeping_call_that_is_stopped) {
  Bench bench;
  bench.start();
  bench.respond(503);
  bench.stop.request_stop();
  EXPECT_EQ(code_of(bench.on(LoopMachine::Stopped{1})), Errc::cancelled);
  EXPECT_EQ(bench.machine.sleep_until(), noun::Instant::max());
}

TEST(LoopMachine, finishes_a_call_that_is_due_after_a_stop_request) {
  Bench bench;
  bench.start();
  bench.respond(503);
  bench.clock->advance(1s);
  bench.stop.request_stop();
  EXPECT_EQ(code_of(bench.on(LoopMachine::Due{1})), Errc::cancelled);
}

TEST(LoopMachine, does_not_stop_what_may_have_been_sent_if_it_is_stopped_unless_sent) {
  Bench bench;
  bench.start();
  bench.stop_unless_sent.request_stop();
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Stopped{1})));
  EXPECT_TRUE(is<noun::Sleep>(bench.respond(503)));
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Stopped{1})));
}

TEST(LoopMachine, starts_a_call_that_was_stopped_before_as_cancelled) {
  Bench bench;
  bench.stop_unless_sent.request_stop();
  EXPECT_EQ(code_of(bench.start()), Errc::cancelled);
}

TEST(LoopMachine, asks_for_credentials_until_the_deadline) {
  Bench bench;
  bench.call_context.credentials_may_change = true;
  bench.request.deadline = bench.clock->now().steady + 5s;
  EXPECT_TRUE(is<noun::AskCredentials>(bench.start()));
  EXPECT_EQ(bench.machine.sleep_until(), bench.request.deadline);
  bench.clock->advance(5s);
  EXPECT_EQ(code_of(bench.on(LoopMachine::Due{1})), Errc::deadline_exceeded);
  EXPECT_TRUE(is_none(bench.on(LoopMachine::Credentials{1, noun::Headers()}))) << "too late";
}

TEST(LoopMachine, sends_with_the_credentials) {
  Bench bench;
  bench.call_context.credentials_may_change = true;
  bench.start();
  const auto action = bench.on(LoopMachine::Credentials{1, noun::Headers{{"Authorization", "x"}}});
  EXPECT_EQ(std::get<noun::StartAttempt>(action).send.headers->get("Authorization"), "x");
  EXPECT_EQ(bench.machine.sleep_until(), noun::Instant::max());
}

TEST(LoopMachine, wakes_a_call_for_which_a_permit_came_free) {
  Bench bench;
  bench.call_context.limits.connections = 1;
  auto held = bench.call_context.gate->acquire(bench.clock->now(), {}, {.connections = 1});
  ASSERT_TRUE(std::holds_alternative<noun::quota::Permit>(held));
  const auto action = bench.start();
  ASSERT_TRUE(is<noun::Sleep>(action));
  held = noun::quota::Permit();
  EXPECT_TRUE(std::get<noun::Sleep>(action).ticket.overtaken());
  EXPECT_TRUE(is<noun::StartAttempt>(bench.on(LoopMachine::Woken{1})));
}

TEST(LoopMachine, fails_a_call_that_its_driver_cannot_carry_out) {
  Bench bench;
  bench.start();
  const auto action = bench.machine.fail(1, {.code = Errc::resource}, bench.clock->now());
  EXPECT_EQ(code_of(action), Errc::resource);
  const auto& finish = std::get<noun::Finish>(action);
  const auto error = finish.call.mapped().job->call().error_of(finish.done);
  EXPECT_EQ(error->sent(), noun::Sent::maybe);
  EXPECT_EQ(error->what(), "out of memory during the call, or a function of the client threw an exception");
  EXPECT_TRUE(is_none(bench.machine.fail(1, {.code = Errc::resource}, bench.clock->now())));
}

}}  // namespace noun_test::loop_machine_test
