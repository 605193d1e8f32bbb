#pragma once
/// @file
/// The tables of state machines, as src/ARCHITECTURE.md shows them.

#include <array>
#include <cstddef>
#include <string>

namespace noun { inline namespace v0 {

/// The next state, for each state (row) and event (column).
template <class State, class Event>
using StateTable = std::array<std::array<State, static_cast<std::size_t>(Event::end_of_values)>,
                              static_cast<std::size_t>(State::end_of_values)>;

/// A table in Markdown, with a row for each event and a column for each state.
template <class State, class Event>
std::string describe_table(const StateTable<State, Event>& table) {
  std::string page = "| event |";
  std::string rule = "|---|";
  for (std::size_t state = 0; state < table.size(); ++state) {
    page.append(" ").append(to_string(static_cast<State>(state))).append(" |");
    rule += "---|";
  }
  page += "\n" + rule + "\n";
  for (std::size_t event = 0; event < table.front().size(); ++event) {
    page.append("| ").append(to_string(static_cast<Event>(event))).append(" |");
    for (const auto& row : table) page.append(" ").append(to_string(row[event])).append(" |");
    page += "\n";
  }
  return page;
}

}}  // namespace noun
