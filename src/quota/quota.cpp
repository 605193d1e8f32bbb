#include "quota/quota.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace noun { inline namespace v0 {
namespace {

std::string sentence_of(QuotaNote note) {
  switch (note) {
    case QuotaNote::none: break;
    case QuotaNote::implausible_reset:
      return "the service's rate-limit reset cannot be right and was ignored: check the dialect's reset_form";
    case QuotaNote::no_date:
      return "the answer has no usable Date, so the service's rate-limit reset is read by this machine's clock";
  }
  return {};
}

/// A service that names ever new buckets is not to fill memory.
constexpr std::size_t most_buckets = 256;
constexpr Duration shortest_hold = std::chrono::seconds(1);

std::string label_of(const std::string& bucket, std::string_view policy) {
  std::string label = bucket;
  if (!bucket.empty() && !policy.empty()) label += '/';
  return label.append(policy);
}

/// What binds first: the least that is left; where that is not known, the first.
const QuotaSnapshot& strictest(const std::vector<QuotaSnapshot>& all) {
  const auto left = [](const QuotaSnapshot& one) {
    return one.remaining.value_or(std::numeric_limits<std::int64_t>::max());
  };
  return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return left(a) < left(b); });
}

}  // namespace

Permit& Permit::operator=(Permit&& other) noexcept {
  Permit before{std::move(gate_), bucket_, std::move(ticket_)};
  gate_ = std::move(other.gate_);
  bucket_ = other.bucket_;
  ticket_ = std::move(other.ticket_);
  return *this;
}

Permit::~Permit() {
  if (gate_) gate_->give_back(bucket_, ticket_);
}

HeldMark::HeldMark(std::shared_ptr<QuotaGate> gate, Instant since) noexcept : gate_(std::move(gate)), since_(since) {
  gate_->held_.fetch_add(1, std::memory_order_relaxed);
}

HeldMark& HeldMark::operator=(HeldMark&& other) noexcept {
  HeldMark before;
  before.gate_ = std::move(gate_);
  gate_ = std::move(other.gate_);
  since_ = other.since_;
  return *this;
}

HeldMark::~HeldMark() {
  if (gate_) gate_->held_.fetch_sub(1, std::memory_order_relaxed);
}

void HeldMark::end(Instant now) noexcept {
  if (gate_ && now > since_) gate_->held_for_.fetch_add((now - since_).count(), std::memory_order_relaxed);
  *this = {};
}

std::variant<Permit, Hold> QuotaGate::admit(Now now, const QuotaPolicy& policy, const GateAsk& ask) {
  const std::lock_guard lock(mutex_);
  const auto route = routes_.number_of(ask.route);
  const auto place = routes_.bucket_of(route);
  auto decision = buckets_[place].bucket.admit(
      now.steady, policy,
      {.priority = ask.priority, .patient_until = ask.patient_until, .demand = ask.demand, .route = route});
  if (!decision.admitted)
    return Hold{decision.until, decision.reason, WakeTicket{&changes_, changes_.load(std::memory_order_relaxed)},
                HeldMark(shared_from_this(), now.steady)};
  if (under_way_.size() <= route) under_way_.resize(route + 1);
  ++under_way_[route];
  return Permit(shared_from_this(), place, std::move(decision.ticket));
}

std::string QuotaGate::settle(Permit permit, Now sent, Now received, const QuotaAnswer& answer) {
  if (permit.gate_.get() != this) return {};
  const std::shared_ptr<QuotaGate> self = std::move(permit.gate_);
  QuotaNote note = QuotaNote::none;
  {
    const std::lock_guard lock(mutex_);
    ++sent_;
    if (answer.rejected) ++rejected_;
    arrive(permit.ticket_.first.route);
    bool news = move_to_told_bucket(permit, sent.steady, answer);
    news = buckets_[permit.bucket_].bucket.settle(permit.ticket_, sent, received, answer, note) || news;
    if (answer.rejected && answer.reading.everywhere) {
      const auto told = answer.reading.retry_after.value_or(std::max(answer.default_wait, shortest_hold));
      for (Named& named : buckets_) named.bucket.hold_until(after(received.steady, told));
      news = true;
    }
    if (news) changes_.fetch_add(1, std::memory_order_release);
  }
  return sentence_of(note);
}

/// One request of the route is under way no longer.
void QuotaGate::arrive(std::uint32_t route) noexcept {
  --under_way_[route];
  const auto moved = moved_.find(route);
  if (moved == moved_.end()) return;
  buckets_[moved->second.to].bucket.expect(-1);
  if (--moved->second.left == 0) moved_.erase(moved);
}

/// Where an answer names a bucket, its route is counted there from now on, and so is this request.
bool QuotaGate::move_to_told_bucket(Permit& permit, Instant sent, const QuotaAnswer& answer) {
  if (answer.reading.bucket.empty()) return false;
  const auto route = permit.ticket_.first.route;
  const auto place = place_of(answer.reading.bucket);
  if (!place || *place == permit.bucket_) {
    if (place) routes_.learn(route, *place);
    return false;
  }
  learn_route(route, *place);
  buckets_[permit.bucket_].bucket.give_back(permit.ticket_);
  permit.bucket_ = *place;
  permit.ticket_ = buckets_[*place].bucket.adopt(sent, route);
  return true;
}

/// The others of the route that are under way were admitted elsewhere, but are counted here.
void QuotaGate::learn_route(std::uint32_t route, std::size_t to) {
  const bool known = routes_.bucket_of(route) == to;
  routes_.learn(route, to);
  if (route == 0 || known || under_way_[route] == 0 || moved_.contains(route)) return;
  moved_[route] = {to, under_way_[route]};
  buckets_[to].bucket.expect(under_way_[route]);
}

std::optional<std::size_t> QuotaGate::place_of(const std::string& name) {
  // The one bucket that every service has gets the first name that is told.
  if (buckets_.size() == 1 && buckets_.front().name.empty()) buckets_.front().name = name;
  const auto found =
      std::find_if(buckets_.begin(), buckets_.end(), [&](const Named& named) { return named.name == name; });
  if (found != buckets_.end()) return static_cast<std::size_t>(found - buckets_.begin());
  if (buckets_.size() == most_buckets) return std::nullopt;
  buckets_.push_back({name});
  return buckets_.size() - 1;
}

void QuotaGate::give_back(std::size_t bucket, const BucketTicket& ticket) noexcept {
  const std::lock_guard lock(mutex_);
  arrive(ticket.first.route);
  buckets_[bucket].bucket.give_back(ticket);
  changes_.fetch_add(1, std::memory_order_release);
}

QuotaSnapshot QuotaGate::snapshot(Now now) const {
  const std::lock_guard lock(mutex_);
  std::vector<QuotaSnapshot> all;
  std::size_t in_flight = 0;
  for (const Named& named : buckets_) {
    auto of_bucket = named.bucket.snapshots(now.steady);
    in_flight += of_bucket.front().in_flight;
    for (auto& one : of_bucket) {
      one.bucket = named.name;
      all.push_back(std::move(one));
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return std::tie(left.bucket, left.policy) < std::tie(right.bucket, right.policy);
  });
  QuotaSnapshot snapshot = strictest(all);
  snapshot.in_flight = in_flight;
  snapshot.held = held_.load(std::memory_order_relaxed);
  snapshot.sent = sent_;
  snapshot.rejected = rejected_;
  snapshot.held_for = Duration(held_for_.load(std::memory_order_relaxed));
  snapshot.buckets = std::move(all);
  return snapshot;
}

QuotaForecast QuotaGate::forecast(Now now, RouteKey route, std::int64_t calls, std::int64_t reserve) const {
  const std::lock_guard lock(mutex_);
  const auto number = routes_.known(route);
  return buckets_[routes_.bucket_of(number)].bucket.forecast(now.steady, calls, reserve, number);
}

QuotaGate::RouteReading QuotaGate::reading(Now now, RouteKey route) const {
  const std::lock_guard lock(mutex_);
  const Named& named = buckets_[routes_.bucket_of(routes_.known(route))];
  const auto [quota, policy] = named.bucket.reading(now.steady);
  return {quota, label_of(named.name, policy)};
}

}}  // namespace noun
