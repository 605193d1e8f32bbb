#include "quota/sharing.hpp"

#include <algorithm>

#include "quota/at_end.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Between the processes that may send a probe: the first of them sends it.
constexpr Duration turn_length = std::chrono::milliseconds(2);
constexpr std::int64_t most_turns = 50;
/// Steps that are not stored yet: more are stored at once.
constexpr std::size_t most_steps = 512;
/// While the store is unavailable, the oldest steps are forgotten: later responses correct what they change.
constexpr std::size_t most_steps_alone = 4096;

/// What others hold was left for them, and what they used may be in the last report already. None is held back to
/// measure a reset: the stored state has done so.
Allowance to_spend(const Partition& partition, std::int64_t tokens, std::int64_t cost) noexcept {
  return {.leased = partition.leased() - tokens + cost, .most_kept = 0};
}

/// By what permits are leased for such calls, or those of this process are spent.
struct Leasing {
  Ask ask;
  Allowance allowance;

  /// @param wanted  permits that others want.
  Leasing(const Waiting& waiting, const Partition& partition, std::int64_t tokens, std::int64_t wanted) noexcept
      : ask(waiting.ask),
        allowance(tokens < waiting.least() ? as_planned : to_spend(partition, tokens, waiting.cost)) {
    ask.patient_until = waiting.patient_until;
    ask.demand = std::nullopt;
    if (waiting.all_demand) ask.demand = wanted + std::max(sum_of(waiting.demand), sum_of(waiting.calls));
  }
};

/// The calls that wait for the partition.
const Waiting& waiting_for(const std::vector<Waiting>& all, std::size_t partition) noexcept {
  static const Waiting nobody;
  return partition < all.size() ? all[partition] : nobody;
}

}  // namespace

Sharing::Way Sharing::way_of(const Partition& partition, const Pool& own, Instant now, const QuotaPolicy& policy,
                             const Ask& ask, const Allowance& asked) const {
  using By = Way::By;
  const bool alone = is_alone();
  if (!known_ && !alone) return {.verdict = wait_for_share(now)};
  const bool expired = has_expired(now);
  const bool is_first = asked.ahead.requests == 0;
  const bool has_special = own.has_special() && own.special->first.route == ask.route;
  if (has_special && !expired && is_first) return {.by = By::special, .verdict = {.admitted = true}};
  if (!partition.is_counted()) return {.by = By::partition, .allowance = asked};
  if (const auto cost = partition.cost_of(ask.route); own.tokens() >= cost + asked.ahead.cost && !expired) {
    Way way{.by = By::permits, .allowance = to_spend(partition, own.tokens(), cost), .cost = cost};
    way.allowance.plain_only = way.allowance.may_guess = !alone;
    way.allowance.open = asked.open;
    return way;
  }
  // A process alone makes no guesses and no measurements.
  Way way{.allowance = alone ? Allowance{.most_kept = 0, .may_guess = false} : as_planned};
  way.allowance.ahead = asked.ahead;
  way.allowance.open = asked.open;
  const Verdict known = way.verdict = partition.decide(now, policy, ask, way.allowance);
  way.unavailable = alone && rules_.fails_alone;
  if (!alone || way.unavailable) {
    // What others hold counts as in flight.
    const bool others = known.reason == WaitReason::concurrency && partition.leased() > own.tokens();
    if (known.admitted || others) way.verdict = wait_for_share(now);
  } else if (!known.admitted || (known.special && is_first)) {
    way.by = By::partition;
  } else if (!known.special && own.may_take_share(now)) {
    way.by = By::share;
  } else {
    way.verdict = wait_for_share(now);
  }
  return way;
}

Verdict Sharing::decide(const QuotaState& copy, std::size_t index, Instant now, const QuotaPolicy& policy,
                        const Ask& ask, const Allowance& asked) const {
  const Partition& partition = copy.partitions[index];
  const Way way = way_of(partition, wallet_.of(index), now, policy, ask, asked);
  const bool decides = way.by == Way::By::partition || way.by == Way::By::permits;
  return decides ? partition.decide(now, policy, ask, way.allowance) : way.verdict;
}

Sharing::Acquired Sharing::acquire(QuotaState& copy, std::size_t index, Instant now, const QuotaPolicy& policy,
                                   const Ask& ask, const Allowance& asked) {
  using By = Way::By;
  Partition& partition = copy.partitions[index];
  Pool& own = wallet_.of(index);
  Way way = way_of(partition, own, now, policy, ask, asked);
  if (way.by == By::share) {
    take_share(partition, own, now, policy, ask, way.allowance);
    way = way_of(partition, own, now, policy, ask, asked);
  }
  journal_.reserve();
  Acquired acquired{.verdict = way.verdict, .unavailable = way.unavailable};
  Flight flight{.partition = index, .cost = way.cost, .special = way.by == By::special};
  if (way.by == By::special) {
    flight.sending = *std::exchange(own.special, std::nullopt);
    flight.sending.first.at = now;
    copy.routes.on_unsent(ask.route);  // it was counted when the probe was leased
  } else if (way.by != By::nothing) {
    acquired.verdict = partition.acquire(now, policy, ask, flight.sending, way.allowance);
  }
  if (!acquired.verdict.admitted) {
    changed_ = changed_ || way.by != By::partition || is_alone();
    return acquired;
  }
  if (way.cost > 0) partition.end_lease(way.cost);
  own.take(now, way.cost, ask);
  changed_ = changed_ || own.tokens() == own.taken / 2;
  acquired.flight = journal_.send(std::move(flight));
  return acquired;
}

/// Without the store, a process spends its share of what it knows to remain.
void Sharing::take_share(Partition& partition, Pool& own, Instant now, const QuotaPolicy& policy, const Ask& ask,
                         const Allowance& allowance) {
  const auto holders =
      std::count_if(holders_.begin(), holders_.end(), [](const Holder& one) { return !one.leases.empty(); });
  const std::int64_t available = partition.available(now, policy, ask, std::int64_t{1} << 40, allowance);
  std::int64_t share = available / std::max<std::int64_t>(holders, 1);
  // Without a request now and then, it would never know of more.
  if (std::exchange(own.alone_since, now) != Instant::min())
    share = std::max(share, std::min<std::int64_t>(available, 1));
  own.leased = std::max(own.leased, own.used) + share;
  partition.lease(now, share);
}

QuotaState::Recorded Sharing::record(QuotaState& copy, std::uint64_t number,
                                     std::pair<std::size_t, std::size_t>& partition, Now received, Report&& report) {
  Flight& one = journal_.flight(number);
  partition = {one.partition, one.partition};
  const Partition& on = copy.partitions[one.partition];
  const bool was_counted = on.is_counted();
  const Phase before = on.phase();
  changed_ = changed_ || journal_.unreported_since() == Instant::max();
  Report& kept = one.result.emplace(received, std::move(report)).second;
  // It is stored even if memory runs out now.
  journal_.record(number);
  const auto recorded = [&] {
    const AtEnd restore([&kept, outcome = kept.outcome]() noexcept { kept.outcome = outcome; });
    return copy.record(partition.second, one.sending, received, kept);
  }();
  if (!kept.is_counted() && !recorded.rejected && one.cost > 0) {
    // Nothing was counted, so this process may spend the permits again.
    wallet_.of(one.partition).used -= one.cost;
    copy.partitions[one.partition].lease(received.steady, std::exchange(one.cost, 0));
    changed_ = true;
  }
  const Partition& now_on = partition.first == partition.second ? on : copy.partitions[partition.second];
  if (before != Phase::open && now_on.phase() == Phase::open)
    wallet_.of(partition.second).alone_since = Instant::min();
  urgent_ = urgent_ || one.special || recorded.rejected || partition.first != partition.second ||
            before != now_on.phase() || was_counted != now_on.is_counted() || now_on.limits_in_flight();
  changed_ = changed_ || urgent_ || journal_.size() >= most_steps;
  if (is_alone() && !is_swapping() && journal_.size() > most_steps_alone) {
    // What this process may spend stays.
    journal_.forget(most_steps_alone / 2, [this](const Flight& flight) {
      wallet_.of(flight.partition).leased -= flight.cost;
      wallet_.end(flight);
    });
    proposal_.reset();
  }
  return recorded;
}

std::size_t Sharing::release(QuotaState& copy, std::uint64_t number) noexcept {
  Flight one = journal_.take(number);
  Pool& own = wallet_.of(one.partition);
  own.used -= one.cost;
  if (one.special) {
    own.special = std::move(one.sending);
  } else {
    copy.release(one.partition, one.sending);
    if (one.cost > 0) copy.partitions[one.partition].lease(one.sending.first.at, one.cost);
  }
  changed_ = true;
  return one.partition;
}

Due Sharing::due(const QuotaState& copy, const std::vector<Waiting>& waiting, Instant now) {
  Due due;
  if (leaving_since_) leaving_since_ = std::min(*leaving_since_, now);
  // What a process does not return expires with its leases.
  left_ = left_ || (leaving_since_ && now >= after(*leaving_since_, rules_.lease));
  if (left_) return due;
  if (is_leaving() || urgent_ || !known_ || journal_.size() >= most_steps) due.swap_at = now;
  const auto swap_by = [&](Instant at) { due.swap_at = std::min(due.swap_at, at); };
  const Instant unreported_since = journal_.unreported_since();
  const bool unreported = unreported_since != Instant::max();
  if (unreported) swap_by(after(unreported_since, rules_.lease / 3));
  if (journal_.has_flights() || !wallet_.is_empty()) swap_by(wallet_.refresh_at());
  for (std::size_t index = 0; index < wallet_.pools().size(); ++index) {
    Pool& own = wallet_.of(index);
    const Waiting& here = waiting_for(waiting, index);
    const Partition& partition = copy.partitions[index];
    due.watches |= here.any || (!partition.is_counted() && after(own.taken_at, std::chrono::seconds(1)) > now);
    const bool lacks = here.any && (own.tokens() < here.least() || has_expired(now));
    // Nobody spends a permit while a probe is due.
    const Leasing terms(here, partition, own.tokens(), here.any ? wanted_by_others(holders_, rules_.id, index) : 0);
    const auto verdict = here.any ? partition.decide(now, here.policy, terms.ask, terms.allowance) : Verdict{};
    const bool special = verdict.admitted && verdict.special;
    if (!own.special && (lacks || special)) {
      own.turn_since = special ? std::min(own.turn_since, now) : Instant::max();
      // Until a process reports what it used, that may count twice.
      Instant at = unreported || verdict.admitted ? now : verdict.until;
      if (special) at = after(own.turn_since, std::min(turn_of(holders_, rules_.id), most_turns) * turn_length);
      if (sum_of(own.wanted(here)) > 2 * own.registered) at = now;
      swap_by(std::max(at, own.not_before));
    } else if (here.is_idle() && (own.tokens() > 0 || own.registered > 0 || unreported)) {
      if (own.is_low() && partition.decide(now, {}, {.priority = own.last.priority}).admitted)
        swap_by(std::max(now, own.not_before));
      swap_by(own.idle_at());
    } else if (own.has_needless_special(here)) {
      swap_by(now);
    }
  }
  due.swap_at = std::max(due.swap_at, pace_.swap_after());
  due.between_reads = pace_.between_reads(holders_.size());
  due.limit = store_.limit(now, is_leaving());
  if (!store_.is_failing()) return due;
  // It tries again, whatever is due.
  due.swap_at = std::max(now, store_.retry_at());
  due.watches = false;
  return due;
}

/// Moves pools and flights to the partitions of the same names.
void Sharing::rename_partitions(QuotaState& to, const QuotaState& from) {
  const auto moved = to.places_of(from);
  if (!moved) return;
  wallet_.rename(*moved, to.partitions.size());
  journal_.rename(*moved);
}

std::optional<std::string> Sharing::propose(std::string_view stored, QuotaState& copy,
                                            const std::vector<Waiting>& waiting, Now now, Duration store_offset,
                                            std::int64_t& expired) {
  withdraw();
  proposal_.reset();
  auto read = SharedState::read(stored, store_offset);
  if (!read) return std::nullopt;
  SharedState& state = *read;
  // Its partitions are in another order than the copy's.
  if (!state.quota.is_in_order_of(copy)) observe(stored, copy, now.steady, store_offset);
  if (Holder* const self = state.find(rules_.id)) self->until = Instant::max();
  expired = state.expire(now);
  rename_partitions(state.quota, copy);
  const std::vector<std::int64_t> flying = journal_.repeat_as_leases(state);
  state.join(rules_.id);
  for (std::size_t index = 0; index < wallet_.pools().size(); ++index) {
    Pool& own = wallet_.of(index);
    Partition& partition = state.quota.partitions[index];
    const Waiting& here = waiting_for(waiting, index);
    own.returning = is_leaving() || (here.is_idle() && own.idle_at() <= now.steady);
    Lease& lease = state.find(rules_.id)->lease_of(index);
    lease.permits = flying[index] + (own.returning ? 0 : std::max<std::int64_t>(lease.permits - own.used, 0));
    lease.wanted = own.returning ? Wanted{} : own.wanted(here);
    lease.least = here.any ? std::max<std::int64_t>(here.least() - own.tokens(), 0) : 0;
    partition.lease(now.steady, lease.permits);
    own.returns_special = own.has_needless_special(here) && state.return_special(rules_.id, index);
    if (is_leaving()) {
      partition.lose_lease(now.steady, flying[index]);
      continue;
    }
    plan_measurement(state, index, here, lease.permits - flying[index], now.steady);
    // Others may wait for what this process returned or reported.
    state.divide(index, now.steady, here.policy, here.patient_until, rules_.lease);
    // Only who waits is notified of a change.
    if (!here.any) state.find(rules_.id)->lease_of(index).wanted = {};
    if (here.any && (!own.special || own.returns_special)) lease_special(state, index, here, flying[index], now.steady);
  }
  if (is_leaving()) {
    state.lose_specials(rules_.id, now);
    state.leave(rules_.id);
  } else {
    state.renew(rules_.id, now.steady, rules_.lease);
  }
  std::string bytes = state.write(now, store_offset);
  proposal_ = Proposal{std::move(state), std::exchange(urgent_, false)};
  journal_.propose();
  return bytes;
}

/// Plans when one of the last permits is sent to measure the reset. Until then they are held back: whether a process
/// wakes at that instant or later, it knows the same one.
void Sharing::plan_measurement(SharedState& state, std::size_t index, const Waiting& waiting, std::int64_t permits,
                               Instant now) const {
  // The request would be late by the operations that lease it.
  if (is_slow()) return;
  Partition& partition = state.quota.partitions[index];
  Leasing terms(waiting, partition, permits, wanted_by_others(state.holders, rules_.id, index));
  terms.allowance.plans = true;
  if (!waiting.any) terms.ask.demand.reset();
  PartitionSending none;
  if (partition.decide(now, waiting.policy, terms.ask, terms.allowance).reason == WaitReason::reset_probe)
    partition.acquire(now, waiting.policy, terms.ask, none, terms.allowance);
}

/// Takes the special lease if a probe, a guess or a measurement is due, or applies why nobody may send.
void Sharing::lease_special(SharedState& state, std::size_t index, const Waiting& waiting, std::int64_t flying,
                            Instant now) {
  PartitionSending sending;
  Partition& partition = state.quota.partitions[index];
  const std::int64_t permits = state.find(rules_.id)->lease_of(index).permits - flying;
  const Leasing terms(waiting, partition, permits, wanted_by_others(state.holders, rules_.id, index));
  const auto decided = partition.decide(now, waiting.policy, terms.ask, terms.allowance);
  if (!decided.special && (decided.admitted || permits >= waiting.least())) return;
  const auto verdict = partition.acquire(now, waiting.policy, terms.ask, sending, terms.allowance);
  if (!verdict.admitted) return;
  ++state.find(rules_.id)->received;
  state.quota.routes.on_sent(terms.ask.route);
  state.specials.push_back({rules_.id, static_cast<std::uint32_t>(index), std::move(sending)});
}

void Sharing::withdraw() noexcept {
  if (proposal_) urgent_ = urgent_ || proposal_->urgent;
  wallet_.withdraw();
}

void Sharing::refused(Instant now, bool collided, Duration took) noexcept {
  withdraw();
  proposal_.reset();
  store_.on_available();
  // A swap that fails costs a slow store nothing, and the next one may be carried out after one exchange.
  if (collided && !is_slow()) pace_.on_collision(now, took, holders_.size());
}

void Sharing::committed(QuotaState& copy, Instant now) {
  if (!is_swapping()) return;
  store_.on_swap();
  pace_.on_swap();
  wallet_.on_swap(now);
  left_ = proposal_->state.find(rules_.id) == nullptr;
  SharedState state = std::move(proposal_->state);
  forget_proposed();
  adopt(std::move(state), copy, now);
}

bool Sharing::observe(std::string_view stored, QuotaState& copy, Instant now, Duration store_offset) {
  auto state = SharedState::read(stored, store_offset);
  if (!state) return false;
  const bool in_order = state->quota.is_in_order_of(copy);
  rename_partitions(state->quota, copy);
  const auto swaps_in = [&](SharedState& one) {
    const Holder* const self = one.find(rules_.id);
    return self == nullptr ? 0 : self->swaps;
  };
  const bool doubtful = proposal_ && proposal_->doubtful;
  const bool carried_out = doubtful && swaps_in(*state) == swaps_in(proposal_->state);
  if (carried_out) {
    forget_proposed();
    store_.on_available();
  }
  if (doubtful) proposal_.reset();
  store_.on_read();
  // Alone, a process goes on with what it knows until it can swap.
  if (is_alone() && known_ && in_order) return true;
  pace_.on_vain_read();
  adopt(*std::move(state), copy, now);
  return true;
}

void Sharing::adopt(SharedState state, QuotaState& copy, Instant now) {
  known_ = true;
  wallet_.adopt(state, rules_.id, rules_.lease, journal_);
  journal_.repeat(state);
  for (std::size_t index = 0; index < wallet_.pools().size(); ++index) {
    Pool& own = wallet_.of(index);
    if (own.tokens() > 0) state.quota.partitions[index].lease(now, own.tokens());
    if (own.tokens() == 0 && !own.special) continue;
    pace_.on_useful_read();
    own.pause = {};
    own.not_before = Instant::min();
  }
  copy = std::move(state.quota);
  holders_ = std::move(state.holders);
  changed_ = true;
}

void Sharing::unavailable(Instant now) {
  const bool is_swap = is_swapping();
  withdraw();
  if (proposal_) proposal_->doubtful = true;
  if (store_.on_failure(now, is_swap)) left_ = left_ || is_leaving();
}

}}}  // namespace noun::quota
