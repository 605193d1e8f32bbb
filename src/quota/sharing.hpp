#pragma once
/// @file
/// How the gate of one process shares its quota with other processes. The gate decides by its own copy of the shared
/// state and spends the permits that it leased there. What it did since the copy was made are steps, which are repeated
/// on whatever state is stored then. A driver reads and swaps the stored bytes when due() says so.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quota/journal.hpp"
#include "quota/shared_state.hpp"
#include "quota/store_health.hpp"
#include "quota/wallet.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// How one process shares.
struct SharingRules {
  HolderId id = 1;
  Duration lease = {};       ///< how long its permits stay its own without a swap
  bool fails_alone = false;  ///< while the store is unavailable, calls without a permit fail
  Duration slow_after = std::chrono::milliseconds(50);  ///< how long an operation may take before the store is slow
};

/// What a driver has to do.
struct Due {
  Instant swap_at = Instant::max();
  bool watches = false;  ///< a change of the stored state may let a call go
  /// How long to wait between two reads: among many processes, most changes concern others.
  Duration between_reads = {};
  Duration limit = {};  ///< how long the next operation of the store may take
};

/// The part of one gate in a shared quota. Not safe to use from many threads: the gate locks.
class Sharing {
 public:
  explicit Sharing(const SharingRules& rules) noexcept
      : rules_(rules), journal_(rules.id), store_(rules.id, rules.slow_after), pace_(rules.id, rules.lease / 4) {}

  /// The decision about a request.
  struct Acquired {
    Verdict verdict = {};
    bool unavailable = false;  ///< the store is, and SharingRules::fails_alone
    std::uint64_t flight = 0;  ///< number of the admitted request
  };
  /// @param asked  calls ahead in the queue, and open streams.
  Acquired acquire(QuotaState& copy, std::size_t partition, Instant now, const QuotaPolicy& policy, const Ask& ask,
                   const Allowance& asked = {});
  /// The same without an effect.
  Verdict decide(const QuotaState& copy, std::size_t partition, Instant now, const QuotaPolicy& policy, const Ask& ask,
                 const Allowance& asked = {}) const;
  /// Records the result of an admitted request.
  /// @param partition  receives where it was admitted, and where it was counted.
  QuotaState::Recorded record(QuotaState& copy, std::uint64_t flight, std::pair<std::size_t, std::size_t>& partition,
                              Now received, Report&& report);
  /// Records that an admitted request was not sent.
  /// @returns  the partition where it was admitted.
  std::size_t release(QuotaState& copy, std::uint64_t flight) noexcept;

  /// When to swap next.
  /// @param waiting  by partition.
  Due due(const QuotaState& copy, const std::vector<Waiting>& waiting, Instant now);
  /// Whether something happened since the last swap or due() that may change what is due.
  bool take_changed() noexcept { return std::exchange(changed_, false); }
  /// Returns the state to store in place of `stored`, or nothing if `stored` is damaged. Afterwards call committed(),
  /// refused() or unavailable().
  /// @param expired  receives the number of permits of other processes that expired.
  std::optional<std::string> propose(std::string_view stored, QuotaState& copy, const std::vector<Waiting>& waiting,
                                     Now now, Duration store_offset, std::int64_t& expired);
  /// The proposed state was stored.
  void committed(QuotaState& copy, Instant now);
  /// Another process was faster.
  /// @param collided  it swapped while this process did: many may want to.
  /// @param took      a swap.
  void refused(Instant now, bool collided, Duration took) noexcept;
  /// Takes over the stored state without a swap.
  /// @returns  false if it is damaged.
  bool observe(std::string_view stored, QuotaState& copy, Instant now, Duration store_offset);
  /// An operation of the store was carried out, and took so long. Call it before committed(), refused() or observe().
  void responded(Duration took) noexcept { store_.on_response(took); }
  /// An operation of the store failed. After several in a row it is unavailable.
  void unavailable(Instant now);
  /// The next swap returns everything, and removes this process. If the store is unavailable, it is tried once more.
  void leave() noexcept {
    if (!leaving_since_) leaving_since_ = Instant::max();
    changed_ = true;
    store_.retry_at_once();
  }
  bool left() const noexcept { return left_; }

  /// Permits of the partition that this process may still spend.
  std::int64_t tokens(std::size_t partition) const noexcept { return wallet_.of(partition).tokens(); }
  HolderId id() const noexcept { return rules_.id; }
  bool is_alone() const noexcept { return !store_.is_available(); }
  /// Whether the store takes longer than SharingRules::slow_after.
  bool is_slow() const noexcept { return store_.is_slow(); }
  /// The processes, as of the last swap.
  const std::vector<Holder>& holders() const noexcept { return holders_; }

 private:
  // By what a request may go.
  struct Way {
    enum class By : std::uint8_t {
      nothing,    // the verdict says why
      special,    // the special lease of this process
      partition,  // the partition alone: it counts no permits, or the store is unavailable
      permits,    // permits that this process has leased
      share,      // what is known to remain, while the store is unavailable: a share of it must be taken first
    };

    By by = By::nothing;
    Allowance allowance = {};  // for the partition's decision
    std::int64_t cost = 0;     // leased permits that the request uses
    Verdict verdict = {};      // unless the partition decides
    bool unavailable = false;
  };
  struct Proposal {
    SharedState state;
    bool urgent = false;
    bool doubtful = false;  // its swap failed, and may have been carried out
  };

  Way way_of(const Partition& partition, const Pool& own, Instant now, const QuotaPolicy& policy, const Ask& ask,
             const Allowance& asked) const;
  void take_share(Partition& partition, Pool& own, Instant now, const QuotaPolicy& policy, const Ask& ask,
                  const Allowance& allowance);
  void rename_partitions(QuotaState& to, const QuotaState& from);
  bool is_leaving() const noexcept { return leaving_since_.has_value(); }
  bool has_expired(Instant now) const noexcept { return !is_alone() && wallet_.is_expired(now); }
  bool is_swapping() const noexcept { return proposal_ && !proposal_->doubtful; }
  void withdraw() noexcept;
  void adopt(SharedState state, QuotaState& copy, Instant now);
  void forget_proposed() {
    journal_.forget_proposed([this](const Flight& one) { wallet_.end(one); });
    proposal_.reset();
  }
  void plan_measurement(SharedState& state, std::size_t partition, const Waiting& waiting, std::int64_t permits,
                        Instant now) const;
  void lease_special(SharedState& state, std::size_t partition, const Waiting& waiting, std::int64_t flying,
                     Instant now);

  SharingRules rules_;
  Journal journal_;
  Wallet wallet_;
  StoreHealth store_;
  StorePace pace_;
  std::vector<Holder> holders_;
  std::optional<Proposal> proposal_;
  bool known_ = false;   // the stored state was read
  bool urgent_ = false;  // a step contradicts the stored state
  bool changed_ = false;
  std::optional<Instant> leaving_since_;  // Instant::max() until due()
  bool left_ = false;
};

}}}  // namespace noun::quota
