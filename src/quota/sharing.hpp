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

#include "quota/shared_state.hpp"
#include "quota/store_health.hpp"
#include "quota/unstored_steps.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// How one process shares.
struct SharingRules {
  HolderId id = 1;
  Duration lease = {};       ///< how long its permits stay its own without a swap
  bool fails_alone = false;  ///< while the store is unavailable, calls without a permit fail
  Duration slow_after = std::chrono::milliseconds(50);  ///< how long an operation may take before the store is slow
};

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
      : rules_(rules), steps_(rules.id), store_(rules.id, rules.slow_after), pace_(rules.id, rules.lease / 4) {}

  /// The decision about a request.
  struct Acquired {
    Verdict verdict = {};
    bool unavailable = false;  ///< the store is, and SharingRules::fails_alone
    std::uint64_t flight = 0;  ///< number of the admitted request
  };
  /// @param ahead  calls ahead in the queue.
  Acquired acquire(QuotaState& copy, std::size_t partition, Instant now, const QuotaPolicy& policy, const Ask& ask,
                   const Sums& ahead = {});
  /// The same without an effect.
  Verdict decide(const QuotaState& copy, std::size_t partition, Instant now, const QuotaPolicy& policy, const Ask& ask,
                 const Sums& ahead = {}) const;
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
  std::int64_t tokens(std::size_t partition) const noexcept {
    return partition < pools_.size() ? pools_[partition].tokens() : 0;
  }
  HolderId id() const noexcept { return rules_.id; }
  bool is_alone() const noexcept { return !store_.is_available(); }
  /// Whether the store takes longer than SharingRules::slow_after.
  bool is_slow() const noexcept { return store_.is_slow(); }
  /// The processes, as of the last swap.
  const std::vector<Holder>& holders() const noexcept { return holders_; }

 private:
  struct Pool {
    std::int64_t leased = 0;  // in the copy's state
    std::int64_t used = 0;    // by flights
    std::int64_t taken = 0;   // since the last swap
    bool returning = false;
    std::optional<PartitionSending> special = {};  // not sent yet
    bool returns_special = false;
    Instant taken_at = Instant::min();
    Priority priority = Priority::normal;  // of the last request
    std::optional<std::int64_t> demand = {};
    std::int64_t registered = 0;  // permits that the stored state says are wanted
    Instant turn_since = Instant::max();
    Instant not_before = Instant::min();  // of the next swap for lack of permits
    Duration pause = {};
    Instant alone_since = Instant::min();  // when the share of a process alone was last taken

    // A process without the store takes its share of what remains once in a window, or every ten seconds.
    bool may_take_share(Instant now) const noexcept {
      return alone_since == Instant::min() || now >= after(alone_since, std::chrono::seconds(10));
    }
    std::int64_t tokens() const noexcept { return returning ? 0 : std::max<std::int64_t>(leased - used, 0); }
    bool has_special() const noexcept { return special && !returns_special; }
  };
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
    std::size_t steps = 0;
    bool urgent = false;
    bool leaving = false;
    bool doubtful = false;  // its swap failed, and may have been carried out
  };

  Pool& pool(std::size_t partition) {
    if (pools_.size() <= partition) pools_.resize(partition + 1);
    return pools_[partition];
  }
  Way way_of(const Partition& partition, const Pool& own, Instant now, const QuotaPolicy& policy, const Ask& ask,
             const Sums& ahead) const;
  std::uint64_t send(const Ask& ask);
  void take_share(Partition& partition, Pool& own, Instant now, const QuotaPolicy& policy, const Ask& ask,
                  const Allowance& allowance);
  void rename_partitions(QuotaState& to, const QuotaState& from);
  bool is_leaving() const noexcept { return leaving_since_.has_value(); }
  bool has_expired(Instant now) const noexcept { return !is_alone() && now >= until_; }
  bool is_swapping() const noexcept { return proposal_ && !proposal_->doubtful; }
  void withdraw() noexcept;
  void adopt(SharedState state, QuotaState& copy, Instant now);
  void forget_steps(std::size_t count) {
    steps_.forget(count, [this](const Flight& one) { pools_[one.partition].used -= one.cost; });
  }
  Wanted wanted(const Pool& own, const Waiting& waiting) const noexcept;
  void plan_measurement(SharedState& state, std::size_t partition, const Waiting& waiting, std::int64_t permits,
                        Instant now) const;
  void return_special(SharedState& state, std::size_t partition, bool wanted);
  void lease_special(SharedState& state, std::size_t partition, const Waiting& waiting, std::int64_t flying,
                     Instant now);
  std::size_t turn() const noexcept;

  SharingRules rules_;
  UnstoredSteps steps_;
  StoreHealth store_;
  StorePace pace_;
  std::vector<Pool> pools_;
  std::vector<Holder> holders_;
  std::optional<Proposal> proposal_;
  bool known_ = false;   // the stored state was read
  bool urgent_ = false;  // a step contradicts the stored state
  bool changed_ = false;
  std::optional<Instant> leaving_since_;  // Instant::max() until due()
  bool left_ = false;
  Instant until_ = Instant::max();       // of the leases
  Instant refresh_at_ = Instant::max();  // before they expire
};

}}}  // namespace noun::quota
