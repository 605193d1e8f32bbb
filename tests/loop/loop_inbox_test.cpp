#include "loop/loop_inbox.hpp"

#include <cstdint>
#include <list>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/testing/manual_clock.hpp>

namespace noun_test { namespace loop_inbox_test {

using noun::LoopInbox;
using noun::LoopTurn;
using noun::WakeCounter;
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
  EXPECT_EQ(inbox.wakes().load(), 4U);

  LoopInbox::Calls calls;
  EXPECT_FALSE(inbox.take_calls(calls));
  EXPECT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls.at(2).id, 2U);
  EXPECT_THAT(inbox.take_stopped().value(), ElementsAre(2));
  EXPECT_THAT(inbox.take_stopped().value(), IsEmpty());
  EXPECT_EQ(inbox.take_credentials().front().call, 1U);
  EXPECT_THAT(inbox.take_credentials(), IsEmpty());
}

TEST(LoopInbox, after_close_says_so_and_takes_calls_all_the_same) {
  Bench bench;
  bench.inbox.close();
  bench.inbox.add({});
  LoopInbox::Calls calls;
  EXPECT_TRUE(bench.inbox.take_calls(calls));
  EXPECT_EQ(calls.size(), 1U);
  bench.inbox.look_at_all();
  EXPECT_FALSE(bench.inbox.take_stopped());
}

TEST(LoopInbox, takes_no_call_when_the_process_ends) {
  Bench bench;
  bench.inbox.halt();
  EXPECT_TRUE(bench.inbox.is_halted());
  EXPECT_THROW(bench.inbox.add({}), std::system_error);
}

TEST(LoopInbox, is_woken_by_a_counter_only_from_another_thread) {
  Bench bench;
  auto& inbox = bench.inbox;
  bench.turn.take();
  WakeCounter counter{0};
  inbox.listen(counter);
  noun::wake_board().ring(counter);
  EXPECT_TRUE(inbox.has_woken());
  EXPECT_EQ(inbox.wakes().load(), 0U);
  EXPECT_THAT(inbox.take_woken(), ElementsAre(&counter));
  EXPECT_FALSE(inbox.has_woken());
  std::jthread([&] { noun::wake_board().ring(counter); }).join();
  EXPECT_EQ(inbox.wakes().load(), 1U);
  EXPECT_THAT(inbox.take_woken(), ElementsAre(&counter));
  inbox.leave(counter);
  noun::wake_board().ring(counter);
  EXPECT_THAT(inbox.take_woken(), IsEmpty());
}

TEST(LoopInbox, interrupts_what_the_thread_sends_itself) {
  Bench bench;
  std::stop_source stop;
  EXPECT_FALSE(bench.inbox.sends(stop));
  bench.inbox.close();
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_TRUE(bench.inbox.sends(std::stop_source(std::nostopstate)));
}

}}  // namespace noun_test::loop_inbox_test
