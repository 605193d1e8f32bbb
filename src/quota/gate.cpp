#include "quota/gate.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "quota/at_end.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

constexpr std::uint8_t format_version = 12;

std::string sentence_of(QuotaNote note) {
  switch (note) {
    case QuotaNote::none:
    case QuotaNote::end_of_values: break;
    case QuotaNote::implausible_reset:
      return "the reported rate-limit reset is implausible and was ignored: check reset_form in "
             "ClientOptions::dialect.quotas";
    case QuotaNote::no_date:
      return "the response has no usable Date: the rate-limit reset is computed with this machine's clock";
  }
  return {};
}

std::string label_of(const std::string& partition, std::string_view policy) {
  std::string label = partition;
  if (!partition.empty() && !policy.empty()) label += '/';
  return label.append(policy);
}

}  // namespace

Permit::~Permit() {
  if (gate_) gate_->give_back(*this);
}

Place::Place(std::shared_ptr<Gate> gate, std::shared_ptr<Waiter> waiter) noexcept
    : gate_(std::move(gate)), waiter_(std::move(waiter)), seen_(waiter_->wakes.load(std::memory_order_relaxed)) {}

Place::~Place() {
  if (gate_ && waiter_) gate_->leave(*waiter_, std::nullopt);
}

void Place::wake_through(const std::shared_ptr<Sleeper>& sleeper, std::uint64_t number) noexcept {
  if (waiter_) gate_->wake_through(*waiter_, sleeper, number);
}

void Place::leave(Instant now) noexcept {
  if (gate_ && waiter_) gate_->leave(*waiter_, now);
  waiter_.reset();
  gate_.reset();
}

/// The quota, which may hold the call for longer, comes before the connections.
Verdict Gate::decide(std::size_t partition, Instant now, const QuotaPolicy& policy, const Ask& ask,
                     const Sums& ahead) const {
  const Allowance asked{.ahead = ahead, .open = open_on(partition)};
  const Verdict verdict = sharing_ ? sharing_->decide(state_, partition, now, policy, ask, asked)
                                   : state_.partitions[partition].decide(now, policy, ask, asked);
  if (!verdict.admitted || !may_lack_connection(ask, ahead)) return verdict;
  return {.until = after(now, recheck_interval), .reason = WaitReason::concurrency, .lacks_connection = true};
}

/// Wakes the calls that can use what a permit has used: its connection suits a call of any partition.
void Gate::end_permit(std::size_t partition) noexcept {
  if (std::exchange(lacked_connection_, false))
    notify_all();
  else
    notify(partition, latest_);
}

std::variant<Permit, Hold> Gate::acquire(Now now, const QuotaPolicy& policy, const Ask& ask, Place place) {
  if (place.gate_.get() != this) place = {};  // before the lock: it may belong to another gate, which has its own lock
  const std::lock_guard lock(mutex_);
  latest_ = std::max(latest_, now.steady);
  const auto partition = state_.routes.partition_of(ask.route);
  auto& queue = queue_of(partition);
  bool leaves_room = queue.forget_late(now.steady);
  Sums ahead;
  if (place.waiter_) {
    Waiter& waiter = *place.waiter_;
    held_for_ += std::max(now.steady - waiter.since, Duration::zero());
    waiter.since = now.steady;
    const bool offered = queues_[waiter.partition].erase(waiter);
    leaves_room = leaves_room || offered;
    if (waiter.partition != partition) {
      notify(std::exchange(waiter.partition, partition), now.steady);
      waiter.place = queue.last_of(ask.priority);
    }
    if (!offered) ahead = queue.before(waiter.place);
  } else {
    ahead = queue.before(ask.priority);
  }
  PartitionSending sending;
  Sharing::Acquired shared;
  Verdict verdict;
  state_.routes.on_sent(ask.route);
  const AtEnd unsend([&]() noexcept {
    if (!verdict.admitted) state_.routes.on_unsent(ask.route);
  });
  if (may_lack_connection(ask, ahead)) verdict = decide(partition, now.steady, policy, ask, ahead);
  if (verdict.lacks_connection) {
    lacked_connection_ = true;
  } else if (sharing_) {
    shared = sharing_->acquire(state_, partition, now.steady, policy, ask,
                               {.ahead = ahead, .open = open_on(partition)});
    verdict = shared.verdict;
  } else {
    verdict = state_.partitions[partition].acquire(now.steady, policy, ask, sending,
                                                   {.ahead = ahead, .open = open_on(partition)});
  }
  if (verdict.admitted) {
    ++permits_;
    if (std::exchange(place.waiter_, nullptr)) --held_;
    notify(partition, now.steady);
    wake_driver();
    return Permit(shared_from_this(), {epoch_, partition, std::move(sending), shared.flight});
  }
  if (!place.waiter_) {
    auto waiter = std::make_shared<Waiter>();
    woken_.reserve(woken_.size() + held_ + 2);
    waiter->place = queue.last_of(ask.priority);
    waiter->since = now.steady;
    waiter->partition = partition;
    place = Place(shared_from_this(), std::move(waiter));
    ++held_;
  }
  Waiter& waiter = *place.waiter_;
  // A call ahead may never acquire again. So each call acquires again by itself, one second later for each call ahead.
  waiter.until = after(verdict.until, ahead.requests * Duration(seconds(1)));
  waiter.expects_share = verdict.reason == WaitReason::share;
  waiter.policy = policy;
  waiter.ask = ask;
  waiter.cost = state_.partitions[partition].cost_of(ask.route);
  queue.insert(place.waiter_);
  place.seen_ = waiter.wakes.load(std::memory_order_relaxed);
  if (leaves_room) notify(partition, now.steady);
  wake_driver();
  return Hold{{verdict.until, verdict.reason}, waiter.until, std::move(place),
              shared.unavailable ? std::optional(store_fault_) : std::nullopt};
}

Earliest Gate::earliest(Now now, const QuotaPolicy& policy, const Ask& ask, const Place& place) const {
  const std::lock_guard lock(mutex_);
  const auto partition = state_.routes.partition_of(ask.route);
  Sums ahead;
  if (partition < queues_.size()) {
    const auto& queue = queues_[partition];
    if (!place.waiter_)
      ahead = queue.before(ask.priority);
    else if (!queue.is_offered(*place.waiter_))
      ahead = queue.before(place.waiter_->place);
  }
  const auto verdict = decide(partition, now.steady, policy, ask, ahead);
  return {verdict.admitted ? now.steady : verdict.until, verdict.reason};
}

Earliest Gate::earliest(Now now, const QuotaPolicy& policy, const Ask& ask, const Rejection& rejection) const {
  const Earliest gate = earliest(now, policy, ask);
  const auto own = wait_after_rejection(rejection);
  // If the gate is known to hold for longer than the call itself, that counts.
  const Instant until = after(now.steady, own.wait);
  return {is_definite(gate.reason) ? std::max(until, gate.at) : until,
          own.reported ? WaitReason::retry_after : WaitReason::rejected};
}

Gate::Recorded Gate::record(Permit permit, Now received, Report report) {
  if (permit.gate_.get() != this || permit.taken_.is_open) return {.rejected = report.outcome == Outcome::rejected};
  const std::shared_ptr<Gate> self = std::move(permit.gate_);
  return record(permit.taken_, received, std::move(report), false);
}

Gate::Recorded Gate::record_head(Permit& permit, Now received, Report report) {
  return record(permit.taken_, received, std::move(report), true);
}

Gate::Recorded Gate::record(Permit::Taken& taken, Now received, Report&& report, bool stays_open) {
  QuotaState::Recorded recorded;
  {
    const std::lock_guard lock(mutex_);
    if (taken.epoch != epoch_) return {.rejected = report.outcome == Outcome::rejected};
    const auto routes_before = state_.routes.version();
    latest_ = std::max(latest_, received.steady);
    std::pair<std::size_t, std::size_t> partitions{taken.partition, taken.partition};
    auto& admitted_on = partitions.first;
    auto& counted_on = partitions.second;
    const bool everywhere = report.everywhere;
    // The response may create a partition. After it nothing may fail.
    if (stays_open) open_.resize(std::max(open_.size(), state_.partitions.size() + 1));
    report.open = open_on(counted_on);
    const AtEnd end([&]() noexcept {
      if (stays_open) {
        taken.partition = counted_on;
        taken.is_open = true;
        ++open_[counted_on];
      } else {
        --permits_;
      }
      if (recorded.rejected && everywhere) notify_all();
      if (recorded.expected_less) notify(*recorded.expected_less, latest_);
      if (admitted_on != counted_on) notify(admitted_on, latest_);
      end_permit(counted_on);
      if (state_.routes.version() != routes_before) wake_misplaced();
      wake_driver();
    });
    recorded = sharing_ ? sharing_->record(state_, taken.flight, partitions, received, std::move(report))
                        : state_.record(counted_on, taken.sending, received, report);
  }
  return {sentence_of(recorded.note), recorded.rejected};
}

void Gate::give_back(const Permit& permit) noexcept {
  const std::lock_guard lock(mutex_);
  if (permit.taken_.epoch != epoch_) return;
  --permits_;
  if (permit.taken_.is_open) {
    --open_[permit.taken_.partition];
    return end_permit(permit.taken_.partition);
  }
  if (sharing_) {
    end_permit(sharing_->release(state_, permit.taken_.flight));
    return wake_driver();
  }
  if (const auto less = state_.release(permit.taken_.partition, permit.taken_.sending)) notify(*less, latest_);
  end_permit(permit.taken_.partition);
}

void Gate::leave(Waiter& waiter, std::optional<Instant> now) noexcept {
  const std::lock_guard lock(mutex_);
  if (now) held_for_ += std::max(*now - waiter.since, Duration::zero());
  queues_[waiter.partition].erase(waiter);
  --held_;
  notify(waiter.partition, now.value_or(latest_));
  wake_driver();
}

/// Wakes the calls that may be sent now, in order. If none may, wakes the first one if it can be sent earlier than it
/// knows.
void Gate::notify(std::size_t partition, Instant now) noexcept try {
  if (partition >= queues_.size()) return;
  auto& queue = queues_[partition];
  queue.forget_late(now);
  while (!queue.empty()) {
    Waiter& first = *queue.first();
    const Sums ahead = queue.offered();
    const auto verdict = decide(partition, now, first.policy, first.ask, ahead);
    if (verdict.admitted) {
      raise(queue.offer_first(now));
      continue;
    }
    lacked_connection_ = lacked_connection_ || verdict.lacks_connection;
    // At the concurrency limit, a response wakes the call, not a timer, unless a reset may come first. Calls that cannot
    // wait end if no share comes.
    const bool is_news = first.expects_share && is_definite(verdict.reason);
    const bool by_time = verdict.reason != WaitReason::concurrency || verdict.may_reset;
    const bool is_sooner = by_time && verdict.until < first.until;
    if (ahead.requests == 0 && (is_news || is_sooner)) {
      first.until = std::min(first.until, verdict.until);
      raise(queue.first());
    }
    if (is_news)
      queue.for_each([&](const std::shared_ptr<Waiter>& waiter) {
        if (waiter->patient_until() < verdict.until) raise(waiter);
      });
    return;
  }
} catch (const std::bad_alloc&) {
  // Out of memory: the calls acquire again by themselves, only later.
}

/// Routes have moved to another partition. Calls in the wrong queue acquire again, which puts them into the right one.
void Gate::wake_misplaced() noexcept {
  for (const auto& queue : queues_)
    queue.for_each([&](const std::shared_ptr<Waiter>& waiter) {
      if (state_.routes.partition_of(waiter->ask.route) != waiter->partition) raise(waiter);
    });
}

void Gate::wake_through(Wakeable& waiting, const std::shared_ptr<Sleeper>& sleeper, std::uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  waiting.sleeper = sleeper;
  waiting.number = number;
}

void Gate::wake(const std::vector<std::shared_ptr<Wakeable>>& others) noexcept try {
  if (others.empty()) return;
  const std::lock_guard lock(mutex_);
  woken_.reserve(woken_.size() + held_ + 2 + others.size());
  for (const auto& waiting : others) raise(waiting);
} catch (const std::bad_alloc&) {
  // They look again by themselves.
}

/// Does not allocate: acquire() has reserved the space.
void Gate::raise(const std::shared_ptr<Wakeable>& waiter) noexcept {
  waiter->wakes.fetch_add(1, std::memory_order_release);
  if (std::exchange(waiter->in_woken, true)) return;
  woken_.push_back(waiter);
  any_woken_.store(true, std::memory_order_release);
}

std::vector<Gate::Woken> Gate::take_woken() {
  std::vector<Woken> all;
  if (!any_woken_.load(std::memory_order_acquire)) return all;
  const std::lock_guard lock(mutex_);
  all.reserve(woken_.size());
  for (const auto& waiter : woken_) {
    waiter->in_woken = false;
    all.push_back({{waiter, &waiter->wakes}, waiter->sleeper.lock(), waiter->number});
  }
  woken_.clear();
  any_woken_.store(false, std::memory_order_release);
  return all;
}

Duration Gate::since(std::chrono::sys_seconds date, Now now, RouteKey route) const {
  return locked([&] { return state_.partitions[state_.routes.partition_of(route)].since(date, now.steady); });
}

void Gate::share(const SharingRules& rules, const std::weak_ptr<Sleeper>& driver) {
  const std::lock_guard lock(mutex_);
  sharing_.emplace(rules);
  driver_ = std::make_shared<Wakeable>();
  driver_->sleeper = driver;
  woken_.reserve(1);
}

/// The calls that wait, by partition.
std::vector<Waiting> Gate::waiting() const {
  constexpr std::int64_t most = 1'000'000;
  std::vector<Waiting> all(queues_.size());
  for (std::size_t partition = 0; partition < queues_.size(); ++partition) {
    const auto& queue = queues_[partition];
    Waiting& here = all[partition];
    here.offered = queue.offered().cost;
    if (queue.empty()) continue;
    const Waiter& first = *queue.first();
    here.any = true;
    here.policy = first.policy;
    here.ask = first.ask;
    here.cost = first.cost;
    queue.for_each([&](const std::shared_ptr<Waiter>& waiter) {
      const auto rank = static_cast<std::size_t>(waiter->ask.priority);
      here.calls[rank] += waiter->cost;
      here.demand[rank] += waiter->cost * std::clamp<std::int64_t>(waiter->ask.demand.value_or(most), 1, most);
      here.patient_until = std::min(here.patient_until, waiter->patient_until());
      here.all_demand = here.all_demand && waiter->ask.demand;
    });
  }
  return all;
}

/// The state is another: calls may go, or wait on another partition.
void Gate::after_change(Instant now) noexcept {
  latest_ = std::max(latest_, now);
  wake_misplaced();
  notify_all();
  sharing_->take_changed();
}

void Gate::committed(Now now) {
  const std::lock_guard lock(mutex_);
  sharing_->committed(state_, now.steady);
  after_change(now.steady);
}

bool Gate::observe(std::string_view stored, Now now, Duration store_offset) {
  const std::lock_guard lock(mutex_);
  if (!sharing_->observe(stored, state_, now.steady, store_offset)) return false;
  after_change(now.steady);
  return true;
}

void Gate::unavailable(Now now, const std::string& why) {
  const std::lock_guard lock(mutex_);
  store_fault_ = why;
  const bool was_alone = sharing_->is_alone();
  sharing_->unavailable(now.steady);
  const bool becomes_alone = !was_alone && sharing_->is_alone();
  for (const auto& queue : queues_)
    if (becomes_alone) queue.for_each([this](const std::shared_ptr<Waiter>& waiter) { raise(waiter); });
  after_change(now.steady);
}

QuotaSnapshot Gate::snapshot(Now now) const {
  const std::lock_guard lock(mutex_);
  QuotaSnapshot snapshot = state_.snapshot(now.steady);
  snapshot.held = held_;
  snapshot.held_for = held_for_;
  if (sharing_)
    for (const Holder& holder : sharing_->holders()) {
      snapshot.holders.push_back(holder.snapshot(now.steady));
      snapshot.holders.back().is_self = holder.id == sharing_->id();
    }
  return snapshot;
}

Forecast Gate::forecast(Now now, RouteKey route, std::int64_t calls, std::int64_t reserve) const {
  const std::lock_guard lock(mutex_);
  const auto index = state_.routes.partition_of(route);
  const Partition& partition = state_.partitions[index];
  // The state counts the permits of this process as used.
  if (sharing_) calls = std::max<std::int64_t>(calls - sharing_->tokens(index) / partition.cost_of(route), 0);
  return partition.forecast(now.steady, calls, reserve, route);
}

Gate::RouteReading Gate::reading(Now now, RouteKey route) const {
  const std::lock_guard lock(mutex_);
  const Partition& partition = state_.partitions[state_.routes.partition_of(route)];
  const auto [quota, policy] = partition.reading(now.steady);
  return {quota, label_of(partition.name(), policy)};
}

std::string Gate::save(Instant now) const {
  const std::lock_guard lock(mutex_);
  wire::StateWriter writer(now);
  writer(format_version, state_);
  return writer.take();
}

bool Gate::load(std::string_view bytes, Instant now, InFlight in_flight) {
  QuotaState state;
  std::uint8_t version = 0;
  wire::StateReader reader(bytes, now);
  reader(version);
  if (!reader.ok() || version != format_version) return false;
  reader(state);
  if (!reader.ok() || !reader.at_end() || !state.is_whole()) return false;
  const std::lock_guard lock(mutex_);
  if (in_flight == InFlight::is_lost) {
    for (Partition& partition : state.partitions) partition.abandon_in_flight(now);
    state.routes.forget_in_flight();
    ++epoch_;
    permits_ = 0;
    open_.clear();
  } else if (state.partitions.size() < state_.partitions.size()) {
    return false;  // permits store the index of their partition
  }
  state_ = std::move(state);
  if (in_flight == InFlight::is_ours) return true;
  latest_ = std::max(latest_, now);
  wake_misplaced();
  notify_all();
  return true;
}

}}}  // namespace noun::quota
