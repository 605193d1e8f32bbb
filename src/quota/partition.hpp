#pragma once
/// @file
/// One partition of a server's quota: all quota policies that apply to the same requests. A request needs a permit of
/// each.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quota/admission.hpp"
#include "quota/time/server_clock.hpp"
#include "wire/rate_limit.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The result of a request, as far as quotas are concerned: what the response reports, and what it means.
struct Report : wire::RateLimitReading {
  /// If it is not `rejected`, `retry_after` applies to this call only.
  Outcome outcome = Outcome::served;
  /// Whether the response is not a 5xx: the server did what was requested, or reported why not.
  bool healthy = true;
  /// Whether the quota may have counted the request. False for a 304 that costs nothing (Dialect::not_modified_cost):
  /// its permit is given back, and the values that it reports are used. Other outcomes are always counted.
  bool counted = true;
  bool is_counted() const noexcept { return counted || outcome != Outcome::served; }
  /// Forgets what is reported with a limit of zero: if the response is not a rejection, the limiter is disabled.
  void forget_disabled() {
    if (limit == 0) static_cast<wire::ReportedQuota&>(*this) = {};
    std::erase_if(more, [](const wire::ReportedQuota& quota) { return quota.limit == 0; });
  }
  /// @{
  /// As in Rejection.
  Duration default_wait = Duration::zero();
  RetryPolicy retry = {};
  /// @}
  /// How long all calls wait after this success, as it reports.
  std::optional<Duration> pause = {};
  /// How many streams are open.
  std::int64_t open = 0;
  /// If the server counts each route by itself: what snapshots call the route. Otherwise empty.
  std::string route_name = {};
};

/// What snapshots call the quota of a limit that the server does not name, while others have another limit.
inline std::string name_of_limit(std::int64_t limit) { return "limit " + std::to_string(limit); }

/// What one request took from a partition.
struct PartitionSending {
  Sending first = {};
  /// By index of the policy in the partition.
  std::vector<std::pair<std::size_t, Sending>> more = {};

  /// What it took of a policy other than the first; null if nothing.
  const Sending* of(std::size_t index) const noexcept {
    const auto taken = std::find_if(more.begin(), more.end(), [&](const auto& one) { return one.first == index; });
    return taken == more.end() ? nullptr : &taken->second;
  }

  static void fields(auto& self, auto& archive) { archive(self.first, self.more); }
};

/// An anomaly in a response, to be reported to the observer.
enum class QuotaNote : std::uint8_t { none, implausible_reset, no_date, end_of_values };

/// The decision of all policies together.
struct Verdict {
  bool admitted = false;
  Instant until = {};
  WaitReason reason = WaitReason::none;
  bool special = false;           ///< if admitted: only one process at a time may act on it
  bool lacks_connection = false;  ///< if not: the quota would admit it
  bool may_reset = false;         ///< as of Held
};

/// Whether a hold with this reason lasts until its instant, as far as is known.
constexpr bool is_definite(WaitReason reason) noexcept {
  return reason == WaitReason::quota || reason == WaitReason::rejected || reason == WaitReason::retry_after;
}

/// A partition. Not safe to use from many threads: the gate locks.
class Partition {
 public:
  explicit Partition(std::string name = {}) : name_(std::move(name)), policies_(1) {}

  const std::string& name() const noexcept { return name_; }
  /// The limit that the first policy reports.
  std::optional<std::int64_t> limit() const noexcept { return policies_.front().admission.limit(); }
  /// Whether a policy reports the remaining count.
  bool is_reported() const noexcept { return any(&Admission::is_reported); }
  /// The phase of the first policy.
  Phase phase() const noexcept { return policies_.front().admission.phase(); }
  void rename(const std::string& name) { name_ = name; }
  /// Decides whether a request may be sent. Changes nothing.
  Verdict decide(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance = {}) const;
  /// How many requests may be sent now, at most `most`.
  std::int64_t available(Instant now, const QuotaPolicy& policy, const Ask& ask, std::int64_t most,
                         Allowance allowance = {}) const;
  /// The same; takes a permit of each policy if admitted.
  /// @param sending  receives what it took.
  Verdict acquire(Instant now, const QuotaPolicy& policy, const Ask& ask, PartitionSending& sending,
                  const Allowance& allowance = {});
  /// @{
  /// As for Admission, for each policy.
  void lease(Instant now, std::int64_t permits) noexcept { each(&Admission::lease, now, permits); }
  void end_lease(std::int64_t permits) noexcept { each(&Admission::end_lease, permits); }
  void lose_lease(Instant now, std::int64_t permits) { each(&Admission::lose_lease, now, permits); }
  PartitionSending adopt(const PartitionSending& sending);
  void abandon_in_flight(Instant now) { each(&Admission::abandon_in_flight, now); }
  void hold_until(Instant now, Instant until) noexcept { each(&Admission::hold_until, now, until); }
  bool is_whole() const noexcept;
  std::int64_t leased() const noexcept { return policies_.front().admission.account().leased(); }
  bool is_counted() const noexcept { return any(&Admission::is_counted); }
  bool limits_in_flight() const noexcept { return any(&Admission::limits_in_flight); }
  /// @}
  /// Whether the sending is one of this partition's: for each of its policies, or fewer.
  bool has_policies_of(const PartitionSending& sending) const noexcept {
    return std::all_of(sending.more.begin(), sending.more.end(),
                       [&](const auto& taken) { return taken.first > 0 && taken.first < policies_.size(); });
  }
  /// Whether an `unavailable` response counts as a rejection. Call it once for each response, before record().
  bool takes_as_rejection(const PartitionSending& sending, Now received, const Report& report);
  /// See Gate::record(). `unavailable` counts as served. If it throws, the request is no longer in flight.
  QuotaNote record(const PartitionSending& sending, Now received, const Report& report);
  /// Records that a request got a response, as record() does first, and nothing else.
  void finish(const PartitionSending& sending, const Report& report) noexcept {
    policies_.front().admission.finish(sending.first, report.is_counted());
    for (const auto& [index, own] : sending.more) policies_[index].admission.finish(own, report.is_counted());
  }
  /// Cost of one request of the route: the highest of all policies.
  std::int64_t cost_of(RouteKey route) const noexcept;
  /// Releases a request that was never sent.
  void release(const PartitionSending& sending) noexcept {
    policies_.front().admission.release(sending.first);
    for (const auto& [index, own] : sending.more) policies_[index].admission.release(own);
  }
  /// Adds requests that are in flight elsewhere and will be counted here; negative once they are counted.
  void expect(std::int64_t requests) noexcept {
    for (Policy& policy : policies_) policy.admission.account().expect(requests);
  }

  /// How long ago the server's clock showed a date, at least; zero if that is not known.
  /// @source  RFC 9110, section 6.6.1: Date has whole seconds.
  Duration since(std::chrono::sys_seconds date, Instant now) const noexcept {
    if (!clock_.known()) return Duration::zero();
    const Instant shown = clock_.when(wire::clamped_wall_time(date + std::chrono::seconds(1))).latest;
    return now - std::clamp(shown, after(now, -Duration::max()), now);
  }

  /// The first policy, then the others by name.
  std::vector<QuotaSnapshot> snapshots(Instant now) const;
  /// The reading of the policy that binds first, and its name.
  std::pair<QuotaReading, std::string_view> reading(Instant now) const;
  /// How long so many calls of a route wait, by all policies that report the remaining count.
  Forecast forecast(Instant now, std::int64_t calls, std::int64_t reserve, RouteKey route) const;

  static void fields(auto& self, auto& archive) {
    archive(self.name_, self.policies_, self.clock_, self.waits_are_exact_, self.last_note_, self.was_healthy_,
            self.unavailable_, self.unavailable_since_, self.holds_, self.held_at_);
  }

 private:
  struct Policy {
    std::string name = {};
    Admission admission = {};

    static void fields(auto& self, auto& archive) { archive(self.name, self.admission); }
  };

  template <class Change, class... Values>
  void each(Change change, Values... values) {
    for (Policy& one : policies_) (one.admission.*change)(values...);
  }
  /// Whether this is true of the admission of a policy.
  bool any(bool (Admission::*is)() const noexcept) const noexcept {
    return std::any_of(policies_.begin(), policies_.end(), [is](const Policy& one) { return (one.admission.*is)(); });
  }
  template <class Each>
  Verdict decide_each(Instant now, const QuotaPolicy& policy, const Ask& ask, const Allowance& allowance,
                      const Each& each) const;
  std::size_t index_of(const std::string& name);
  QuotaPolicy policy_for(std::size_t index, QuotaPolicy policy) const noexcept;
  bool is_by_another_quota(const Report& report) const noexcept;
  QuotaNote note_of(const wire::RateLimitReading& reading) noexcept;

  std::string name_;
  std::vector<Policy> policies_;  // the first has no name; the others are in the order of their first report
  ServerClock clock_;
  bool waits_are_exact_ = false;  // a success has reported Retry-After with a fraction
  QuotaNote last_note_ = QuotaNote::none;
  bool was_healthy_ = false;       // at least once
  std::uint32_t unavailable_ = 0;  // 503 responses at a time, since the last success
  Instant unavailable_since_ = Instant::min();
  std::uint32_t holds_ = 0;  // in a row, of 503 responses taken for rejections
  Instant held_at_ = Instant::min();
  std::vector<Decision> decisions_;  // of acquire(); reuses its memory
};

/// The verdict about a request that must wait for permits that are leased.
inline Verdict wait_for_share(Instant now) noexcept {
  return {.until = after(now, recheck_interval), .reason = WaitReason::share};
}

}}}  // namespace noun::quota
