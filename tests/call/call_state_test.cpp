// The table of states: what it contains, and the page that shows it. Every test of a call checks that its state is the
// one of its last step (call_fixture.hpp).
#include "call/call_state.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "state_page.hpp"

namespace call_test { namespace call_state_test {

using noun::CallEvent;
using noun::CallState;
using noun::next_state;

static_assert(next_state(CallState::sent, CallEvent::rejected) == CallState::rejected);
static_assert(next_state(CallState::held, CallEvent::admitted) == CallState::end_of_values);

TEST(CallStates, every_state_is_reached_and_can_be_left_by_a_stop_but_the_last) {
  std::set<CallState> reached;
  for (const auto& row : noun::call_table) reached.insert(row.begin(), row.end());
  for (int value = 0; value < static_cast<int>(CallState::end_of_values); ++value) {
    const auto state = static_cast<CallState>(value);
    const bool is_last = state == CallState::ended;
    EXPECT_TRUE(reached.contains(state)) << value;
    EXPECT_EQ(next_state(state, CallEvent::cancelled), is_last ? CallState::end_of_values : CallState::ended);
  }
}

TEST(CallStates, match_the_architecture_page) {
  constexpr std::string_view states[] = {"ready", "following", "delayed", "authorizing", "sent", "held",
                                         "rejected", "backing off", "ended", "–"};
  constexpr std::string_view events[] = {
      "an identical request is in flight",
      "it must not be sent yet",
      "the gate gives it a permit",
      "the gate would give it one, but it needs credentials first",
      "the gate holds it",
      "its credentials",
      "a success",
      "a rejection because of the quota",
      "a fault that may be repeated, or a redirect with Retry-After",
      "a response after which it goes on at once",
      "the end of the wait, or its ticket",
      "a wake before the end of what it waits for",
      "anything else, or a wait that would be too long",
      "a stop",
  };
  noun_test::expect_on_the_architecture_page<CallState, CallEvent>(noun::call_table, states, events);
}

}  // namespace call_state_test
}  // namespace call_test
