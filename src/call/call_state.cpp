#include "call/call_state.hpp"

namespace noun { inline namespace v0 {

std::string_view to_string(CallState state) noexcept {
  constexpr std::string_view names[] = {"ready",    "authorizing", "sent",  "held",
                                        "rejected", "backing off", "ended", "–"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view to_string(CallEvent event) noexcept {
  constexpr std::string_view clauses[] = {
      "the gate gives it a permit",
      "the gate would give it one, but it needs credentials first",
      "the gate holds it",
      "its credentials",
      "a success",
      "a rejection because of the quota",
      "a fault that may be repeated, or a redirect with Retry-After",
      "a response after which it goes on at once",
      "the end of the wait, or its ticket",
      "a wake before the end of the wait",
      "anything else, or a wait that would be too long",
      "a stop",
      "?",
  };
  return clauses[static_cast<std::size_t>(event)];
}

std::string describe_call() { return describe_table<CallState, CallEvent>(call_table); }

}}  // namespace noun
