#pragma once
/// @file
/// The tables of state machines.

#include <array>
#include <cstddef>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// The next state, for each state (row) and event (column).
template <class State, class Event>
using StateTable = std::array<std::array<State, static_cast<std::size_t>(Event::end_of_values)>,
                              static_cast<std::size_t>(State::end_of_values)>;

}}  // namespace noun
