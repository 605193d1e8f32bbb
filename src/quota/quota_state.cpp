#include "quota/quota_state.hpp"

#include <algorithm>
#include <chrono>

namespace noun { inline namespace v0 {
namespace {

using std::chrono::seconds;

constexpr unsigned most_silent_trials = 3;
constexpr Duration at_once = std::chrono::milliseconds(50);
/// Resets beyond it are left out of what is learned.
constexpr Duration near_enough = std::chrono::hours(24 * 40);
/// The server's clock is known well enough for its instants to tell how long a window is.
constexpr Duration narrow_enough = std::chrono::milliseconds(100);
constexpr Duration longest_doubling = seconds(60);

/// Whether a reset is one that can be reckoned with; the others may be as far away as an instant can be.
bool lies_near(const ResetSpan& reset, const QuotaExchange& exchange) noexcept {
  return reset.latest > exchange.sent && reset.earliest > after(exchange.sent, -near_enough) &&
         reset.latest < after(exchange.received.steady, near_enough);
}

/// The reset as it was told, with no doubt but its rounding where the service's clock tells it.
InstantSpan told_span_of(const ResetSpan& reset) noexcept {
  if (!reset.at) return {after(reset.earliest, reset.by_local_clock ? -reset.grain : Duration::zero()), reset.latest};
  const Instant at{std::chrono::duration_cast<Duration>(reset.at->time_since_epoch())};
  return {after(at, -reset.grain), at};
}

/// How far ahead the reset was by the server's own word, however its Date and reset are rounded.
std::optional<DurationSpan> told_ahead(const wire::RateLimitReading& reading) noexcept {
  const auto& reset = *reading.reset;
  if (reset.in) return DurationSpan{*reset.in - grain_of(*reset.in), *reset.in};
  if (!reset.at || !reading.date) return std::nullopt;
  const auto at = std::chrono::ceil<seconds>(*reset.at);
  const seconds ahead = at - *reading.date;
  if (ahead < seconds(0) || ahead > near_enough) return std::nullopt;  // such a Date is no clock's
  return DurationSpan{ahead - seconds(2), ahead};
}

/// An instant may have been rounded up; a span's earliest end allows for that already.
InstantSpan cautious(const ResetSpan& reset) noexcept {
  return {reset.at ? after(reset.earliest, -reset.grain) : reset.earliest, reset.latest};
}

SpendReport spend_report_of(const QuotaExchange& exchange, const wire::RateLimitReading& reading,
                            const std::optional<ResetSpan>& reset, std::int64_t limit, std::int64_t perhaps_after,
                            bool begun_at_once) noexcept {
  SpendReport report{.sent = exchange.sent,
                     .received = exchange.received.steady,
                     .limit = limit,
                     .used = limit - *reading.remaining,
                     .others = exchange.others,
                     .window = reading.window,
                     .alone = perhaps_after == 0 && exchange.others == 0};
  if (!reset) return report;
  report.reset = cautious(*reset);
  report.absolute = reset->at.has_value();
  report.tells_period =
      begun_at_once && perhaps_after == 0 && (!report.absolute || reset->latest - reset->earliest <= narrow_enough);
  if (reset->grain < seconds(1)) return report;
  report.told = told_ahead(reading);
  if (reset->at) report.told_at = std::chrono::floor<seconds>(*reset->at);
  return report;
}

}  // namespace

bool QuotaState::slides() const noexcept {
  return log_.slides() && window_.left() && window_.limit() && !window_.distrusted() && !window_.rounds_down();
}

void QuotaState::advance(Instant now) noexcept {
  if (phase_ == QuotaPhase::closed && now >= closed_until_) {
    phase_ = QuotaPhase::probing;
  } else if (phase_ == QuotaPhase::open && window_.over(now) && !refill_.flows() && !slides()) {
    passed_ = InstantSpan{*window_.earliest_reset(), *window_.reset()};
    close(now, WaitReason::probe);
    phase_ = QuotaPhase::probing;
  }
}

QuotaState::Decision QuotaState::grant(Instant now, const QuotaAsk& ask, bool trial,
                                       PermitTicket::Guess guess) noexcept {
  if (trial) {
    ++trials_;
    trial_at_ = now;
  }
  if (guess != PermitTicket::Guess::none) ++guesses_;
  const std::int64_t cost = costs_.of(ask.route);
  const std::int64_t in_flight = in_flight_cost_;
  ++in_flight_;
  in_flight_cost_ += cost;
  admitted_cost_ += static_cast<std::uint64_t>(cost);
  costs_.admitted(ask.route);
  refill_.spend(cost);
  return {.admitted = true,
          .ticket = {.sequence = sequence_++,
                     .window = window_.number(),
                     .generation = generation_,
                     .trial = trial,
                     .route = ask.route,
                     .cost = cost,
                     .served = served_,
                     .served_cost = served_cost_,
                     .in_flight = in_flight,
                     .guess = guess}};
}

PermitTicket QuotaState::adopt(Instant now, std::uint32_t route) noexcept {
  PermitTicket ticket = grant(now, {.route = route}, false).ticket;
  // Nobody knows in which order it was counted: it may be the oldest.
  ticket.sequence = 0;
  return ticket;
}

void QuotaState::hold_until(Instant until) noexcept {
  const bool held_for_longer = phase_ == QuotaPhase::closed && closed_until_ >= until;
  if (!held_for_longer) close(until, WaitReason::rejected);
}

void QuotaState::give_back(const PermitTicket& ticket) noexcept {
  refill_.give_back(ticket.cost);
  release(ticket);
}

void QuotaState::release(const PermitTicket& ticket) noexcept {
  --in_flight_;
  in_flight_cost_ -= ticket.cost;
  if (ticket.guess != PermitTicket::Guess::none) --guesses_;
  if (ticket.trial && ticket.generation == generation_ && trials_ > 0) --trials_;
}

QuotaNote QuotaState::settle(const PermitTicket& ticket, Now sent, Now received, const QuotaAnswer& answer) {
  release(ticket);
  tally_.sent();
  if (!answer.rejected) log_.record(sent.steady, received.steady);
  if (!answer.rejected && !answer.reading.remaining) refill_.miss(ticket.cost);
  if (!answer.answered) {
    window_.spend_unseen(sequence_, ticket.cost);
    return QuotaNote::none;
  }
  const QuotaExchange exchange{ticket, sent.steady, received, in_flight_cost_};
  if (answer.reading.date && clock_.observe(*answer.reading.date, sent.steady, received.steady))
    window_.forget_server_time();
  if (answer.rejected)
    on_rejected(exchange, answer);
  else
    on_served(exchange, answer);
  return note_of(answer.reading);
}

void QuotaState::on_served(const QuotaExchange& exchange, const QuotaAnswer& answer) {
  const bool rules = exchange.ticket.generation == generation_;
  const WindowNews news = window_.learn(exchange, answer.reading, clock_, false, rules, sequence_);
  if (news == WindowNews::opened) {
    opened_from_ = exchange.ticket.sequence;
    tally_renewal(exchange);
  }
  tally_.served();
  ++served_;
  served_cost_ += static_cast<std::uint64_t>(exchange.ticket.cost);
  bound_.served(news == WindowNews::opened, exchange.received.steady);
  learn_spending(exchange, answer.reading, news);
  const bool closed_by_word = phase_ == QuotaPhase::closed && closed_for_ != WaitReason::quota;
  if (!rules && (news != WindowNews::opened || closed_by_word)) return;
  // An error page without fields does not say that the quota has gone: a few more go alone before that is believed.
  const bool silent = exchange.ticket.trial && was_told_ && !answer.reading.remaining;
  if (silent && ++silent_trials_ < most_silent_trials) {
    close(after(exchange.received.steady, next_doubling()), WaitReason::quota);
    return;
  }
  if (silent) window_.forget_count();
  silent_trials_ = 0;
  was_told_ = was_told_ || answer.reading.remaining;
  phase_ = QuotaPhase::open;
  zero_wait_taken_ = false;
  if (answer.pause) {
    close(after(exchange.received.steady, *answer.pause), WaitReason::retry_after);
  } else if (window_.left().value_or(1) > 0) {
    doublings_ = 0;
  } else if (!window_.reset() && !refill_.flows()) {
    close(after(exchange.received.steady, next_doubling()), WaitReason::quota);
  }
}

void QuotaState::tally_renewal(const QuotaExchange& exchange) {
  tally_.renewed(window_.pressed() && !refill_.flows() ? window_.limit() : std::nullopt);
  const bool probe = exchange.ticket.trial && passed_;
  if (probe) tally_.probed(exchange.sent - passed_->earliest);
  begun_at_once_ = probe && window_.pressed() && passed_->width() <= narrow_enough &&
                   exchange.sent <= after(passed_->latest, at_once);
  passed_.reset();
  costs_.restart();
}

void QuotaState::learn_spending(const QuotaExchange& exchange, const wire::RateLimitReading& reading, WindowNews news) {
  if (exchange.ticket.guess == PermitTicket::Guess::refill) refill_.confirm();
  if (reading.window) told_window_ = reading.window;
  if (!reading.remaining) {
    if (exchange.ticket.proves) log_.confirm();
    return;
  }
  auto reset =
      reading.reset ? std::optional(span_of(*reading.reset, clock_, exchange.sent, exchange.received)) : std::nullopt;
  if (reset && !lies_near(*reset, exchange)) reset.reset();
  // What may have been counted after this request, though admitted by now: what was in flight, and what came later.
  const auto later = static_cast<std::int64_t>(sequence_ - exchange.ticket.sequence) - 1;
  const std::int64_t perhaps_after = exchange.ticket.in_flight + later * exchange.ticket.cost;
  const auto span = reset ? std::optional(cautious(*reset)) : std::nullopt;
  const auto limit = reading.limit ? reading.limit : window_.limit();
  refill_.learn({.sent = exchange.sent,
                 .received = exchange.received.steady,
                 .remaining = *reading.remaining,
                 .cost = exchange.ticket.cost,
                 .limit = limit,
                 .reset = span,
                 .told = reset ? std::optional(told_span_of(*reset)) : std::nullopt,
                 .per_second = reading.refill_per_second,
                 .others = exchange.others,
                 .perhaps_after = perhaps_after,
                 .admitted = admitted_cost_,
                 .served_before = exchange.ticket.served_cost,
                 .served = served_cost_});
  if (limit) log_.learn(spend_report_of(exchange, reading, reset, *limit, perhaps_after, begun_at_once_));
  if (exchange.ticket.proves) log_.confirm();
  if (news != WindowNews::same && news != WindowNews::opened) return;
  tally_.foreign(costs_.learn({.route = exchange.ticket.route,
                               .remaining = *reading.remaining,
                               .admitted = sequence_,
                               .served = served_,
                               .served_before = exchange.ticket.served,
                               .others = exchange.others,
                               .perhaps_after = perhaps_after}));
}

void QuotaState::on_rejected(const QuotaExchange& exchange, const QuotaAnswer& answer) {
  const wire::RateLimitReading& reading = answer.reading;
  tally_.rejected();
  if (exchange.ticket.guess == PermitTicket::Guess::log) log_.refute();
  if (exchange.ticket.guess == PermitTicket::Guess::refill) refill_.refute();
  const bool rules = exchange.ticket.generation == generation_;
  const bool at_reset = exchange.ticket.trial && window_.reset() && exchange.sent >= *window_.reset();
  const bool another_limit = rules && leaves_permits(reading);
  const WindowNews news = window_.learn(exchange, reading, clock_, true, rules, sequence_);
  if (!rules) {
    // Sent before the gate closed: the same rejection once more. It can only ask for a longer wait.
    if (news == WindowNews::stale || !reading.retry_after) return;
    const Instant until = after(exchange.received.steady, *reading.retry_after);
    if (phase_ == QuotaPhase::probing) close(until, WaitReason::rejected);
    if (phase_ != QuotaPhase::closed) return;
    closed_until_ = closed_for_ == WaitReason::quota ? until : std::max(closed_until_, until);
    closed_for_ = WaitReason::rejected;
    return;
  }
  if (at_reset && news == WindowNews::same && reading.reset) window_.learn_rounded_down();
  if (another_limit) bound_.halve(in_flight_ + 1, exchange.received.steady);
  window_.distrust();
  close(end_of_rejection(exchange, answer), WaitReason::rejected);
}

/// Whether it is another limit than this one that a rejection is about.
bool QuotaState::leaves_permits(const wire::RateLimitReading& reading) const noexcept {
  return reading.remaining ? *reading.remaining > 0 : window_.left().value_or(0) > 0;
}

Instant QuotaState::end_of_rejection(const QuotaExchange& exchange, const QuotaAnswer& answer) {
  const Instant now = exchange.received.steady;
  const std::optional<Duration> told = answer.reading.retry_after;
  if (told && (*told > Duration::zero() || !zero_wait_taken_)) {
    zero_wait_taken_ = *told <= Duration::zero();
    return after(now, *told);
  }
  const std::optional<Instant> reset = window_.reset();
  const bool reset_ahead = reset && *reset > now;
  // With permits left, this window is not what the service is angry about: its end far ahead is no answer.
  const bool another_limit = leaves_permits(answer.reading);
  const bool far = reset_ahead && *reset > after(now, std::max(longest_doubling, answer.default_wait));
  const bool by_default = another_limit && answer.default_wait > Duration::zero();
  if (reset_ahead && !(another_limit && far) && !by_default) return *reset;
  return after(now, next_doubling(answer.default_wait));
}

Duration QuotaState::next_doubling(Duration first) noexcept {
  const Duration base = first > Duration::zero() ? first : Duration(seconds(1));
  const Duration most = std::max(longest_doubling, base);
  const Duration wait = std::min(base, most / (1 << std::min(doublings_, 6U))) * (1 << std::min(doublings_, 6U));
  ++doublings_;
  return std::clamp(wait, base, most);
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

}}  // namespace noun
