#include "joining_thread.hpp"
#include "loop/loop_inbox.hpp"

#include <cstdint>
#include <list>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/testing/manual_clock.hpp>

namespace noun_test { namespace loop_inbox_test {

using noun::LoopInbox;
using noun::LoopTurn;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Bench {
  noun::testing::ManualClock clock;
  LoopTurn turn;
  LoopInbox inbox{nullptr, clock, turn};
};

TEST(LoopInbox, has_what_other_threads_tell_once) {
  Bench bench;
  auto& inbox = bench.inbox;
  inbox.add({});
  inbox.add({});
  inbox.look_at(2);
  std::list<noun::Authorized> one;
  one.push_back({.call = 1});
  inbox.deliver(one);

  const auto messages = inbox.take();
  EXPECT_EQ(messages.calls.size(), 2U);
  EXPECT_EQ(messages.calls.at(2).id, 2U);
  EXPECT_THAT(messages.looks, ElementsAre(2));
  EXPECT_EQ(messages.credentials.front().call, 1U);
  EXPECT_FALSE(messages.look_at_all);
  EXPECT_FALSE(messages.closing);

  const auto later = inbox.take();
  EXPECT_THAT(later.calls, IsEmpty());
  EXPECT_THAT(later.looks, IsEmpty());
  EXPECT_THAT(later.credentials, IsEmpty());
}

TEST(LoopInbox, after_close_says_so_and_takes_calls_all_the_same) {
  Bench bench;
  bench.inbox.close();
  bench.inbox.add({});
  const auto messages = bench.inbox.take();
  EXPECT_TRUE(messages.closing);
  EXPECT_EQ(messages.calls.size(), 1U);
}

TEST(LoopInbox, takes_no_call_when_the_process_ends) {
  Bench bench;
  bench.inbox.halt();
  EXPECT_TRUE(bench.inbox.is_halted());
  EXPECT_THROW(bench.inbox.add({}), std::system_error);
}

TEST(LoopInbox, is_told_by_the_gate_which_call_to_look_at) {
  Bench bench;
  auto& inbox = bench.inbox;
  bench.turn.take();
  const auto sleeper = inbox.sleeper();
  sleeper->on_woken(7);
  EXPECT_TRUE(inbox.has_looks()) << "the loop, which is awake, must not go to sleep";
  EXPECT_THAT(inbox.take().looks, ElementsAre(7));
  EXPECT_FALSE(inbox.has_looks());
  JoiningThread([&] { sleeper->on_woken(8); }).join();
  EXPECT_FALSE(inbox.has_looks());
  inbox.sleep(noun::Instant::max());  // does not: another thread has woken the loop
  EXPECT_THAT(inbox.take().looks, ElementsAre(8));
}

TEST(LoopInbox, wakes_the_loop_for_a_stop_request_on_its_own_thread_too) {
  Bench bench;
  bench.turn.take();
  bench.inbox.take();
  bench.inbox.look_at(3);
  bench.inbox.sleep(noun::Instant::max());  // does not, as a multiplexer that requested the stop would not
  EXPECT_THAT(bench.inbox.take().looks, ElementsAre(3));
}

TEST(LoopInbox, may_be_destroyed_before_what_the_gate_tells_it) {
  Bench bench;
  const auto sleeper = bench.inbox.sleeper();
  bench.inbox.forget_sleeper();
  sleeper->on_woken(7);
  EXPECT_THAT(bench.inbox.take().looks, IsEmpty());
}

TEST(LoopInbox, interrupts_what_the_thread_sends_itself) {
  Bench bench;
  noun::StopSource stop;
  EXPECT_FALSE(bench.inbox.sends(stop));
  bench.inbox.close();
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_TRUE(bench.inbox.sends(noun::StopSource(noun::no_stop_state)));
}

}}  // namespace noun_test::loop_inbox_test
