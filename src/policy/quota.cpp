#include "policy/quota.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace noun::inline v0 {
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
  if (decision.admitted) return Permit(shared_from_this(), place, std::move(decision.ticket));
  return Hold{decision.until, decision.reason, WakeTicket{&changes_, changes_.load(std::memory_order_relaxed)},
              HeldMark(shared_from_this(), now.steady)};
}

std::string QuotaGate::settle(Permit permit, Now sent, Now received, const QuotaAnswer& answer) {
  if (permit.gate_.get() != this) return {};
  const std::shared_ptr<QuotaGate> self = std::move(permit.gate_);
  QuotaNote note = QuotaNote::none;
  {
    const std::lock_guard lock(mutex_);
    ++sent_;
    if (answer.rejected) ++rejected_;
    bool news = move_to_told_bucket(permit, sent.steady, answer.reading.bucket);
    news = buckets_[permit.bucket_].bucket.settle(permit.ticket_, sent, received, answer, note) || news;
    if (answer.rejected && answer.reading.everywhere)
      news = reject_everywhere(permit.bucket_, sent, received, answer) || news;
    if (news) changes_.fetch_add(1, std::memory_order_release);
  }
  return sentence_of(note);
}

/// Where an answer names a bucket, its route is counted there from now on, and so is this request.
bool QuotaGate::move_to_told_bucket(Permit& permit, Instant sent, const std::string& name) {
  if (name.empty()) return false;
  const auto route = permit.ticket_.first.route;
  const auto place = place_of(name);
  routes_.learn(route, place);
  if (place == permit.bucket_) return false;
  buckets_[permit.bucket_].bucket.give_back(permit.ticket_);
  permit.bucket_ = place;
  permit.ticket_ = buckets_[place].bucket.adopt(sent, route);
  return true;
}

std::size_t QuotaGate::place_of(const std::string& name) {
  // The one bucket that every service has gets the first name that is told.
  if (buckets_.size() == 1 && buckets_.front().name.empty()) buckets_.front().name = name;
  const auto found =
      std::find_if(buckets_.begin(), buckets_.end(), [&](const Named& named) { return named.name == name; });
  if (found != buckets_.end()) return static_cast<std::size_t>(found - buckets_.begin());
  if (buckets_.size() == most_buckets) return 0;
  buckets_.push_back({name});
  return buckets_.size() - 1;
}

bool QuotaGate::reject_everywhere(std::size_t but, Now sent, Now received, const QuotaAnswer& answer) {
  QuotaAnswer bare{.rejected = true, .default_wait = answer.default_wait};
  bare.reading.retry_after = answer.reading.retry_after;
  bool news = false;
  for (std::size_t place = 0; place < buckets_.size(); ++place) {
    if (place == but) continue;
    auto& bucket = buckets_[place].bucket;
    QuotaNote none = QuotaNote::none;
    news = bucket.settle(bucket.adopt(sent.steady, 0), sent, received, bare, none) || news;
  }
  return news;
}

void QuotaGate::give_back(std::size_t bucket, const BucketTicket& ticket) noexcept {
  const std::lock_guard lock(mutex_);
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

QuotaForecast QuotaGate::forecast(Now now, RouteKey route, std::int64_t requests, std::int64_t reserve) const {
  const std::lock_guard lock(mutex_);
  return buckets_[routes_.bucket_of(routes_.known(route))].bucket.forecast(now.steady, requests, reserve);
}

QuotaGate::RouteReading QuotaGate::reading(Now now, RouteKey route) const {
  const std::lock_guard lock(mutex_);
  const Named& named = buckets_[routes_.bucket_of(routes_.known(route))];
  const auto [quota, policy] = named.bucket.reading(now.steady);
  return {quota, label_of(named.name, policy)};
}

}  // namespace noun::inline v0
