#pragma once
/// @file
/// How a client spends an API's quota: what a call does when it is exhausted, and the ledger that clients share. A
/// permit is the right to send one request.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What a call does when the quota is exhausted.
enum class WhenExhausted {
  wait,  ///< waits until the quota resets, within `max_wait` and the caller's deadline
  fail,  ///< fails at once with `rate_limited` and retry_at()
};

/// Priority of a call. `QuotaPolicy::reserve` is kept for interactive calls.
enum class Priority { bulk, normal, interactive };

/// What noun infers about the quota beyond what responses report.
enum class Inference {
  full,           ///< infers token buckets, sliding windows, window lengths, route costs and exact resets
  reported_only,  ///< infers nothing: noun obeys the reported limit, remaining, reset and Retry-After
};

/// @{
/// The enumerator's name, as it is written here.
/// @threadsafety  safe; the operators as the stream.
NOUN_API std::string_view to_string(WhenExhausted choice) noexcept;
NOUN_API std::string_view to_string(Priority priority) noexcept;
NOUN_API std::string_view to_string(Inference inference) noexcept;
NOUN_API std::ostream& operator<<(std::ostream& out, WhenExhausted choice);
NOUN_API std::ostream& operator<<(std::ostream& out, Priority priority);
NOUN_API std::ostream& operator<<(std::ostream& out, Inference inference);
/// @}

/// How a client spends the server's quota. How long it waits after a rejection: see RetryPolicy.
struct QuotaPolicy {
  /// What a call does when the quota is exhausted.
  WhenExhausted when_exhausted = WhenExhausted::wait;
  /// Requests of each window that only interactive calls may use; 0 to 10^12. If the server reports no reset, another
  /// call uses one a minute, to learn whether the window has ended.
  std::int64_t reserve = 0;
  /// The longest total wait of one call for the quota, over all its attempts; from its first rejection on all time
  /// counts. A longer wait fails at once with `rate_limited` and retry_at(). Not negative.
  Duration max_wait = std::chrono::hours(2);
  /// Maximum requests in flight where the API does not report its quota; 1 to 1,000,000.
  std::size_t in_flight_unknown = 16;
  /// What is inferred beyond what the server reports.
  Inference inference = Inference::full;
};

/// A process that shares a quota, as of the last exchange with the store.
struct QuotaHolder {
  std::uint64_t id = 0;        ///< a random number
  bool is_self = false;        ///< it is this process
  std::int64_t permits = 0;    ///< leased: unspent, in flight, or not reported yet
  std::int64_t wanted = 0;     ///< permits that its calls wait for, or will probably need next
  Duration expires_in = {};    ///< until its permits count as spent, unless it renews them
};

/// Snapshot of one quota. If the server has several partitions or quota policies, this is the one that binds first;
/// `partitions` holds all of them.
struct QuotaSnapshot {
  /// The server's name for the partition (Dialect::partition_header); empty if it has only one.
  std::string partition = {};
  /// Name of the quota policy within the partition; empty for the first.
  std::string policy = {};
  /// Last reported limit; nothing if none was reported.
  std::optional<std::int64_t> limit = {};
  /// Last reported remaining, less the requests in flight; at least 0. Nothing if it is not reported, if its window has
  /// ended and no response has reported the next one, and after a rejection until a success reports it again.
  std::optional<std::int64_t> remaining = {};
  /// Upper bound of the time until the reset, by the server's clock; greater than zero. Nothing if no future reset is
  /// known.
  std::optional<Duration> resets_in = {};
  /// Requests that were sent and have no response yet.
  std::size_t in_flight = 0;
  /// Calls that wait for a permit, over all partitions.
  std::size_t held = 0;
  /// Requests that have a response or were lost.
  std::uint64_t sent = 0;
  /// Of those, requests that the server rejected because of the quota.
  std::uint64_t rejected = 0;
  /// Requests of other clients: how much more the remaining count fell than this client's requests explain.
  std::uint64_t foreign = 0;
  /// Total time that calls waited for a permit, over all partitions.
  Duration held_for = Duration::zero();
  /// The processes that share the quota, over all partitions; empty if it is not shared, and in `partitions`.
  std::vector<QuotaHolder> holders = {};
  /// All partitions and policies, sorted by name; empty in the elements.
  std::vector<QuotaSnapshot> partitions = {};

  /// Rejected requests divided by sent requests, 0 to 1; 0 if none was sent.
  double waste() const noexcept { return sent == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(sent); }
};

namespace quota {
class Gate;
}

/// The quotas that clients share, one for each origin and identity: all clients that have both in common use it. It has
/// a partition for each name that the server reports (Dialect::partition_header), or a single one, and in each
/// partition a count for each reported quota policy. Programs do not derive from it: make_quota_ledger(),
/// file_ledger(), redis_ledger() and shared_ledger() make one.
/// @threadsafety  safe.
class NOUN_API QuotaLedger {
 public:
  QuotaLedger() = default;
  QuotaLedger(const QuotaLedger&) = delete;
  QuotaLedger& operator=(const QuotaLedger&) = delete;
  virtual ~QuotaLedger();

  /// Returns what admits the requests of one quota. It is created on first use and kept while it is in use.
  virtual std::shared_ptr<quota::Gate> gate(std::string_view origin, std::string_view identity) = 0;
  /// Whether other processes use the same quotas. Its clients need ClientOptions::identity and the system's clock.
  virtual bool is_shared() const noexcept { return false; }
  /// Whether this process can use it: a child of fork() cannot use a shared ledger of its parent.
  virtual bool is_of_this_process() const noexcept { return true; }
};

/// Creates a separate ledger, for programs that keep quotas apart (tests, tenants).
/// @threadsafety  safe.
NOUN_API std::shared_ptr<QuotaLedger> make_quota_ledger();

}}  // namespace noun
