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

/// What noun infers about the quota beyond what responses report.
enum class Inference {
  full,           ///< token buckets, sliding windows, window lengths, route costs and exact resets
  reported_only,  ///< nothing: noun obeys the reported limit, remaining, reset and Retry-After
};

/// How a client spends the server's quota.
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
  /// What is inferred beyond what the server reports.
  Inference inference = Inference::full;
};

/// One quota as it stands. Where the server has several partitions, or several quota policies in one: the one that binds
/// first, and all of them in `partitions`.
struct QuotaSnapshot {
  /// The server's name for the partition, by RateLimitHeaders::partition; empty if it has one only.
  std::string partition = {};
  /// The name of the quota policy within the partition, where it has several; empty for the first.
  std::string policy = {};
  /// As last reported; nothing if it never was.
  std::optional<std::int64_t> limit = {};
  /// What was reported to be left, less what is in flight; at least 0. Nothing if it is not reported, if its window is
  /// over and no response has reported the next, and after a rejection until a success reports it again.
  std::optional<std::int64_t> remaining = {};
  /// Until the reset, by the server's clock, at the latest; greater than zero. Nothing if none is known to lie ahead.
  std::optional<Duration> resets_in = {};
  /// Requests that were sent and have no response yet.
  std::size_t in_flight = 0;
  /// Calls that wait for a permit, of all partitions together.
  std::size_t held = 0;
  /// Requests sent that have a response, or were lost.
  std::uint64_t sent = 0;
  /// Of those, rejected by the server for its quota.
  std::uint64_t rejected = 0;
  /// Requests of others: by how much more than our own the remaining count fell.
  std::uint64_t foreign = 0;
  /// How long calls waited for a permit, summed up over them, of all partitions together.
  Duration held_for = Duration::zero();
  /// Each partition and policy, in the order of their names; empty in the elements themselves.
  std::vector<QuotaSnapshot> partitions = {};

  /// The part of what was sent that was rejected, 0 to 1; 0 if nothing was sent.
  double waste() const noexcept { return sent == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(sent); }
};

namespace quota {
class Gate;
}

/// The quotas that clients share: one gate for each origin and identity, which all clients of both pass. It has a
/// partition for each that the server names (RateLimitHeaders::partition), or one, and in it a count for each quota
/// policy that responses report. Safe to use from many threads.
class NOUN_API QuotaLedger {
 public:
  QuotaLedger() = default;
  QuotaLedger(const QuotaLedger&) = delete;
  QuotaLedger& operator=(const QuotaLedger&) = delete;
  virtual ~QuotaLedger();

  /// The gate of one quota, made when first asked for and kept while somebody holds it.
  virtual std::shared_ptr<quota::Gate> gate(std::string_view origin, std::string_view identity) = 0;
};

/// A ledger of its own, for programs that want to keep quotas apart (tests, tenants).
NOUN_API std::shared_ptr<QuotaLedger> make_quota_ledger();

}}  // namespace noun
