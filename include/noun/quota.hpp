#pragma once
/// @file
/// How a client spends the service's quota: what to do when it is exhausted, and the ledger that clients share.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What a call does when nothing is left of the quota.
enum class WhenExhausted {
  wait,  ///< until the quota resets, within `max_wait` and the caller's deadline
  fail,  ///< at once, with `rate_limited` and retry_at()
};

/// Whose permits a call may take: `reserve` is kept for interactive ones.
enum class Priority { bulk, normal, interactive };

/// How a client spends the service's quota.
struct QuotaPolicy {
  /// What a call does when nothing is left.
  WhenExhausted when_exhausted = WhenExhausted::wait;
  /// Permits of each window that only interactive calls may take; 0 to 10^12.
  std::int64_t reserve = 0;
  /// The longest that one call may hold for the quota, over all its attempts; a longer hold fails at once with
  /// `rate_limited` and retry_at(). Not negative.
  Duration max_wait = std::chrono::hours(2);
  /// Requests in flight where the service does not tell its quota; 1 to 1,000,000.
  std::size_t in_flight_unknown = 16;
};

/// One quota as it stands. Of several that a service counts apart, or of which a request needs a permit each: the one
/// that binds first, and all of them in `buckets`.
struct QuotaSnapshot {
  /// The service's name for the bucket, by RateLimitHeaders::bucket; empty if it has one only.
  std::string bucket = {};
  /// The name of the policy within the bucket, where it has several; empty for the first.
  std::string policy = {};
  /// As the service last said; nothing if it never did.
  std::optional<std::int64_t> limit = {};
  /// What the service said was left, less what is in flight; at least 0. Nothing if it does not say, if its window is
  /// over and no answer has told the next, and after a rejection until a success tells anew.
  std::optional<std::int64_t> remaining = {};
  /// Until the service's reset, by its clock, at the latest; greater than zero. Nothing if none is known to lie ahead.
  std::optional<Duration> resets_in = {};
  /// Requests that are admitted and not yet answered.
  std::size_t in_flight = 0;
  /// Calls that asked and were told to wait, and have not asked again or given up; of all buckets together.
  std::size_t held = 0;
  /// Requests admitted and sent, since the gate was made.
  std::uint64_t sent = 0;
  /// Of those, rejected by the service for its quota.
  std::uint64_t rejected = 0;
  /// What the limits of the windows that were used up sum up to, the first one left out.
  std::uint64_t demanded_limit = 0;
  /// How many requests were served in those windows.
  std::uint64_t demanded_sent = 0;
  /// Requests of others: by how much more than our own the remaining count fell.
  std::uint64_t foreign = 0;
  /// How long calls were held, summed up over them; of all buckets together.
  Duration held_for = Duration::zero();
  /// How late after a reset its first request was admitted, the last time; at the most, since the reset is only known
  /// to within an interval.
  Duration probe_error = Duration::zero();
  /// The longest of these.
  Duration worst_probe_error = Duration::zero();
  /// Each bucket and policy, in the order of their names; empty in the elements themselves.
  std::vector<QuotaSnapshot> buckets = {};

  /// The part of what was sent that was rejected, 0 to 1; 0 if nothing was sent.
  double waste() const noexcept { return sent == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(sent); }
  /// The part that was admitted of what windows with demand allowed, 0 to 1; 1 if there was no such window.
  double utilisation() const noexcept {
    return demanded_limit == 0 ? 1 : static_cast<double>(demanded_sent) / static_cast<double>(demanded_limit);
  }
};

class QuotaGate;

/// The quotas that clients share: one gate for each origin and identity, which all clients of both pass. It has a
/// bucket for each that the service names (RateLimitHeaders::bucket), or one, and in it a count for each policy that
/// answers tell of. Safe to use from many threads.
class NOUN_API QuotaLedger {
 public:
  QuotaLedger() = default;
  QuotaLedger(const QuotaLedger&) = delete;
  QuotaLedger& operator=(const QuotaLedger&) = delete;
  virtual ~QuotaLedger();

  /// The gate of one quota, made when first asked for and kept while somebody holds it.
  virtual std::shared_ptr<QuotaGate> gate(std::string_view origin, std::string_view identity) = 0;
};

/// A ledger of its own, for programs that want to keep quotas apart (tests, tenants).
NOUN_API std::shared_ptr<QuotaLedger> make_quota_ledger();

}}  // namespace noun
