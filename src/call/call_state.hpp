#pragma once
/// @file
/// The states of a call as a table. src/ARCHITECTURE.md shows it; a test compares them.

#include <cstddef>
#include <cstdint>

#include "vocabulary/state_table.hpp"

namespace noun { inline namespace v0 {

enum class CallState : std::uint8_t {
  ready,        ///< before the first event, and while the gate decides
  following,    ///< its step is Wait, for the response to an identical request
  delayed,      ///< its step is Wait, until CallRequest::not_before
  authorizing,  ///< its step is Authorize
  sent,         ///< its step is Send
  held,         ///< its step is Wait, for the gate
  rejected,     ///< its step is Wait, after a rejection
  backing_off,  ///< its step is Wait, after a fault or a redirect
  ended,        ///< its step is Done
  end_of_values
};

/// What changes the state: an event of the driver, with what the call decides.
enum class CallEvent : std::uint8_t {
  follows,
  delayed,
  admitted,
  unauthorized,  ///< it may go, without fresh credentials
  held,
  authorized,
  succeeded,
  rejected,
  faulted,
  repeated,  ///< goes to the gate again at once
  woken,
  woken_early,  ///< before the end of what it waits for
  failed,
  cancelled,
  end_of_values
};

/// Without a next state (`none`), the event cannot happen.
constexpr StateTable<CallState, CallEvent> call_table = [] {
  using enum CallState;
  constexpr auto none = end_of_values;
  return StateTable<CallState, CallEvent>{{
      // by event, in the order of the enumeration
      /* ready       */ {following, delayed, sent, authorizing, held, none, ended, none, none, ready, none, none, ended, ended},
      /* following   */ {none, none, none, none, none, none, none, none, none, none, ready, following, none, ended},
      /* delayed     */ {none, none, none, none, none, none, none, none, none, none, ready, delayed, none, ended},
      /* authorizing */ {none, none, none, none, none, ready, none, none, none, none, none, none, ended, ended},
      /* sent        */ {none, none, none, none, none, none, ended, rejected, backing_off, ready, none, none, ended, ended},
      /* held        */ {none, none, none, none, none, none, none, none, none, none, ready, none, none, ended},
      /* rejected    */ {none, none, none, none, none, none, none, none, none, none, ready, rejected, none, ended},
      /* backing_off */ {none, none, none, none, none, none, none, none, none, none, ready, backing_off, none, ended},
      /* ended       */ {none, none, none, none, none, none, none, none, none, none, none, none, none, none},
  }};
}();

constexpr CallState next_state(CallState state, CallEvent event) noexcept {
  return call_table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

}}  // namespace noun
