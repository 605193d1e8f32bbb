// Who of those that ask a quota may go, and until when the others are held.
#include <algorithm>
#include <chrono>

#include "quota/quota_state.hpp"

namespace noun { inline namespace v0 {
namespace {

using std::chrono::seconds;

constexpr Duration silence_of_a_trial = seconds(1);
constexpr Duration next_look = seconds(1);

QuotaState::Decision hold(Instant until, WaitReason reason) noexcept { return {.until = until, .reason = reason}; }

std::size_t most_in_flight(const QuotaPolicy& policy) noexcept {
  return std::max<std::size_t>(policy.in_flight_unknown, 1);
}

}  // namespace

QuotaState::Decision QuotaState::admit(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask) {
  advance(now);
  switch (phase_) {
    case QuotaPhase::closed: return hold(closed_until_, closed_for_);
    case QuotaPhase::learning:
    case QuotaPhase::probing: return admit_trial(now, policy, ask);
    case QuotaPhase::open: break;
  }
  if (!bound_.allows(in_flight_)) return hold(after(now, next_look), WaitReason::concurrency);
  if (!window_.left() && !refill_.flows()) return admit_unlimited(now, policy, ask);
  return admit_counted(now, policy, ask);
}

QuotaState::Decision QuotaState::admit_trial(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask) noexcept {
  if (trials_ == 0) return grant(now, ask, true);
  const Instant silent_at = after(trial_at_, silence_of_a_trial);
  const bool learning = phase_ == QuotaPhase::learning;
  if (now < silent_at) return hold(silent_at, learning ? WaitReason::first_answer : WaitReason::probe);
  if (in_flight_ >= most_in_flight(policy)) return hold(after(now, next_look), WaitReason::concurrency);
  return grant(now, ask, true);
}

QuotaState::Decision QuotaState::admit_unlimited(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask) noexcept {
  if (in_flight_ < most_in_flight(policy)) return grant(now, ask, false);
  return hold(after(now, next_look), WaitReason::concurrency);
}

QuotaState::Decision QuotaState::admit_counted(Instant now, const QuotaPolicy& policy, const QuotaAsk& ask) {
  const bool interactive = ask.priority == Priority::interactive;
  const std::int64_t reserve = interactive ? 0 : std::max<std::int64_t>(policy.reserve, 0);
  if (refill_.flows()) return admit_flowing(now, reserve, ask);
  if (slides()) return admit_sliding(now, reserve, ask);
  const std::int64_t room = window_.room(in_flight_cost_, sequence_) - reserve;
  if (room < costs_.of(ask.route)) return admit_exhausted(now, reserve, ask);
  if (interactive || policy.when_exhausted == WhenExhausted::fail) return grant(now, ask, false);
  if ((ask.demand && *ask.demand <= room) || log_.outruns_resets()) return grant(now, ask, false);
  const std::optional<Instant> kept_until = window_.keep_for_tick(now, room, ask.demand.has_value());
  if (!kept_until) return grant(now, ask, false);
  if (*kept_until > now && *kept_until <= ask.patient_until) return hold(*kept_until, WaitReason::learning);
  if (*kept_until <= now) window_.spend_at_tick();
  return grant(now, ask, false);
}

/// What flows back is there at a known instant, whatever the reset says.
QuotaState::Decision QuotaState::admit_flowing(Instant now, std::int64_t reserve, const QuotaAsk& ask) noexcept {
  const std::int64_t wanted = reserve + costs_.of(ask.route);
  const bool is_told = window_.left() && *window_.left() - in_flight_cost_ >= wanted;
  if (is_told) return grant(now, ask, false);
  if (wanted > refill_.capacity()) return hold(after(now, next_look), WaitReason::quota);
  if (refill_.level(now) < wanted)
    return hold(std::max(refill_.when(wanted), after(now, Duration(1))), WaitReason::quota);
  if (!refill_.confirmed() && guesses_ > 0) return hold(after(now, next_look), WaitReason::probe);
  return grant(now, ask, false, PermitTicket::Guess::refill);
}

/// No reset frees anything: our log alone says when something is forgotten. Answers that overtake each other may tell
/// of more than is left.
QuotaState::Decision QuotaState::admit_sliding(Instant now, std::int64_t reserve, const QuotaAsk& ask) {
  const std::int64_t cost = costs_.of(ask.route);
  const std::int64_t limit = *window_.limit() - reserve;
  if (limit < cost) return hold(after(now, next_look), WaitReason::quota);
  const auto free = log_.free_at(limit, in_flight_cost_, cost);
  if (!free && in_flight_ > 0) return hold(after(now, next_look), WaitReason::concurrency);
  if (free && *free > now) {
    window_.mark_exhausted();
    return hold(*free, WaitReason::quota);
  }
  const bool told = window_.room(in_flight_cost_, sequence_) - reserve >= cost;
  if (!told && !log_.confirmed() && guesses_ > 0) return hold(after(now, next_look), WaitReason::probe);
  return told ? grant(now, ask, false) : grant_by_log(now, ask);
}

/// Unless as many went in this window as its limit, the log says nothing that the window does not say.
QuotaState::Decision QuotaState::grant_by_log(Instant now, const QuotaAsk& ask) noexcept {
  const bool proves = slides() || static_cast<std::int64_t>(sequence_ - opened_from_) >= *window_.limit();
  Decision decision = grant(now, ask, false, PermitTicket::Guess::log);
  decision.ticket.proves = proves;
  return decision;
}

/// Nothing is left by the service's word. By our own log of what we sent, something may be free before its reset.
QuotaState::Decision QuotaState::admit_exhausted(Instant now, std::int64_t reserve, const QuotaAsk& ask) {
  const std::int64_t cost = costs_.of(ask.route);
  const std::int64_t left = *window_.left() - reserve;
  const auto reset = window_.reset();
  const auto free = window_.limit() && !window_.distrusted() && !window_.rounds_down()
                        ? log_.free_at(*window_.limit() - reserve, in_flight_cost_, cost)
                        : std::nullopt;
  if (!free || !reset || *free >= *reset) return hold_exhausted(now, left, cost);
  window_.mark_exhausted();
  if (*free > now) return hold(*free, WaitReason::quota);
  if (!log_.confirmed() && guesses_ > 0) return hold(std::min(*reset, after(now, next_look)), WaitReason::probe);
  return grant_by_log(now, ask);
}

QuotaState::Decision QuotaState::hold_exhausted(Instant now, std::int64_t left, std::int64_t cost) {
  window_.mark_exhausted();
  const std::optional<Instant> reset = window_.reset();
  if (left >= cost || (in_flight_ > 0 && !reset)) {
    // What is in flight may be counted already: its answers tell, soon.
    const Instant look = after(now, next_look);
    return hold(reset ? std::min(*reset, look) : look, WaitReason::concurrency);
  }
  if (reset) return hold(*reset, WaitReason::quota);
  // What is kept in reserve is there; it is for others to spend.
  if (*window_.left() >= cost) return hold(after(now, next_look), WaitReason::quota);
  close(after(now, next_doubling()), WaitReason::quota);
  return hold(closed_until_, closed_for_);
}

}}  // namespace noun
