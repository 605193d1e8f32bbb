#include "policy/quota_state.hpp"

#include <algorithm>
#include <chrono>

namespace noun::inline v0 {
namespace {

using std::chrono::seconds;

constexpr Duration silence_of_a_trial = seconds(1);
constexpr Duration next_look = seconds(1);
constexpr Duration longest_doubling = seconds(60);

QuotaState::Decision hold(Instant until, WaitReason reason) noexcept { return {.until = until, .reason = reason}; }

std::size_t most_in_flight(const QuotaPolicy& policy) noexcept {
  return std::max<std::size_t>(policy.in_flight_unknown, 1);
}

}  // namespace

QuotaState::Decision QuotaState::admit(Instant now, const QuotaPolicy& policy, Priority priority,
                                       Instant patient_until) {
  advance(now);
  switch (phase_) {
    case QuotaPhase::closed: return hold(closed_until_, closed_for_);
    case QuotaPhase::learning:
    case QuotaPhase::probing: return admit_trial(now, policy);
    case QuotaPhase::open: break;
  }
  if (!window_.left()) return admit_unlimited(now, policy);
  return admit_counted(now, policy, priority, patient_until);
}

void QuotaState::advance(Instant now) noexcept {
  if (phase_ == QuotaPhase::closed && now >= closed_until_) {
    phase_ = QuotaPhase::probing;
  } else if (phase_ == QuotaPhase::open && window_.over(now)) {
    close(now, WaitReason::probe);
    phase_ = QuotaPhase::probing;
  }
}

QuotaState::Decision QuotaState::grant(Instant now, bool trial) noexcept {
  if (trial) {
    ++trials_;
    trial_at_ = now;
  }
  ++in_flight_;
  return {.admitted = true, .ticket = {sequence_++, window_.number(), generation_, trial}};
}

QuotaState::Decision QuotaState::admit_trial(Instant now, const QuotaPolicy& policy) noexcept {
  if (trials_ == 0) return grant(now, true);
  const Instant silent_at = after(trial_at_, silence_of_a_trial);
  const bool learning = phase_ == QuotaPhase::learning;
  if (now < silent_at) return hold(silent_at, learning ? WaitReason::first_answer : WaitReason::probe);
  if (in_flight_ >= most_in_flight(policy)) return hold(after(now, next_look), WaitReason::concurrency);
  return grant(now, true);
}

QuotaState::Decision QuotaState::admit_unlimited(Instant now, const QuotaPolicy& policy) noexcept {
  if (in_flight_ < most_in_flight(policy)) return grant(now, false);
  return hold(after(now, next_look), WaitReason::concurrency);
}

QuotaState::Decision QuotaState::admit_counted(Instant now, const QuotaPolicy& policy, Priority priority,
                                               Instant patient_until) {
  const bool interactive = priority == Priority::interactive;
  const std::int64_t left = *window_.left() - (interactive ? 0 : std::max<std::int64_t>(policy.reserve, 0));
  const std::int64_t room = left - static_cast<std::int64_t>(in_flight_);
  if (room <= 0) return hold_exhausted(now, left);
  if (interactive || policy.when_exhausted == WhenExhausted::fail) return grant(now, false);
  const std::optional<Instant> kept_until = window_.keep_for_tick(now, room);
  if (!kept_until) return grant(now, false);
  if (*kept_until > now && *kept_until <= patient_until) return hold(*kept_until, WaitReason::learning);
  if (*kept_until <= now) window_.spend_at_tick();
  return grant(now, false);
}

QuotaState::Decision QuotaState::hold_exhausted(Instant now, std::int64_t left) {
  window_.mark_exhausted();
  const std::optional<Instant> reset = window_.reset();
  if (left > 0 || (in_flight_ > 0 && !reset)) {
    // What is in flight may be counted already: its answers tell, soon.
    const Instant look = after(now, next_look);
    return hold(reset ? std::min(*reset, look) : look, WaitReason::concurrency);
  }
  if (reset) return hold(*reset, WaitReason::quota);
  close(after(now, next_doubling()), WaitReason::quota);
  return hold(closed_until_, closed_for_);
}

void QuotaState::give_back(const PermitTicket& ticket) noexcept { release(ticket); }

void QuotaState::release(const PermitTicket& ticket) noexcept {
  --in_flight_;
  if (ticket.trial && ticket.generation == generation_ && trials_ > 0) --trials_;
}

QuotaNote QuotaState::settle(const PermitTicket& ticket, Now sent, Now received, const QuotaAnswer& answer) {
  release(ticket);
  ++sent_;
  if (!answer.answered) {
    window_.spend_unseen(sequence_);
    return QuotaNote::none;
  }
  const QuotaExchange exchange{ticket, sent.steady, received, static_cast<std::int64_t>(in_flight_)};
  if (answer.reading.date && clock_.observe(*answer.reading.date, sent.steady, received.steady))
    window_.forget_server_time();
  if (answer.rejected)
    on_rejected(exchange, answer.reading);
  else
    on_served(exchange, answer.reading);
  return note_of(answer.reading);
}

void QuotaState::on_served(const QuotaExchange& exchange, const wire::RateLimitReading& reading) {
  const bool rules = exchange.ticket.generation == generation_;
  const WindowNews news = window_.learn(exchange, reading, clock_, false, rules, sequence_);
  const bool closed_by_rejection = phase_ == QuotaPhase::closed && closed_for_ == WaitReason::rejected;
  if (!rules && (news != WindowNews::opened || closed_by_rejection)) return;
  phase_ = QuotaPhase::open;
  zero_wait_taken_ = false;
  if (window_.left().value_or(1) > 0) {
    doublings_ = 0;
  } else if (!window_.reset()) {
    close(after(exchange.received.steady, next_doubling()), WaitReason::quota);
  }
}

void QuotaState::on_rejected(const QuotaExchange& exchange, const wire::RateLimitReading& reading) {
  ++rejected_;
  const bool rules = exchange.ticket.generation == generation_;
  const bool at_reset = exchange.ticket.trial && window_.reset() && exchange.sent >= *window_.reset();
  const WindowNews news = window_.learn(exchange, reading, clock_, true, rules, sequence_);
  if (!rules) {
    // Sent before the gate closed: the same rejection once more. It can only ask for a longer wait.
    if (news == WindowNews::stale || !reading.retry_after) return;
    const Instant until = after(exchange.received.steady, *reading.retry_after);
    closed_until_ = closed_for_ == WaitReason::rejected ? std::max(closed_until_, until) : until;
    closed_for_ = WaitReason::rejected;
    return;
  }
  if (at_reset && news == WindowNews::same && reading.reset) window_.learn_rounded_down();
  window_.distrust();
  close(end_of_rejection(exchange, reading), WaitReason::rejected);
}

Instant QuotaState::end_of_rejection(const QuotaExchange& exchange, const wire::RateLimitReading& reading) {
  const Instant now = exchange.received.steady;
  const std::optional<Duration> told = reading.retry_after;
  if (told && (*told > Duration::zero() || !zero_wait_taken_)) {
    zero_wait_taken_ = *told <= Duration::zero();
    return after(now, *told);
  }
  const std::optional<Instant> reset = window_.reset();
  const bool reset_ahead = reset && *reset > now;
  // With permits left, this window is not what the service is angry about: its end far ahead is no answer.
  const bool another_limit = reading.remaining ? *reading.remaining > 0 : window_.left().value_or(0) > 0;
  const bool far = reset_ahead && *reset > after(now, longest_doubling);
  if (reset_ahead && !(another_limit && far)) return *reset;
  return after(now, next_doubling());
}

Duration QuotaState::next_doubling() noexcept {
  const Duration wait = std::min<Duration>(seconds(1) * (1 << std::min(doublings_, 6U)), longest_doubling);
  ++doublings_;
  return wait;
}

void QuotaState::close(Instant until, WaitReason reason) noexcept {
  phase_ = QuotaPhase::closed;
  closed_until_ = until;
  closed_for_ = reason;
  ++generation_;
  trials_ = 0;
}

QuotaNote QuotaState::note_of(const wire::RateLimitReading& reading) noexcept {
  QuotaNote note = QuotaNote::none;
  if (reading.implausible_reset)
    note = QuotaNote::implausible_reset;
  else if (reading.reset && !reading.reset->in && !clock_.known())
    note = QuotaNote::no_date;
  const bool repeated = note == last_note_;
  last_note_ = note;
  return repeated ? QuotaNote::none : note;
}

QuotaOutlook QuotaState::outlook() const noexcept {
  const std::int64_t left = window_.left().value_or(0);
  const Instant until = phase_ == QuotaPhase::closed ? closed_until_ : window_.reset().value_or(Instant::max());
  return {phase_, trials_, left - static_cast<std::int64_t>(in_flight_), until};
}

QuotaReading QuotaState::reading(Instant now) const {
  QuotaReading reading{.limit = window_.limit(), .remaining = {}, .resets_in = {}};
  const std::optional<Instant> reset = window_.reset();
  if (reset && *reset > now) reading.resets_in = *reset - now;
  if (window_.left() && !window_.over(now) && !window_.distrusted())
    reading.remaining = std::max<std::int64_t>(*window_.left() - static_cast<std::int64_t>(in_flight_), 0);
  return reading;
}

QuotaSnapshot QuotaState::snapshot(Instant now) const {
  const QuotaReading said = reading(now);
  return {.limit = said.limit,
          .remaining = said.remaining,
          .resets_in = said.resets_in,
          .in_flight = in_flight_,
          .held = 0,
          .sent = sent_,
          .rejected = rejected_};
}

}  // namespace noun::inline v0
