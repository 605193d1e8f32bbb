// The table of states: what it contains, and the page that shows it. Every test of a call checks that its state is the
// one of its last step (call_fixture.hpp).
#include "call/call_state.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "test_paths.hpp"

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
    EXPECT_TRUE(reached.contains(state)) << to_string(state);
    EXPECT_EQ(next_state(state, CallEvent::cancelled), is_last ? CallState::end_of_values : CallState::ended);
  }
}

TEST(CallStates, match_the_architecture_page) {
  std::ifstream file(std::string(noun_test::source_dir) + "/src/ARCHITECTURE.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(noun::describe_call()), std::string::npos) << "src/ARCHITECTURE.md must have this table:\n"
                                                                        << noun::describe_call();
}

}  // namespace call_state_test
}  // namespace call_test
