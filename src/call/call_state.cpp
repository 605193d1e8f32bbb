#include "call/call_state.hpp"

namespace noun { inline namespace v0 {

std::string_view to_string(CallState state) noexcept {
  switch (state) {
    case CallState::ready: return "ready";
    case CallState::authorizing: return "authorizing";
    case CallState::sent: return "sent";
    case CallState::held: return "held";
    case CallState::rejected: return "rejected";
    case CallState::backing_off: return "backing off";
    case CallState::ended: return "ended";
    case CallState::end_of_values: break;
  }
  return "–";
}

std::string_view to_string(CallEvent event) noexcept {
  switch (event) {
    case CallEvent::admitted: return "the gate gives it a permit";
    case CallEvent::unauthorized: return "the gate would give it one, but it needs credentials first";
    case CallEvent::held: return "the gate holds it";
    case CallEvent::authorized: return "its credentials";
    case CallEvent::succeeded: return "a success";
    case CallEvent::rejected: return "a rejection because of the quota";
    case CallEvent::faulted: return "a fault that may be repeated, or a redirect with Retry-After";
    case CallEvent::repeated: return "a response after which it goes on at once";
    case CallEvent::woken: return "the end of the wait, or its ticket";
    case CallEvent::woken_early: return "a wake before the end of the wait";
    case CallEvent::failed: return "anything else, or a wait that would be too long";
    case CallEvent::cancelled: return "a stop";
    case CallEvent::end_of_values: break;
  }
  return "?";
}

std::string describe_call() { return describe_table<CallState, CallEvent>(call_table); }

}}  // namespace noun
