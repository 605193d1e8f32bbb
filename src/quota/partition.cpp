#include "quota/partition.hpp"

#include <chrono>
#include <cstddef>
#include <limits>

#include "decision/backoff.hpp"

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Bounds the memory if a server keeps reporting new policies: those of one response fit.
constexpr std::size_t most_policies = 1 + wire::most_further_quotas;
/// Fewer 503 responses at a time may be unrelated faults. More holds in a row are an outage.
constexpr std::uint32_t least_unavailable = 3;
constexpr std::uint32_t most_holds = 3;
/// Shorter than the first backoff of a call.
constexpr Duration at_a_time = std::chrono::milliseconds(500);
constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

Verdict verdict_of(const Decision& decision) noexcept {
  if (const Go* const go = std::get_if<Go>(&decision)) return {.admitted = true, .special = go->is_special()};
  if (const Close* const close = std::get_if<Close>(&decision)) return {false, close->until, WaitReason::quota};
  const Held& held = std::get<Held>(decision);
  return {.until = held.until, .reason = held.reason, .may_reset = held.may_reset};
}

/// Whether a hold takes precedence over another: a definite one over an indefinite one, then the longer one.
bool outweighs(const Verdict& hold, const Verdict& other) noexcept {
  if (hold.admitted || other.admitted) return !hold.admitted;
  if (is_definite(hold.reason) != is_definite(other.reason)) return is_definite(hold.reason);
  return hold.until > other.until;
}

/// What a response reports for one policy.
Observation observation_of(const wire::ReportedQuota& reported, const Report& report, const ServerClock& clock,
                           Instant sent, Now received) {
  Observation seen{.received_at = received.steady,
                   .outcome = report.outcome == Outcome::unavailable ? Outcome::served : report.outcome,
                   .healthy = report.healthy,
                   .counted = report.is_counted(),
                   .limit = reported.limit,
                   .remaining = reported.remaining,
                   .date = report.date,
                   .window = reported.window,
                   .refill_per_second = reported.refill_per_second,
                   .reported_cost = reported.cost,
                   .default_wait = report.default_wait,
                   .retry = report.retry,
                   .open = report.open};
  if (reported.reset) seen.reset = interval_of(*reported.reset, clock, sent, received);
  return seen;
}

/// The reset as Retry-After of a success reports it, if both agree within a second.
std::optional<ResetInterval> exact_reset(const ResetInterval& reset, Duration retry_after, const ServerClock& clock,
                                         Instant sent, Now received) {
  const auto exact = interval_of({.in = retry_after, .at = {}}, clock, sent, received);
  const auto reported = reset.if_rounded_up();
  const bool agree = exact.earliest < after(reported.latest, std::chrono::seconds(1)) &&
                     after(exact.latest, std::chrono::seconds(1)) > reported.earliest;
  return agree ? std::optional(exact) : std::nullopt;
}

/// A limit of zero means that too many requests are in flight. No reset frees them.
Observation concurrency_rejection(const Report& report, Now received) {
  return {.received_at = received.steady,
          .outcome = Outcome::rejected,
          .healthy = report.healthy,
          .default_wait = wait_after_rejection({.default_wait = report.default_wait, .retry = report.retry}).wait,
          .retry = report.retry,
          .open = report.open};
}

bool any_is_exhausted(const wire::RateLimitReading& reading) noexcept {
  return std::any_of(reading.more.begin(), reading.more.end(), [](const auto& quota) { return quota.remaining == 0; });
}

std::int64_t strictness(const QuotaReading& reading) noexcept {
  return reading.remaining.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

/// Only the first policy bounds the requests in flight, and not if only another policy reports the remaining count.
QuotaPolicy Partition::policy_for(std::size_t index, QuotaPolicy policy) const noexcept {
  const auto reports = [](const Policy& one) { return one.admission.is_reported(); };
  if (index > 0 || (!reports(policies_.front()) && std::any_of(policies_.begin() + 1, policies_.end(), reports)))
    policy.in_flight_unknown = std::numeric_limits<std::ptrdiff_t>::max();
  return policy;
}

/// @param each  is called with each decision.
template <class Each>
Verdict Partition::decide_each(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance,
                               const Each& each) const {
  Verdict all{.admitted = true};
  for (std::size_t index = 0; index < policies_.size(); ++index) {
    auto decision = policies_[index].admission.decide(now, policy_for(index, policy), ask, allowance);
    const Verdict one = verdict_of(decision);
    const bool special = all.special || one.special;
    if (outweighs(one, all)) all = one;
    all.special = special;
    each(std::move(decision));
  }
  return all.admitted && all.special && allowance.plain_only ? wait_for_share(now) : all;
}

Verdict Partition::decide(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance) const {
  return decide_each(now, policy, ask, allowance, [](const Decision&) {});
}

Verdict Partition::acquire(Instant now, const QuotaPolicy& policy, const Ask& ask, PartitionSending& sending,
                           const Allowance& allowance) {
  decisions_.clear();
  sending.more.reserve(policies_.size() - 1);
  for (Policy& one : policies_) one.admission.advance(now, policy.inference);
  const Verdict verdict =
      decide_each(now, policy, ask, allowance, [this](Decision&& one) { decisions_.push_back(std::move(one)); });
  if (verdict.reason == WaitReason::share) return verdict;
  for (std::size_t index = 0; index < policies_.size(); ++index) {
    Admission& admission = policies_[index].admission;
    const Decision& decision = decisions_[index];
    if (!verdict.admitted)
      admission.hold(now, decision);
    else if (index == 0)
      sending.first = admission.send(now, std::get<Go>(decision));
    else
      sending.more.emplace_back(index, admission.send(now, std::get<Go>(decision)));
  }
  return verdict;
}

std::int64_t Partition::available(Instant now, const QuotaPolicy& policy, const Ask& ask, std::int64_t most,
                                  Allowance allowance) const {
  std::int64_t least = 0;
  while (least < most) {
    const std::int64_t middle = least + (most - least + 1) / 2;
    allowance.ahead = {middle - 1, middle - 1};
    const auto verdict = decide(now, policy, ask, allowance);
    if (verdict.admitted && !verdict.special)
      least = middle;
    else
      most = middle - 1;
  }
  return least;
}

std::size_t Partition::index_of(const std::string& name) {
  const auto found =
      std::find_if(policies_.begin() + 1, policies_.end(), [&](const Policy& policy) { return policy.name == name; });
  if (found != policies_.end()) return static_cast<std::size_t>(found - policies_.begin());
  if (policies_.size() == most_policies) return no_index;
  policies_.push_back({.name = name});
  policies_.back().admission.account().lease(leased());
  // The first policy, which has no name, needs little memory if only others are reported.
  const bool first = policies_.front().admission.is_reported();
  for (Policy& policy : policies_) policy.admission.account().log().share_memory(policies_.size() - (first ? 0 : 1));
  if (!first) policies_.front().admission.account().log().share_memory(2 * most_policies);
  return policies_.size() - 1;
}

bool Partition::takes_as_rejection(const PartitionSending& sending, Now received, const Report& report) {
  if (report.outcome != Outcome::unavailable) {
    if (report.outcome != Outcome::served || !report.healthy) return false;
    was_healthy_ = true;
    if (sending.first.at > unavailable_since_) unavailable_ = 0;
    if (sending.first.at > held_at_) holds_ = 0;
    return false;
  }
  if (unavailable_++ == 0 || sending.first.at > after(unavailable_since_, at_a_time)) {
    unavailable_ = 1;
    unavailable_since_ = received.steady;
  }
  const bool many =
      unavailable_ >= least_unavailable || holds_ > 0 || policies_.front().admission.knows_unreported_limit();
  if (!was_healthy_ || !many) return false;
  if (sending.first.at <= held_at_) return holds_ <= most_holds;
  held_at_ = received.steady;
  return ++holds_ <= most_holds;
}

/// Whether a rejection reports, by the names of the first policy, a quota that other responses do not report.
bool Partition::is_by_another_quota(const Report& report) const noexcept {
  const auto& first = policies_.front().admission;
  return report.outcome == Outcome::rejected && report.limit.value_or(0) > 0 && report.remaining == 0 &&
         first.limit() && *first.limit() != *report.limit && first.has_permits();
}

/// A rejection is attributed to the policies with nothing remaining, or else to the first: also if there are too many to
/// know those.
QuotaNote Partition::record(const PartitionSending& sending, Now received, const Report& report) {
  finish(sending, report);
  const Instant sent = sending.first.at;
  const bool rejected = report.outcome == Outcome::rejected;
  const bool moved =
      report.outcome != Outcome::lost && report.date && clock_.observe(*report.date, sent, received.steady);
  const auto record_one = [&](std::size_t index, const Sending& own, const wire::ReportedQuota& reported,
                              std::optional<Duration> retry_after, bool at_fault) {
    auto seen = rejected && reported.limit == 0 ? concurrency_rejection(report, received)
                                                : observation_of(reported, report, clock_, sent, received);
    if (at_fault) seen.retry_after = retry_after;
    if (index == 0 && report.outcome == Outcome::served && report.retry_after && seen.reset) {
      const auto exact = exact_reset(*seen.reset, *report.retry_after, clock_, sent, received);
      const bool fraction = *report.retry_after % std::chrono::seconds(1) != Duration::zero();
      waits_are_exact_ = waits_are_exact_ || (exact && fraction && report.healthy);
      if (exact && waits_are_exact_) seen.reset = exact;
    }
    if (index == 0) seen.pause = report.pause;
    Sending sent_here = own;
    if (rejected && !at_fault) {
      seen.outcome = Outcome::served;
      sent_here.conclusive = 0;  // a rejection by another policy proves nothing about this one
    }
    policies_[index].admission.record(sent_here, std::move(seen), clock_, moved);
  };
  std::vector<bool> reported(sending.more.empty() ? 0 : policies_.size(), false);
  const auto record_named = [&](const std::string& name, const wire::ReportedQuota& quota,
                                std::optional<Duration> retry_after, bool at_fault) {
    const std::size_t index = index_of(name);
    if (index == no_index) return;
    if (index < reported.size()) reported[index] = true;
    const Sending* const had = sending.of(index);
    Admission& admission = policies_[index].admission;
    const Sending own = had != nullptr ? *had : admission.adopt({.at = sent, .route = sending.first.route});
    if (had == nullptr) admission.finish(own, report.is_counted());
    record_one(index, own, quota, retry_after, at_fault);
  };

  // A rejection that reports only policies with permits left is by the one whose guess it was.
  const bool refutes = rejected && report.remaining.value_or(0) > 0 && !any_is_exhausted(report);
  const auto is_guess = [&](const auto& one) { return refutes && one.second.guesses != 0; };
  const auto is_at_fault = [&](const auto& quota) { return quota.remaining == 0 && index_of(quota.name) != no_index; };
  if (!is_by_another_quota(report) || index_of(name_of_limit(*report.limit)) == no_index) {
    const bool others = std::any_of(report.more.begin(), report.more.end(), is_at_fault) ||
                        std::any_of(sending.more.begin(), sending.more.end(), is_guess);
    record_one(0, sending.first, report, report.retry_after, report.remaining == 0 || !others);
  } else {
    // Its own rejections are all that is known of it, so it is inferred as an unreported limit is.
    std::optional<Duration> until_reset = report.retry_after;
    if (!until_reset && report.reset)
      until_reset = interval_of(*report.reset, clock_, sent, received).latest - received.steady;
    const Observation nothing{.received_at = received.steady, .outcome = Outcome::unavailable};
    policies_.front().admission.record(sending.first, nothing, clock_, moved);
    record_named(name_of_limit(*report.limit), {}, until_reset, true);
  }
  for (const auto& quota : report.more) record_named(quota.name, quota, report.retry_after, quota.remaining == 0);
  for (const auto& one : sending.more)
    if (!reported[one.first]) record_one(one.first, one.second, {}, report.retry_after, is_guess(one));
  return report.outcome == Outcome::lost ? QuotaNote::none : note_of(report);
}

QuotaNote Partition::note_of(const wire::RateLimitReading& reading) noexcept {
  QuotaNote note = QuotaNote::none;
  if (reading.implausible_reset)
    note = QuotaNote::implausible_reset;
  else if (reading.reset && !reading.reset->in && !clock_.known())
    note = QuotaNote::no_date;
  return std::exchange(last_note_, note) == note ? QuotaNote::none : note;
}

bool Partition::is_whole() const noexcept {
  return !policies_.empty() && policies_.size() <= most_policies &&
         std::all_of(policies_.begin(), policies_.end(),
                     [](const Policy& policy) { return policy.admission.is_whole(); });
}

std::int64_t Partition::cost_of(RouteKey route) const noexcept {
  std::int64_t most = 1;
  for (const Policy& policy : policies_) most = std::max(most, policy.admission.cost_of(route));
  return most;
}

PartitionSending Partition::adopt(const PartitionSending& sending) {
  PartitionSending here;
  here.more.reserve(policies_.size() - 1);
  here.first = policies_.front().admission.adopt(sending.first);
  for (std::size_t index = 1; index < policies_.size(); ++index) {
    const Sending* const had = sending.of(index);
    const Sending own = had != nullptr ? *had : Sending{.at = sending.first.at, .route = sending.first.route};
    here.more.emplace_back(index, policies_[index].admission.adopt(own));
  }
  return here;
}

std::vector<QuotaSnapshot> Partition::snapshots(Instant now) const {
  std::vector<QuotaSnapshot> all;
  for (const Policy& policy : policies_) {
    all.push_back(policy.admission.snapshot(now));
    all.back().partition = name_;
    all.back().policy = policy.name;
  }
  std::sort(all.begin() + 1, all.end(), [](const auto& left, const auto& right) { return left.policy < right.policy; });
  return all;
}

Forecast Partition::forecast(Instant now, std::int64_t calls, std::int64_t reserve, RouteKey route) const {
  std::optional<Forecast> all;
  for (const Policy& policy : policies_) {
    if (!policy.admission.is_reported()) continue;
    const Forecast one = policy.admission.forecast(now, calls, reserve, route);
    all = all ? both(*all, one) : one;
  }
  return all.value_or(Forecast{});
}

std::pair<QuotaReading, std::string_view> Partition::reading(Instant now) const {
  std::pair<QuotaReading, std::string_view> strictest{policies_.front().admission.reading(now), {}};
  for (const Policy& policy : policies_)
    if (auto reading = policy.admission.reading(now); strictness(reading) < strictness(strictest.first))
      strictest = {reading, policy.name};
  return strictest;
}

}}}  // namespace noun::quota
