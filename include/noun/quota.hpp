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

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun::inline v0 {

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

/// One quota as it stands.
struct QuotaSnapshot {
  /// As the service last said; nothing if it never did.
  std::optional<std::int64_t> limit = {};
  /// What the service said was left, less what is in flight; at least 0. Nothing if it does not say, if its window is
  /// over and no answer has told the next, and after a rejection until a success tells anew.
  std::optional<std::int64_t> remaining = {};
  /// Until the service's reset, by its clock, at the latest; greater than zero. Nothing if none is known to lie ahead.
  std::optional<Duration> resets_in = {};
  /// Requests that are admitted and not yet answered.
  std::size_t in_flight = 0;
  /// Calls that asked and were told to wait, and have not asked again or given up.
  std::size_t held = 0;
  /// Requests admitted and sent, since the gate was made.
  std::uint64_t sent = 0;
  /// Of those, rejected by the service for its quota.
  std::uint64_t rejected = 0;
};

class QuotaGate;

/// The quotas that clients share: one for each origin and identity, which all clients of both spend together. A service
/// that counts some requests apart (a search, say) is spent as one quota, the strictest answer ruling; give such clients
/// identities of their own. Safe to use from many threads.
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

}  // namespace noun::inline v0
