#pragma once
/// @file
/// What one process holds of a quota that it shares, by partition: leased permits, and special leases.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "quota/journal.hpp"
#include "quota/shared_state.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// Calls that wait for permits of one partition.
struct Waiting {
  bool any = false;
  std::int64_t offered = 0;  ///< permits offered to further calls, which have not acquired them yet
  QuotaPolicy policy = {};   ///< of the first of them
  Ask ask = {};              ///< of the first of them
  std::int64_t cost = 1;     ///< of its request
  Wanted calls = {};         ///< permits for all of them
  Wanted demand = {};        ///< permits for what their callers still have to send
  bool all_demand = true;    ///< all of them say how much that is
  Instant patient_until = Instant::max();  ///< the earliest of all of them; Ask::patient_until

  /// Permits that let the first of them go.
  std::int64_t least() const noexcept { return offered + cost; }
  bool is_idle() const noexcept { return !any && offered == 0; }
};

/// What a process holds of one partition.
struct Pool {
  std::int64_t leased = 0;  ///< in the copy's state
  std::int64_t used = 0;    ///< by flights
  std::int64_t taken = 0;   ///< since the last swap
  bool returning = false;
  std::optional<PartitionSending> special = {};  ///< not sent yet
  bool returns_special = false;
  std::int64_t registered = 0;  ///< permits that the stored state says are wanted
  Instant taken_at = Instant::min();
  Ask last = {};  ///< of the last request
  Instant turn_since = Instant::max();
  Instant not_before = Instant::min();  ///< of the next swap for lack of permits
  Duration pause = {};
  Instant alone_since = Instant::min();  ///< when the share of a process alone was last taken

  /// Permits that may still be spent.
  std::int64_t tokens() const noexcept { return returning ? 0 : std::max<std::int64_t>(leased - used, 0); }
  bool has_special() const noexcept { return special && !returns_special; }
  /// Whether no call waits for its special lease: the next one is of another route, or there is none.
  bool has_needless_special(const Waiting& waiting) const noexcept {
    if (!special || waiting.offered > 0) return false;
    return !waiting.any || waiting.ask.route != special->first.route;
  }
  /// A process without the store takes its share of what remains once in a window, or every ten seconds.
  bool may_take_share(Instant now) const noexcept {
    return alone_since == Instant::min() || now >= after(alone_since, std::chrono::seconds(10));
  }
  /// Takes permits for a request.
  void take(Instant now, std::int64_t cost, const Ask& ask) noexcept {
    taken_at = now;
    taken += std::max<std::int64_t>(cost, 1);
    last = ask;
    used += cost;
  }
  /// When unused permits are returned: after this time without a call.
  Instant idle_at() const noexcept { return after(taken_at, std::chrono::milliseconds(100)); }
  /// Permits to request: more than the calls that wait need, if their callers have more to send. A few for each, and a
  /// multiple of what was used since the last swap.
  Wanted wanted(const Waiting& waiting) const noexcept {
    Wanted all{};
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      all[rank] = std::max(waiting.calls[rank], std::min(waiting.demand[rank], 8 * waiting.calls[rank] + 4 * taken));
    const std::int64_t more = std::min(taken, last.demand.value_or(taken + 1) - 1);
    if (!waiting.any) all[static_cast<std::size_t>(last.priority)] = std::max<std::int64_t>(more, 0);
    std::int64_t held = std::max<std::int64_t>(tokens() - waiting.offered, 0);
    for (std::size_t each = all.size(); each-- > 0;) {
      const std::int64_t covered = std::min(held, all[each]);
      all[each] -= covered;
      held -= covered;
    }
    return all;
  }
  /// Half of what it had was used, and its caller has more to send.
  bool is_low() const noexcept { return taken > 0 && tokens() <= taken / 2 && last.demand.value_or(2) > 1; }
};

/// The pools of one process. Not safe to use from many threads: the gate locks.
class Wallet {
 public:
  /// The pool of a partition, which is added.
  Pool& of(std::size_t partition) {
    if (pools_.size() <= partition) pools_.resize(partition + 1);
    return pools_[partition];
  }
  const Pool& of(std::size_t partition) const noexcept {
    static const Pool nothing;
    return partition < pools_.size() ? pools_[partition] : nothing;
  }
  std::vector<Pool>& pools() noexcept { return pools_; }
  bool is_empty() const noexcept {
    return std::none_of(pools_.begin(), pools_.end(),
                        [](const Pool& one) { return one.leased > 0 || one.registered > 0 || one.special; });
  }
  /// Whether its leases have expired.
  bool is_expired(Instant now) const noexcept { return now >= until_; }
  /// When to swap before they do.
  Instant refresh_at() const noexcept { return refresh_at_; }

  /// Moves the pools to other partitions, of which there are so many, by their indices.
  void rename(const std::vector<std::size_t>& moved, std::size_t partitions) {
    std::vector<Pool> pools(partitions);
    for (std::size_t index = 0; index < pools_.size(); ++index) pools[moved[index]] = std::move(pools_[index]);
    pools_ = std::move(pools);
  }
  /// What was to be returned is not.
  void withdraw() noexcept {
    for (Pool& one : pools_) one.returning = one.returns_special = false;
  }
  /// A swap was carried out.
  void on_swap(Instant now) noexcept {
    withdraw();
    for (Pool& own : pools_) {
      own.taken = 0;
      own.pause = std::clamp<Duration>(2 * own.pause, first_pause, longest_pause);
      own.not_before = after(now, own.pause);
    }
  }
  /// The response of a flight is stored.
  void end(const Flight& flight) noexcept { pools_[flight.partition].used -= flight.cost; }
  /// Takes over what the state says that the process holds.
  void adopt(SharedState& state, HolderId id, Duration lease, const Journal& journal) {
    if (pools_.size() < state.quota.partitions.size()) pools_.resize(state.quota.partitions.size());
    for (Pool& own : pools_) {
      own.leased = own.registered = 0;
      own.special.reset();
    }
    for (const SpecialLease& special : state.specials)
      if (special.holder == id && !journal.has_special(special.partition))
        pools_[special.partition].special = special.sending;
    const Holder* const self = state.find(id);
    until_ = self == nullptr ? Instant::max() : self->until;
    if (self == nullptr) return;
    refresh_at_ = after(until_, -2 * lease / 3);
    for (const Lease& one : self->leases) {
      pools_[one.partition].leased = one.permits;
      pools_[one.partition].registered = sum_of(one.wanted);
    }
  }

 private:
  static constexpr Duration first_pause = std::chrono::milliseconds(5);
  static constexpr Duration longest_pause = std::chrono::milliseconds(250);

  std::vector<Pool> pools_;
  Instant until_ = Instant::max();
  Instant refresh_at_ = Instant::max();
};

}}}  // namespace noun::quota
