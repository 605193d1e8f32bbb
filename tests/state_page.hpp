#pragma once
/// @file
/// The tables of state machines, as src/ARCHITECTURE.md shows them.

#include <cstddef>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "test_paths.hpp"
#include "vocabulary/state_table.hpp"

namespace noun_test {

using Words = std::span<const std::string_view>;

/// Expects the table in src/ARCHITECTURE.md, with a row for each event and a column for each state.
/// @param states  in their order; the last are the words for no state.
template <class State, class Event>
void expect_on_the_architecture_page(const noun::StateTable<State, Event>& table, Words states, Words events) {
  ASSERT_EQ(states.size(), table.size() + 1);
  ASSERT_EQ(events.size(), table.front().size());
  std::string shown = "| event |";
  std::string rule = "|---|";
  for (const auto state : states.first(table.size())) {
    shown.append(" ").append(state).append(" |");
    rule += "---|";
  }
  shown += "\n" + rule + "\n";
  for (std::size_t event = 0; event < events.size(); ++event) {
    shown.append("| ").append(events[event]).append(" |");
    for (const auto& row : table) shown.append(" ").append(states[static_cast<std::size_t>(row[event])]).append(" |");
    shown += "\n";
  }
  std::ifstream file(std::string(source_dir) + "/src/ARCHITECTURE.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(shown), std::string::npos) << "src/ARCHITECTURE.md must have this table:\n" << shown;
}

}  // namespace noun_test
