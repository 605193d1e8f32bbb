#pragma once
/// @file
/// One partition of a server's quota: all quota policies that bind the same requests. A request needs a permit of each.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quota/admission.hpp"
#include "quota/time/server_clock.hpp"
#include "wire/rate_limit.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// What came of a request, as far as quotas are concerned.
struct Report {
  wire::RateLimitReading reading = {};
  /// Where it is not `rejected`, `reading.retry_after` concerns the call alone.
  Outcome outcome = Outcome::served;
  /// Whether the server could do what it was asked, or said why not: the response is no 5xx.
  bool healthy = true;
  /// The first wait after a rejection that reports none; zero is a second.
  Duration default_wait = Duration::zero();
  /// How long a success asks everybody to wait.
  std::optional<Duration> pause = {};
};

/// What one request took from a partition.
struct PartitionSending {
  Sending first = {};
  /// By the policy's place in the partition.
  std::vector<std::pair<std::size_t, Sending>> more = {};
};

/// A partition. Not safe to use from many threads: its gate locks.
class Partition {
 public:
  /// Of all policies together.
  struct Verdict {
    bool admitted = false;
    Instant until = {};
    WaitReason reason = WaitReason::none;
  };

  explicit Partition(std::string name = {}) : name_(std::move(name)), policies_(1) {}

  const std::string& name() const noexcept { return name_; }
  /// Of the first policy.
  Phase phase() const noexcept { return policies_.front().admission.phase(); }
  void rename(const std::string& name) { name_ = name; }
  /// Whether a request may go. Changes nothing.
  Verdict decide(Instant now, const QuotaPolicy& policy, const AcquireOptions& options) const;
  /// The same, and takes a permit of each policy if it may.
  /// @param sending  what it took.
  Verdict acquire(Instant now, const QuotaPolicy& policy, const AcquireOptions& options, PartitionSending& sending);
  /// A request that was admitted elsewhere turns out to be counted here.
  PartitionSending adopt(Instant sent, RouteKey route);
  /// Whether an `unavailable` response is taken for a rejection. To be asked once for each response, before record().
  bool takes_as_rejection(const PartitionSending& sending, Now received, const Report& report);
  /// See Gate::record. `unavailable` counts as served.
  QuotaNote record(const PartitionSending& sending, Now received, const Report& report);
  /// Requests in flight when this was saved are another process's: taken as lost.
  void abandon_in_flight(Instant now);
  /// Whether what was read from bytes fits together.
  bool is_whole() const noexcept;
  /// What one request of the route costs, by the policy of which it takes most.
  std::int64_t cost_of(RouteKey route) const noexcept;
  /// The request was never sent.
  void release(const PartitionSending& sending) noexcept;
  /// Requests that are under way elsewhere and will turn out to be counted here; negative once they have.
  void expect(std::int64_t requests) noexcept;
  /// The server rejected something, and said that it concerns this partition too.
  void hold_until(Instant now, Instant until) noexcept;

  /// The first policy, then the others by name.
  std::vector<QuotaSnapshot> snapshots(Instant now) const;
  /// Of the policy that binds first, and its name.
  std::pair<QuotaReading, std::string_view> reading(Instant now) const;
  /// How long so many calls of a route have to wait, by all policies that report what is left.
  Forecast forecast(Instant now, std::int64_t calls, std::int64_t reserve, RouteKey route) const;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.name_, self.policies_, self.clock_, self.waits_are_exact_, self.last_note_, self.was_healthy_,
            self.unavailable_, self.unavailable_since_, self.holds_, self.held_at_);
  }

 private:
  struct Policy {
    std::string name = {};
    Admission admission = {};

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.name, self.admission);
    }
  };

  std::size_t place_of(const std::string& name);
  QuotaPolicy policy_for(std::size_t place, QuotaPolicy policy) const noexcept;
  QuotaNote note_of(const wire::RateLimitReading& reading) noexcept;

  std::string name_;
  std::vector<Policy> policies_;  // the first has no name; the others in the order in which they were reported
  ServerClock clock_;
  bool waits_are_exact_ = false;  // Retry-After on successes has had fractions
  QuotaNote last_note_ = QuotaNote::none;
  bool was_healthy_ = false;       // the server, once
  std::uint32_t unavailable_ = 0;  // at a time, since the last success
  Instant unavailable_since_ = Instant::min();
  std::uint32_t holds_ = 0;  // in a row, since they were taken for rejections
  Instant held_at_ = Instant::min();
  std::vector<Decision> decisions_;  // of acquire; kept for its memory
};

}}}  // namespace noun::quota
