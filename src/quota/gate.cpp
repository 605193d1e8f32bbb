#include "quota/gate.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <new>
#include <tuple>

namespace noun { inline namespace v0 { namespace quota {
namespace {

using std::chrono::seconds;

/// Bounds the memory if a server keeps reporting new partitions.
constexpr std::size_t most_partitions = 256;
constexpr std::uint8_t format_version = 3;

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

/// The snapshot that binds first: the least remaining. If none is known, the first.
const QuotaSnapshot& strictest(const std::vector<QuotaSnapshot>& all) {
  const auto left = [](const QuotaSnapshot& one) {
    return one.remaining.value_or(std::numeric_limits<std::int64_t>::max());
  };
  return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return left(a) < left(b); });
}

}  // namespace

Permit& Permit::operator=(Permit&& other) noexcept {
  Permit before{std::move(gate_), epoch_, partition_, std::move(sending_)};
  gate_ = std::move(other.gate_);
  epoch_ = other.epoch_;
  partition_ = other.partition_;
  sending_ = std::move(other.sending_);
  return *this;
}

Permit::~Permit() {
  if (gate_) gate_->give_back(epoch_, partition_, sending_);
}

Place::Place(std::shared_ptr<Gate> gate, std::shared_ptr<Waiter> waiter) noexcept
    : gate_(std::move(gate)), waiter_(std::move(waiter)), seen_(waiter_->wakes.load(std::memory_order_relaxed)) {}

Place& Place::operator=(Place&& other) noexcept {
  Place before;
  std::swap(before.gate_, gate_);
  std::swap(before.waiter_, waiter_);
  gate_ = std::move(other.gate_);
  waiter_ = std::move(other.waiter_);
  seen_ = other.seen_;
  return *this;
}

Place::~Place() {
  if (gate_ && waiter_) gate_->leave(*waiter_, std::nullopt);
}

void Place::leave(Instant now) noexcept {
  if (gate_ && waiter_) gate_->leave(*waiter_, now);
  waiter_.reset();
  gate_.reset();
}

WaitingCalls& Gate::queue_of(std::size_t partition) {
  while (queues_.size() <= partition) queues_.emplace_back();
  return queues_[partition];
}

/// Whether only a connection is missing: the quota, which may hold the call for longer, comes first.
bool Gate::lacks_connection(std::size_t partition, Instant now, const QuotaPolicy& policy,
                            const AcquireOptions& options) const {
  return options.ahead.requests >= options.connections - permits_ &&
         state_.partitions[partition].decide(now, policy, options).admitted;
}

Partition::Verdict Gate::decide(std::size_t partition, Instant now, const QuotaPolicy& policy,
                                const AcquireOptions& options) const {
  if (lacks_connection(partition, now, policy, options))
    return {false, after(now, recheck_interval), WaitReason::concurrency};
  return state_.partitions[partition].decide(now, policy, options);
}

/// Wakes the calls that can use what a permit has used: its connection suits a call of any partition.
void Gate::end_permit(std::size_t partition) noexcept {
  if (std::exchange(lacked_connection_, false))
    notify_all();
  else
    notify(partition, latest_);
}

std::variant<Permit, Hold> Gate::acquire(Now now, const QuotaPolicy& policy, const AcquireOptions& options,
                                         Place place) {
  if (place.gate_.get() != this) place = {};  // before the lock: it may belong to another gate, which has its own lock
  const std::lock_guard lock(mutex_);
  latest_ = std::max(latest_, now.steady);
  const auto partition = state_.routes.partition_of(options.route);
  auto& queue = queue_of(partition);
  bool leaves_room = queue.forget_late(now.steady);
  AcquireOptions queued = options;
  if (place.waiter_) {
    Waiter& waiter = *place.waiter_;
    held_for_ += std::max(now.steady - waiter.since, Duration::zero());
    waiter.since = now.steady;
    const bool offered = queues_[waiter.partition].erase(waiter);
    leaves_room = leaves_room || offered;
    if (waiter.partition != partition) {
      notify(std::exchange(waiter.partition, partition), now.steady);
      waiter.place = queue.last_of(options.priority);
    }
    if (!offered) queued.ahead = queue.before(waiter.place);
  } else {
    queued.ahead = queue.before(options.priority);
  }
  state_.routes.on_sent(options.route);
  PartitionSending sending;
  const bool lacks = lacks_connection(partition, now.steady, policy, queued);
  lacked_connection_ = lacked_connection_ || lacks;
  const auto verdict = lacks ? decide(partition, now.steady, policy, queued)
                             : state_.partitions[partition].acquire(now.steady, policy, queued, sending);
  if (verdict.admitted) {
    ++permits_;
    if (std::exchange(place.waiter_, nullptr)) --held_;
    notify(partition, now.steady);
    return Permit(shared_from_this(), epoch_, partition, std::move(sending));
  }
  state_.routes.on_unsent(options.route);
  if (!place.waiter_) {
    auto waiter = std::make_shared<Waiter>();
    woken_.reserve(woken_.size() + held_ + 1);
    waiter->place = queue.last_of(options.priority);
    waiter->since = now.steady;
    waiter->partition = partition;
    place = Place(shared_from_this(), std::move(waiter));
    ++held_;
  }
  Waiter& waiter = *place.waiter_;
  // A call ahead may never acquire again. So each call acquires again by itself, one second later for each call ahead.
  waiter.until = after(verdict.until, queued.ahead.requests * Duration(seconds(1)));
  waiter.policy = policy;
  waiter.options = options;
  waiter.cost = state_.partitions[partition].cost_of(options.route);
  queue.insert(place.waiter_);
  place.seen_ = waiter.wakes.load(std::memory_order_relaxed);
  if (leaves_room) notify(partition, now.steady);
  return Hold{{verdict.until, verdict.reason}, waiter.until, std::move(place)};
}

Earliest Gate::earliest(Now now, const QuotaPolicy& policy, const AcquireOptions& options, const Place& place) const {
  const std::lock_guard lock(mutex_);
  const auto partition = state_.routes.partition_of(options.route);
  AcquireOptions queued = options;
  if (partition < queues_.size()) {
    const auto& queue = queues_[partition];
    if (!place.waiter_)
      queued.ahead = queue.before(options.priority);
    else if (!queue.is_offered(*place.waiter_))
      queued.ahead = queue.before(place.waiter_->place);
  }
  const auto verdict = decide(partition, now.steady, policy, queued);
  const Earliest gate{verdict.admitted ? now.steady : verdict.until, verdict.reason};
  if (!options.rejection) return gate;
  const Rejection& rejection = *options.rejection;
  const auto own = wait_after_rejection(rejection.retry_after, rejection.again, rejection.retry, rejection.count,
                                        rejection.spread);
  // If the gate is known to hold for longer than the call itself, that counts.
  const Instant until = after(rejection.at, own.wait);
  return {is_definite(gate.reason) ? std::max(until, gate.at) : until,
          own.reported ? WaitReason::retry_after : WaitReason::rejected};
}

Gate::Recorded Gate::record(Permit permit, Now received, const Report& reported) {
  bool rejected = reported.outcome == Outcome::rejected;
  if (permit.gate_.get() != this) return {.rejected = rejected};
  Report report = reported;
  const std::shared_ptr<Gate> self = std::move(permit.gate_);
  QuotaNote note = QuotaNote::none;
  {
    const std::lock_guard lock(mutex_);
    if (permit.epoch_ != epoch_) return {.rejected = rejected};
    --permits_;
    const auto routes_before = state_.routes.version();
    latest_ = std::max(latest_, received.steady);
    if (state_.partitions[permit.partition_].takes_as_rejection(permit.sending_, received, reported)) {
      rejected = true;
      report.outcome = Outcome::rejected;
    }
    ++state_.sent;
    if (rejected) ++state_.rejected;
    finish_on_route(permit.sending_.first.route);
    if (!report.reading.partition.empty()) move_to_reported_partition(permit, report.reading.partition);
    note = state_.partitions[permit.partition_].record(permit.sending_, received, report);
    if (rejected && report.reading.everywhere) {
      const auto wait = report.reading.retry_after.value_or(std::max<Duration>(report.default_wait, seconds(1)));
      for (Partition& partition : state_.partitions)
        partition.hold_until(received.steady, after(received.steady, wait));
      notify_all();
    }
    end_permit(permit.partition_);
    if (state_.routes.version() != routes_before) wake_misplaced();
  }
  return {sentence_of(note), rejected};
}

/// Records that a request of the route is no longer in flight.
void Gate::finish_on_route(RouteKey route) noexcept {
  const auto expects = state_.routes.on_done(route);
  if (!expects) return;
  state_.partitions[*expects].expect(-1);
  notify(*expects, latest_);
}

/// Assigns the route to the partition that a response names, together with this request and the others of the route in
/// flight.
void Gate::move_to_reported_partition(Permit& permit, const std::string& name) {
  const RouteKey route = permit.sending_.first.route;
  const auto partition = partition_named(name);
  if (!partition) return;
  const bool elsewhere = *partition != permit.partition_;
  if (const auto moved = state_.routes.learn(route, *partition, elsewhere); moved > 0)
    state_.partitions[*partition].expect(moved);
  if (!elsewhere) return;
  const Instant sent = permit.sending_.first.at;
  state_.partitions[permit.partition_].release(permit.sending_);
  notify(permit.partition_, latest_);
  permit.partition_ = *partition;
  permit.sending_ = state_.partitions[*partition].adopt(sent, route);
}

std::optional<std::size_t> Gate::partition_named(const std::string& name) {
  auto& partitions = state_.partitions;
  // The initial partition, which has no name, takes the first reported name.
  if (partitions.size() == 1 && partitions.front().name().empty()) partitions.front().rename(name);
  const auto found =
      std::find_if(partitions.begin(), partitions.end(), [&](const auto& one) { return one.name() == name; });
  if (found != partitions.end()) return static_cast<std::size_t>(found - partitions.begin());
  if (partitions.size() == most_partitions) return std::nullopt;
  partitions.emplace_back(name);
  return partitions.size() - 1;
}

void Gate::give_back(std::uint32_t epoch, std::size_t partition, const PartitionSending& sending) noexcept {
  const std::lock_guard lock(mutex_);
  if (epoch != epoch_) return;
  --permits_;
  finish_on_route(sending.first.route);
  state_.partitions[partition].release(sending);
  end_permit(partition);
}

void Gate::leave(Waiter& waiter, std::optional<Instant> now) noexcept {
  const std::lock_guard lock(mutex_);
  if (now) held_for_ += std::max(*now - waiter.since, Duration::zero());
  queues_[waiter.partition].erase(waiter);
  --held_;
  notify(waiter.partition, now.value_or(latest_));
}

/// Wakes the calls that may be sent now, in order. If none may, wakes the first one if it can be sent earlier than it
/// knows.
void Gate::notify(std::size_t partition, Instant now) noexcept try {
  if (partition >= queues_.size()) return;
  auto& queue = queues_[partition];
  queue.forget_late(now);
  while (!queue.empty()) {
    Waiter& first = *queue.first();
    AcquireOptions options = first.options;
    options.ahead = queue.offered();
    const auto verdict = decide(partition, now, first.policy, options);
    if (verdict.admitted) {
      raise(queue.offer_first(now));
      continue;
    }
    lacked_connection_ = lacked_connection_ || lacks_connection(partition, now, first.policy, options);
    // At the concurrency limit, a response wakes the call, not a timer.
    if (queue.offered().requests == 0 && verdict.reason != WaitReason::concurrency && verdict.until < first.until) {
      first.until = verdict.until;
      raise(queue.first());
    }
    return;
  }
} catch (const std::bad_alloc&) {
  // Out of memory: the calls acquire again by themselves, only later.
}

void Gate::notify_all() noexcept {
  for (std::size_t partition = 0; partition < queues_.size(); ++partition) notify(partition, latest_);
}

/// Routes have moved to another partition. Calls in the wrong queue acquire again, which puts them into the right one.
void Gate::wake_misplaced() noexcept {
  for (const auto& queue : queues_)
    queue.for_each([&](const std::shared_ptr<Waiter>& waiter) {
      if (state_.routes.partition_of(waiter->options.route) != waiter->partition) raise(waiter);
    });
}

/// Does not allocate: acquire() has reserved the space.
void Gate::raise(const std::shared_ptr<Waiter>& waiter) noexcept {
  waiter->wakes.fetch_add(1, std::memory_order_release);
  if (std::exchange(waiter->in_woken, true)) return;
  woken_.push_back(waiter);
  any_woken_.store(true, std::memory_order_release);
}

std::vector<std::shared_ptr<const WakeCounter>> Gate::take_woken() {
  std::vector<std::shared_ptr<const WakeCounter>> counters;
  if (!any_woken_.load(std::memory_order_acquire)) return counters;
  const std::lock_guard lock(mutex_);
  counters.reserve(woken_.size());
  for (const auto& waiter : woken_) {
    waiter->in_woken = false;
    counters.emplace_back(waiter, &waiter->wakes);
  }
  woken_.clear();
  any_woken_.store(false, std::memory_order_release);
  return counters;
}

QuotaSnapshot Gate::snapshot(Now now) const {
  const std::lock_guard lock(mutex_);
  std::vector<QuotaSnapshot> all;
  std::size_t in_flight = 0;
  for (const Partition& partition : state_.partitions) {
    auto policies = partition.snapshots(now.steady);
    in_flight += policies.front().in_flight;
    std::move(policies.begin(), policies.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return std::tie(left.partition, left.policy) < std::tie(right.partition, right.policy);
  });
  QuotaSnapshot snapshot = strictest(all);
  snapshot.in_flight = in_flight;
  snapshot.held = held_;
  snapshot.sent = state_.sent;
  snapshot.rejected = state_.rejected;
  snapshot.held_for = held_for_;
  snapshot.partitions = std::move(all);
  return snapshot;
}

Forecast Gate::forecast(Now now, RouteKey route, std::int64_t calls, std::int64_t reserve) const {
  const std::lock_guard lock(mutex_);
  return state_.partitions[state_.routes.partition_of(route)].forecast(now.steady, calls, reserve, route);
}

Gate::RouteReading Gate::reading(Now now, RouteKey route) const {
  const std::lock_guard lock(mutex_);
  const Partition& partition = state_.partitions[state_.routes.partition_of(route)];
  const auto [quota, policy] = partition.reading(now.steady);
  return {quota, label_of(partition.name(), policy)};
}

std::string Gate::save(Instant now) const {
  const std::lock_guard lock(mutex_);
  StateWriter writer(now);
  writer(format_version, state_);
  return writer.take();
}

bool Gate::load(std::string_view bytes, Instant now, InFlight in_flight) {
  State state;
  std::uint8_t version = 0;
  StateReader reader(bytes, now);
  reader(version);
  if (!reader.ok() || version != format_version) return false;
  reader(state);
  const auto& partitions = state.partitions;
  if (!reader.ok() || !reader.at_end() || partitions.size() > most_partitions) return false;
  if (!state.routes.fit(partitions.size()) ||
      !std::all_of(partitions.begin(), partitions.end(), [](const Partition& one) { return one.is_whole(); }))
    return false;
  const std::lock_guard lock(mutex_);
  if (in_flight == InFlight::is_lost) {
    for (Partition& partition : state.partitions) partition.abandon_in_flight(now);
    state.routes.forget_in_flight();
    ++epoch_;
    permits_ = 0;
  } else if (partitions.size() < state_.partitions.size()) {
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
