#include "joining_thread.hpp"
#include "loop/loop_turn.hpp"

#include <future>

#include <gtest/gtest.h>

namespace noun_test { namespace loop_turn_test {

using noun::LoopTurn;

TEST(LoopTurn, is_given_to_a_borrower_and_comes_back) {
  LoopTurn turn;
  turn.take();
  EXPECT_TRUE(turn.is_here());
  std::promise<void> asked;
  JoiningThread borrower([&] {
    EXPECT_TRUE(turn.borrow([&] { asked.set_value(); })) << "the loop's own thread is told";
    EXPECT_TRUE(turn.is_here());
    turn.need();
    turn.give_back();
    EXPECT_FALSE(turn.is_here());
  });
  asked.get_future().wait();
  EXPECT_TRUE(turn.is_borrowed());
  turn.lend();
  EXPECT_TRUE(turn.is_here());
  EXPECT_FALSE(turn.is_borrowed());
}

TEST(LoopTurn, is_lent_to_one_thread_at_a_time) {
  LoopTurn turn;
  const auto nobody_to_wake = [] { ADD_FAILURE(); };
  ASSERT_TRUE(turn.borrow(nobody_to_wake));
  JoiningThread([&] { EXPECT_FALSE(turn.borrow(nobody_to_wake)); }).join();
  turn.give_back();
  EXPECT_TRUE(turn.borrow(nobody_to_wake));
}

}}  // namespace noun_test::loop_turn_test
