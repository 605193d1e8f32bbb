#include "quota/phase.hpp"

namespace noun { inline namespace v0 { namespace quota {

std::string_view to_string(Phase phase) noexcept {
  constexpr std::string_view names[] = {"unknown", "open", "closed", "probing", "?"};
  return names[static_cast<std::size_t>(phase)];
}

std::string_view to_string(PhaseEvent event) noexcept {
  constexpr std::string_view clauses[] = {
      "a response that is not a rejection",
      "a rejection",
      "a success that asks for a pause",
      "nothing is left, and no reset is known",
      "a probe whose response no longer reports what is left",
      "the end of the hold",
      "the reported reset passes",
      "?",
  };
  return clauses[static_cast<std::size_t>(event)];
}

std::string describe_phases() { return describe_table<Phase, PhaseEvent>(phase_table); }

void PhaseMachine::close(PhaseEvent event, const Moment& now, Instant until, WaitReason reason) noexcept {
  phase_ = next_phase(phase_, event);
  until_ = until;
  reason_ = reason;
  hold_back(now);
}

void PhaseMachine::prolong(const Moment& now, Instant until) noexcept {
  if (phase_ == Phase::probing) return close(PhaseEvent::rejected, now, until, WaitReason::rejected);
  if (phase_ != Phase::closed) return;
  until_ = reason_ == WaitReason::quota ? until : std::max(until_, until);
  reason_ = WaitReason::rejected;
}

}}}  // namespace noun::quota
