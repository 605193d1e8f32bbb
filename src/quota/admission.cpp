#include "quota/admission.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

#include "decision/backoff.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

constexpr Duration probe_timeout = seconds(1);
/// The reset of a window that is not used up is not waited for if it is later.
constexpr Duration distant = seconds(60);
/// How long a count without a reset is believed that leaves only what is reserved.
constexpr Duration reserve_known_for = seconds(60);
/// For waits that no rejection asks for: 1 s, 2 s, 4 s … 60 s.
constexpr RetryPolicy unasked = {.jitter = 0};
constexpr std::uint32_t most_silent_probes = 3;
/// Own requests to keep in the log while no limit is known.
constexpr std::int64_t most_unreported = 1024;
constexpr std::uint32_t most_early_probes = 2;
constexpr std::int64_t most_forecast = 1'000'000'000'000;

std::int64_t most_in_flight(const QuotaPolicy& policy) noexcept {
  return static_cast<std::int64_t>(std::max<std::size_t>(policy.in_flight_unknown, 1));
}

/// Calls `visit(estimator, bit)` for each estimator.
template <class Tuple, class Visit>
void for_each(Tuple& estimators, Visit visit) {
  std::apply(
      [&](auto&... one) {
        std::uint8_t bit = 1;
        ((visit(one, bit), bit = static_cast<std::uint8_t>(bit << 1U)), ...);
      },
      estimators);
}

/// What the first estimator knows that knows it.
template <class Question>
auto first_of(const Estimators& estimators, Question question) {
  std::invoke_result_t<Question, const std::tuple_element_t<0, Estimators>&> known{};
  for_each(estimators, [&](const auto& estimator, std::uint8_t) {
    if (!known) known = question(estimator);
  });
  return known;
}

}  // namespace

Decision Admission::decide(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance) const {
  const bool interactive = ask.priority == Priority::interactive;
  const std::int64_t reserve = interactive ? 0 : std::max<std::int64_t>(policy.reserve, 0);
  const PermitRequest request{.route = ask.route,
                              .cost = policy.inference == Inference::full ? costs_.of(ask.route) : 1,
                              .reserve = reserve + allowance.ahead.cost - allowance.leased,
                              .may_guess = allowance.may_guess};
  Decision decision = decide(now, policy, ask, allowance, request);
  if (Go* const go = std::get_if<Go>(&decision)) {
    go->sending.route = request.route;
    go->sending.cost = request.cost;
    go->sending.infers = policy.inference == Inference::full;
  }
  return decision;
}

Decision Admission::decide(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance,
                           const PermitRequest& request) const {
  const Phase phase = phase_.phase_at(now);
  if (phase == Phase::closed) return Held{phase_.until(), phase_.reason()};
  if (phase != Phase::open) return decide_probe(now, policy, allowance.ahead.requests);
  const bool counted = window_.left().has_value();
  const std::int64_t room = counted ? window_.room(account_) - request.reserve : 0;
  const bool covered = counted && room >= request.cost;
  const auto found = claimed(now, request, policy.inference, covered);
  const bool replaced = found && found->effect != Effect::relaxes;
  if (!replaced && window_.over(now)) return decide_probe(now, policy, allowance.ahead.requests);
  const std::int64_t in_flight = account_.in_flight().requests + allowance.ahead.requests - allowance.leased;
  const bool too_many = !counted && in_flight >= most_in_flight(policy);
  if (too_many || !concurrency_.allows(in_flight > 0 ? in_flight + allowance.open : 0))
    return Held{after(now, recheck_interval), WaitReason::concurrency};
  if (replaced) {
    const bool goes = found->effect == Effect::replaces || found->claim.earliest <= now;
    return covered && goes ? Go{} : decide_by_claim(now, request, *found, allowance.ahead.requests);
  }
  if (covered) return decide_covered(now, policy, ask, allowance, room);
  if (counted) {
    const auto reset = window_.reset();
    const bool sooner = found && reset && found->claim.earliest < *reset;
    return sooner ? decide_by_claim(now, request, *found, allowance.ahead.requests)
                  : decide_exhausted(now, request, allowance.ahead.requests);
  }
  return Go{};
}

Decision Admission::decide_probe(Instant now, const QuotaPolicy& policy, std::int64_t ahead) const noexcept {
  const bool unknown = phase_.phase() == Phase::unknown;
  const WaitReason reason = unknown ? WaitReason::first_response : WaitReason::probe;
  // phase_ is not advanced to `now`. While it is still open or closed, its number of probes is out of date.
  const bool none_sent = phase_.probes() == 0 || phase_.phase() == Phase::open || phase_.phase() == Phase::closed;
  if (none_sent && ahead == 0) return Go{{.probe = true}};
  const Instant silent_at = after(none_sent ? now : phase_.probed_at(), probe_timeout);
  if (now < silent_at) return Held{silent_at, reason};
  if (ahead > 0) return Held{after(now, recheck_interval), reason};
  if (account_.in_flight().requests >= most_in_flight(policy))
    return Held{after(now, recheck_interval), WaitReason::concurrency};
  return Go{{.probe = true}};
}

/// Returns the claim to use. `replacing_only` skips the estimators that can only relax the reset: the reported
/// remaining covers the request.
std::optional<Admission::Found> Admission::claimed(Instant now, const PermitRequest& request, Inference inference,
                                                   bool replacing_only) const {
  std::optional<Found> found;
  for_each(estimators_, [&]<class E>(const E& estimator, std::uint8_t bit) {
    constexpr bool relaxes = E::effect == Effect::relaxes;
    if (relaxes && (found || replacing_only)) return;
    if (E::needs_report && !window_.is_trusted()) return;
    if (concurrency_.is_proven() && estimator.count() && !estimator.is_paced()) return;
    auto claim = estimator.claim(now, request, account_);
    if (!claim) return;
    claim->earliest = std::max(claim->earliest, now);
    if (!request.may_guess && relaxes && claim->trust == Trust::guessed) return;
    if (claim->trust == Trust::guessed && (proven_ & bit) != 0) claim->trust = Trust::proven;
    if (inference == Inference::reported_only && claim->trust != Trust::reported) return;
    const bool later = !found || claim->earliest > found->claim.earliest;
    const bool binds = (found && found->effect == Effect::binds && found->claim.earliest > now) ||
                       (E::effect == Effect::binds && (later || claim->earliest > now));
    if (later) found = Found{*claim, E::effect};
    if (binds) found->effect = Effect::binds;
  });
  return found;
}

/// If the window will be used up anyway, one of the last permits may be held back to measure the reset.
Decision Admission::decide_covered(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance,
                                   std::int64_t room) const {
  const bool waits = ask.priority != Priority::interactive && policy.when_exhausted == WhenExhausted::wait &&
                     room <= allowance.most_kept;
  const bool fits = ask.demand && *ask.demand <= room;
  if (!waits || fits || policy.inference != Inference::full) return Go{};
  if (first_of(estimators_, [](const auto& one) { return one.outruns_resets(); })) return Go{};
  const auto at = first_of(estimators_, [&](const auto& one) { return one.searches_at(now, room); });
  if (window_.is_pressed() && at && *at > now && *at <= ask.patient_until) return Held{*at, WaitReason::reset_probe};
  const auto kept =
      allowance.plans ? window_.keep_for_probe(now, room, ask.demand.has_value()) : window_.planned(now);
  if (kept && kept->at > now && kept->at <= ask.patient_until)
    return Held{.until = kept->at, .reason = WaitReason::reset_probe, .kept = kept};
  return Go{.kept = kept, .spends_kept = kept && kept->at <= now};
}

/// Decides by the claim: the reported remaining does not cover the request, or the claim overrides it.
Decision Admission::decide_by_claim(Instant now, const PermitRequest& request, const Found& found,
                                    std::int64_t ahead) const {
  const Claim& claim = found.claim;
  if (claim.earliest > now) return Held{claim.earliest, claim.reason, true};
  const auto reset = window_.reset();
  const bool reset_ahead = reset && *reset > now;
  // It might use the permit of a request in flight. Without a reset a slow one would hold all.
  const bool takes_another = reset_ahead && account_.in_flight().requests > account_.leased();
  if (claim.trust == Trust::guessed && (guesses_ > 0 || ahead > 0 || takes_another)) {
    const Instant recheck = after(now, recheck_interval);
    return Held{reset_ahead ? std::min(*reset, recheck) : recheck, WaitReason::probe};
  }
  Go go{.sending = {.guessed = claim.trust == Trust::guessed}, .exhausted = true};
  for_each(estimators_, [&]<class E>(const E& estimator, std::uint8_t bit) {
    if (E::needs_report && !window_.is_trusted()) return;
    const auto own = estimator.claim(now, request, account_);
    if (!own || own->earliest > now) return;
    go.sending.guesses |= bit;
    if (own->conclusive) go.sending.conclusive |= bit;
  });
  return go;
}

Decision Admission::decide_exhausted(Instant now, const PermitRequest& request, std::int64_t ahead) const noexcept {
  const std::int64_t left = *window_.left();
  const std::optional<Instant> reset = window_.reset();
  const Instant recheck = after(now, recheck_interval);
  // Requests in flight may already be counted; their responses will soon show it.
  if (left - request.reserve >= request.cost || (account_.in_flight().requests > 0 && !reset))
    return Held{.until = reset ? std::min(*reset, recheck) : recheck,
                .reason = WaitReason::concurrency,
                .exhausted = true,
                .may_reset = reset.has_value()};
  if (reset) return Held{*reset, WaitReason::quota, true};
  if (left >= request.cost) {
    // The rest is reserved for other calls, but nothing says until when: now and then a request of it learns that.
    const auto& log = account_.log();
    const Instant known_until = log.size() > 0 ? after(log.nth_last(1).received, reserve_known_for) : now;
    if (ahead == 0 && known_until <= now) return Go{.sending = {.probe = true}, .exhausted = true};
    return Held{known_until > now ? std::min(known_until, recheck) : recheck, WaitReason::quota, true};
  }
  return Close{after(now, backoff(unasked, doublings_.count + 1, 0))};
}

void Admission::advance(Instant now, Inference inference) noexcept {
  phase_.advance(now);
  if (phase_.phase() != Phase::open || !window_.over(now) || claimed(now, {}, inference, true)) return;
  window_.end();
  phase_.take(PhaseEvent::window_over, moment(now));
}

void Admission::hold(Instant now, const Decision& decision) noexcept {
  if (const Held* const held = std::get_if<Held>(&decision)) {
    if (held->exhausted) window_.mark_exhausted();
    if (held->kept) window_.probe().plan(*held->kept, now);
  } else if (const Close* const close = std::get_if<Close>(&decision)) {
    window_.mark_exhausted();
    phase_.close(PhaseEvent::exhausted, moment(now), close->until, WaitReason::quota);
    ++doublings_.count;
  }
}

void Admission::on_sent(Instant at, const PermitRequest& request) noexcept {
  costs_.on_sent(request.route);
  for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_sent(at, request); });
}

Sending Admission::send(Instant now, const Go& go) {
  Sending sending = go.sending;
  sending.at = now;
  if (go.exhausted) window_.mark_exhausted();
  if (go.kept) window_.probe().plan(*go.kept, now);
  if (go.spends_kept) window_.probe().send();
  if (sending.probe) phase_.on_probe_sent(now);
  if (sending.guesses != 0) ++guesses_;
  on_sent(now, {.route = sending.route, .cost = sending.cost});
  return account_.send(sending);
}

Sending Admission::adopt(const Sending& sending) noexcept {
  const std::int64_t cost = costs_.of(sending.route);
  on_sent(sending.at, {.route = sending.route, .cost = cost});
  if (sending.guesses != 0) ++guesses_;
  return account_.adopt(sending, cost);
}

void Admission::lease(Instant now, std::int64_t permits) noexcept {
  account_.lease(permits);
  for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_sent(now, {.cost = permits}); });
}

void Admission::end_lease(std::int64_t permits) noexcept {
  account_.lease(-permits);
  for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_unsent({.cost = permits}); });
}

void Admission::lose_lease(Instant now, std::int64_t permits) {
  account_.lease(-permits);
  if (permits <= 0) return;
  account_.log().record(now, now, permits);
  lose(now, permits);
}

void Admission::lose(Instant now, std::int64_t cost) {
  window_.spend_unseen(
      {.sent_at = now, .received_at = now, .outcome = Outcome::lost, .cost = cost, .sent = account_.sent()});
}

void Admission::give_back(const Sending& sending) noexcept {
  const PermitRequest request{.route = sending.route, .cost = sending.cost};
  account_.unsend(sending);
  for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_unsent(request); });
}

void Admission::release(const Sending& sending) noexcept {
  give_back(sending);
  if (sending.guesses != 0) --guesses_;
  if (sending.probe) {
    phase_.on_probe_done(sending.at, sending.before);
    unexplained_.probes = false;
  }
}

void Admission::abandon_in_flight(Instant now) {
  const Sums in_flight = account_.in_flight();
  account_.abandon_in_flight();
  if (in_flight.cost > 0) lose(now, in_flight.cost);
  phase_.forget_probes();
  guesses_ = 0;
  for_each(estimators_, [](auto& estimator, std::uint8_t) { estimator.forget_resets(); });
}

bool Admission::is_whole() const noexcept {
  const bool broken = first_of(estimators_, [](const auto& one) { return !one.is_whole(); });
  return account_.log().is_whole() && window_.is_whole() && !broken && concurrency_.is_whole();
}

void Admission::hold_until(Instant now, Instant until) noexcept {
  unexplained_.holds = unexplained_.probes = false;
  const bool held_for_longer = phase_.phase() == Phase::closed && phase_.until() >= until;
  if (!held_for_longer) phase_.close(PhaseEvent::rejected, moment(now), until, WaitReason::rejected);
}

void Admission::finish(const Sending& sending, bool counted) noexcept {
  if (sending.guesses != 0) --guesses_;
  if (sending.probe) phase_.on_probe_done(sending.at, sending.before);
  if (counted)
    account_.finish(sending);
  else
    give_back(sending);
}

void Admission::record(const Sending& sending, Observation seen, const ServerClock& clock, bool moved) {
  ++done_.requests;
  seen.sent_at = sending.at;
  seen.route = sending.route;
  seen.cost = seen.counted ? sending.cost : 0;
  seen.probe = sending.probe;
  seen.guessed = sending.guessed;
  if (seen.counted) account_.record(sending, seen.outcome, seen.received_at);
  seen.in_flight = account_.in_flight();
  seen.perhaps_after = account_.perhaps_after(sending);
  if (!seen.counted) seen.perhaps_after += {1, sending.cost};
  seen.sent = account_.sent();
  seen.sent_before = sending.elsewhere ? sending.done.requests : sending.before;
  seen.served = account_.served();
  seen.served_before = sending.served;
  if (moved) window_.forget_server_time();
  switch (seen.outcome) {
    case Outcome::served: return on_served(sending, seen, clock);
    case Outcome::rejected: return on_rejected(sending, seen, clock);
    case Outcome::unavailable:
    case Outcome::lost:
    case Outcome::end_of_values: break;
  }
  if (sending.probe) unexplained_.probes = false;
  window_.spend_unseen(seen);
  for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_response(seen, account_); });
}

/// A claim is proven if its request was served, and dropped if it was rejected. It is not proven if the request may
/// have used the permit of one that is in flight.
void Admission::update_trust(const Sending& sending, const Observation& seen) {
  if (sending.guesses == 0) return;
  const bool proves = seen.outcome == Outcome::served && seen.perhaps_after.cost <= seen.remaining.value_or(0);
  for_each(estimators_, [&](auto& estimator, std::uint8_t bit) {
    if (seen.outcome == Outcome::rejected && (sending.guesses & bit) != 0) {
      estimator.on_refuted();
      proven_ = static_cast<std::uint8_t>(proven_ & ~bit);
    } else if (proves && (sending.conclusive & bit) != 0 && !estimator.is_doubtful()) {
      proven_ |= bit;
    }
  });
}

void Admission::on_served(const Sending& sending, Observation& seen, const ServerClock& clock) {
  const bool current = seen.is_after(phase_.since());
  seen.news = window_.on_response(seen, account_, clock, current);
  seen.began_at_once = window_.began_at_once();
  seen.ends_by = window_.reset();
  const bool opened = seen.news == WindowNews::opened;
  const bool reported = seen.remaining.has_value();
  if (!is_unreported(seen)) concurrency_.on_served(opened, seen.received_at);
  if (seen.window) reported_period_ = seen.window;
  if (!seen.limit) seen.limit = window_.limit();
  if (reported && seen.limit) account_.log().keep(*seen.limit);
  if (seen.counted) {
    for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_response(seen, account_); });
    update_trust(sending, seen);
    if (is_unreported(seen) && seen.healthy) on_served_unreported(sending, seen, current);
    if (reported) costs_.on_response(seen);
  } else {
    for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_uncounted(seen); });
    if (reported) costs_.on_uncounted(seen);
    if (sending.probe) unexplained_.probes = false;
    // The server serves it whether or not permits are left.
    if (!reported && phase_.phase() != Phase::unknown) return;
  }
  const bool held_by_server = phase_.phase() == Phase::closed && phase_.reason() != WaitReason::quota;
  if (!current && (!opened || held_by_server)) return;
  // An error page without rate-limit fields does not prove that the quota is gone. Several such probes in a row do.
  const bool silent = sending.probe && silence_.was_reported && !reported;
  if (silent && ++silence_.probes < most_silent_probes)
    return phase_.close(PhaseEvent::unreported, moment(seen.received_at), after(seen.received_at, next_doubling()),
                        WaitReason::quota);
  if (silent) window_.forget_count();
  silence_ = {.was_reported = silence_.was_reported || reported};
  phase_.take(PhaseEvent::served, moment(seen.received_at));
  doublings_.obeyed = false;
  unexplained_.holds = false;
  if (seen.pause) {
    phase_.close(PhaseEvent::paused, moment(seen.received_at), after(seen.received_at, *seen.pause),
                 WaitReason::retry_after);
  } else if (window_.left().value_or(1) > 0 || window_.reset() ||
             first_of(estimators_, [&](const auto& one) { return one.level(seen.received_at); })) {
    doublings_.count = 0;
  } else {
    phase_.close(PhaseEvent::exhausted, moment(seen.received_at), after(seen.received_at, next_doubling()),
                 WaitReason::quota);
  }
}

/// A request was served while all calls are held. The server may limit only the number in flight; a probe sent at once
/// shows whether it does.
void Admission::on_served_unreported(const Sending& sending, const Observation& seen, bool current) {
  account_.log().keep(unreported_count().value_or(most_unreported));
  concurrency_.on_served_unexplained();
  const std::int64_t others = sending.before - sending.done.requests;
  const bool early = sending.probe && std::exchange(unexplained_.probes, false);
  if (early && current && others > 0) concurrency_.prove(others + seen.open + 1);
  const bool enough = unexplained_.rejections == most_early_probes;
  if (current || !unexplained_.holds || enough || phase_.phase() != Phase::closed) return;
  phase_.end_hold(seen.received_at);
  unexplained_.probes = true;
}

/// @returns  whether requests continue because the server limits only the number in flight.
bool Admission::on_rejected_unreported(const Sending& sending, const Observation& seen) {
  const bool paced = first_of(estimators_, [](const auto& one) { return one.is_paced(); });
  unexplained_.holds = !seen.retry_after && !concurrency_.is_proven() && !paced;
  if (sending.probe && std::exchange(unexplained_.probes, false)) {
    ++unexplained_.rejections;
    doublings_.count = std::max(doublings_.count - 1, 0);
    return false;
  }
  if (first_of(estimators_, [](const auto& one) { return one.is_trying(); })) return false;
  concurrency_.on_unexplained(account_.in_flight().requests + seen.open + 1);
  return concurrency_.is_proven() && !seen.retry_after;
}

void Admission::on_rejected(const Sending& sending, Observation& seen, const ServerClock& clock) {
  ++done_.rejected;
  update_trust(sending, seen);
  const bool current = seen.is_after(phase_.since());
  const bool at_reset = sending.probe && window_.reset() && sending.at >= *window_.reset();
  const bool another_limit = leaves_permits(seen);
  seen.news = window_.on_response(seen, account_, clock, current);
  for_each(estimators_, [&](auto& estimator, std::uint8_t) { estimator.on_response(seen, account_); });
  if (!current) {
    // Sent before the last rejection was known, so this is the same rejection.
    if (seen.retry_after) unexplained_.holds = false;
    if (seen.news != WindowNews::stale && seen.retry_after)
      phase_.prolong(moment(seen.received_at), after(seen.received_at, *seen.retry_after));
    return;
  }
  if (is_unreported(seen) && on_rejected_unreported(sending, seen)) return;
  if (at_reset && seen.news == WindowNews::same && seen.reset) window_.learn_rounded_down();
  if (another_limit) concurrency_.on_rejected(account_.in_flight().requests + seen.open + 1, seen.received_at);
  window_.distrust();
  phase_.close(PhaseEvent::rejected, moment(seen.received_at), end_of_rejection(seen, sending.infers),
               WaitReason::rejected);
}

Instant Admission::end_of_rejection(const Observation& seen, bool infers) noexcept {
  const Instant now = seen.received_at;
  Rejection rejection{.default_wait = seen.default_wait, .retry = seen.retry};
  const auto freed = freed_at(seen, infers, wait_after_rejection(rejection).wait);
  rejection.retry_after = seen.retry_after;
  if (freed) rejection.freed_in = *freed - now;
  rejection.count = doublings_.count + 1;
  rejection.again = doublings_.obeyed;
  if (!seen.retry_after || std::exchange(doublings_.obeyed, true)) ++doublings_.count;
  return after(now, wait_after_rejection(rejection).wait);
}

/// When the permits that a rejection lacked are free, as far as is known.
/// @param least  the first wait after a rejection that reports nothing.
std::optional<Instant> Admission::freed_at(const Observation& seen, bool infers, Duration least) const noexcept {
  const Instant now = seen.received_at;
  // The rejection may be about a window that ends before the reported one.
  const bool own_window = seen.remaining == 0 && seen.reset && seen.news == WindowNews::stale;
  const auto reset = own_window ? std::optional(seen.reset->latest) : window_.reset();
  const bool reset_ahead = reset && *reset > now;
  // With permits left, this window is not used up, so its distant end does not matter.
  const bool another_limit = leaves_permits(seen);
  // No reset frees the permits of a sliding counter.
  const auto at = first_of(estimators_, [](const auto& one) { return one.free_at(); });
  if (reset_ahead && !another_limit && infers && at) return std::min(std::max(*at, after(now, least)), *reset);
  const bool far = reset_ahead && *reset > after(now, std::max(distant, seen.default_wait));
  const bool by_default = another_limit && seen.default_wait > Duration::zero();
  if (reset_ahead && !(another_limit && far) && !by_default) return reset;
  const auto known = first_of(estimators_, [&](const auto& one) { return one.admits_at({}, account_); });
  if (!known || *known <= now) return std::nullopt;
  return std::max(*known, after(now, seen.default_wait));
}

Duration Admission::next_doubling() noexcept { return backoff(unasked, ++doublings_.count, 0); }

std::optional<std::int64_t> Admission::unreported_count() const noexcept {
  return first_of(estimators_, [](const auto& one) { return one.count(); });
}

Forecast Admission::forecast(Instant now, std::int64_t calls, std::int64_t reserve, RouteKey route) const {
  const auto left = window_.left();
  if (!left) return {};
  const std::int64_t requests = std::min(calls, most_forecast) * costs_.of(route);
  if (const auto level = first_of(estimators_, [&](const auto& one) { return one.level(now); })) {
    const std::int64_t there = *level - reserve;
    if (there >= requests) return forecast_windows(requests, there, {}, {}, {});
    auto forecast = forecast_windows(requests, there, window_.limit(), Duration::zero(), Duration::zero());
    const auto at = first_of(estimators_, [&](const auto& one) { return one.refilled_at(requests + reserve); });
    forecast.wait = std::max(at.value_or(now), now) - now;
    return forecast;
  }
  const auto reset = window_.reset();
  const auto resets_in = reset ? std::optional(std::max(*reset - now, Duration::zero())) : std::nullopt;
  const auto limit = window_.limit() ? std::optional(*window_.limit() - reserve) : std::nullopt;
  const std::int64_t here = window_.over(now) ? 0 : *left - reserve - account_.in_flight().cost;
  auto forecast =
      forecast_windows(requests, here, limit, resets_in, reported_period_ ? reported_period_ : window_.period());
  const bool closed = phase_.phase() == Phase::closed && phase_.until() > now;
  if (closed && forecast.wait) forecast.wait = std::max(*forecast.wait, phase_.until() - now);
  return forecast;
}

QuotaReading Admission::reading(Instant now) const {
  QuotaReading reading{.limit = window_.limit(), .remaining = {}, .resets_in = {}};
  const std::optional<Instant> reset = window_.reset();
  if (reset && *reset > now) reading.resets_in = *reset - now;
  if (window_.left() && !window_.over(now) && !window_.distrusted())
    reading.remaining = std::max<std::int64_t>(*window_.left() - account_.in_flight().cost, 0);
  return reading;
}

QuotaSnapshot Admission::snapshot(Instant now) const {
  const QuotaReading read = reading(now);
  return {.limit = read.limit,
          .remaining = read.remaining,
          .resets_in = read.resets_in,
          .in_flight = static_cast<std::size_t>(account_.in_flight().requests - account_.leased()),
          .sent = static_cast<std::uint64_t>(done_.requests),
          .rejected = static_cast<std::uint64_t>(done_.rejected),
          .foreign = static_cast<std::uint64_t>(costs_.foreign())};
}

}}}  // namespace noun::quota
