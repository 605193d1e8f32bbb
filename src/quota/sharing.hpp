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
  std::int64_t offered = 0;     ///< permits offered to further calls, which have not acquired them yet
  QuotaPolicy policy = {};      ///< of the first of them
  AcquireOptions options = {};  ///< of the first of them
  std::int64_t cost = 1;        ///< of its request
  Wanted calls = {};            ///< permits for all of them
  Wanted demand = {};           ///< permits for what their callers still have to send
  bool all_demand = true;       ///< all of them say how much that is
  Instant patient_until = Instant::max();  ///< the earliest of all of them; AcquireOptions::patient_until
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
  explicit Sharing(const SharingRules& rules) noexcept : rules_(rules) {}

  /// The decision about a request.
  struct Verdict {
    Partition::Verdict decision = {};
    bool unavailable = false;  ///< the store is, and SharingRules::fails_alone
    std::uint64_t flight = 0;  ///< number of the admitted request
  };
  Verdict acquire(QuotaState& copy, std::size_t partition, Instant now, const QuotaPolicy& policy,
                  const AcquireOptions& options);
  /// The same without an effect.
  Partition::Verdict decide(const QuotaState& copy, std::size_t partition, Instant now, const QuotaPolicy& policy,
                            const AcquireOptions& options) const;
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
  void responded(Duration took) noexcept;
  /// An operation of the store failed. After several in a row it is unavailable.
  void unavailable(Instant now);
  /// The next swap returns everything, and removes this process. If the store is unavailable, it is tried once more.
  void leave() noexcept {
    leaving_ = changed_ = true;
    retry_at_ = Instant::min();
  }
  bool left() const noexcept { return left_; }

  /// Permits of the partition that this process may still spend.
  std::int64_t tokens(std::size_t partition) const noexcept {
    return partition < pools_.size() ? pools_[partition].tokens() : 0;
  }
  HolderId id() const noexcept { return rules_.id; }
  bool is_alone() const noexcept { return alone_; }
  /// Whether the store takes longer than SharingRules::slow_after.
  bool is_slow() const noexcept { return slow_; }
  /// The processes, as of the last swap.
  const std::vector<Holder>& holders() const noexcept { return holders_; }

 private:
  // A request of this process that the stored state does not have yet.
  struct Flight {
    Flight(std::size_t on, std::int64_t permits, bool is_special) noexcept
        : partition(on), cost(permits), special(is_special) {}

    std::size_t partition;
    std::int64_t cost;  // leased permits that it used; 0: none were needed
    bool special;
    bool active = true;  // not released
    PartitionSending sending = {};
    std::optional<std::pair<Now, Report>> result = {};
  };
  struct Step {
    std::uint64_t flight = 0;
    bool recorded = false;  // or sent
  };
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
  // What admits a request, and by which policy and options.
  struct Terms {
    enum class By : std::uint8_t {
      nothing,        // the stored state was never read
      special,        // the special lease of this process
      no_permit,      // the partition alone: it counts no permits
      permits,        // permits that this process has leased
      own_knowledge,  // the store is unavailable, and this process has no permit
      swap,           // permits must be leased first
    };

    By by = By::nothing;
    QuotaPolicy policy = {};
    AcquireOptions options = {};
    std::int64_t cost = 0;  // permits that the request uses
  };
  struct Proposal {
    SharedState state;
    std::size_t steps = 0;
    bool urgent = false;
    bool leaving = false;
  };

  Pool& pool(std::size_t partition) {
    if (pools_.size() <= partition) pools_.resize(partition + 1);
    return pools_[partition];
  }
  Terms terms_of(const Partition& partition, const Pool& own, Instant now, const QuotaPolicy& policy,
              const AcquireOptions& options) const;
  static Partition::Verdict without_permit(const Partition& partition, const Pool& own, const Terms& terms,
                                           Instant now);
  Flight& flight(std::uint64_t number) noexcept { return flights_[static_cast<std::size_t>(number - first_)]; }
  std::uint64_t send(const AcquireOptions& options);
  void take_share(Partition& partition, Pool& own, Instant now, const QuotaPolicy& policy,
                  const AcquireOptions& options);
  void rename_partitions(QuotaState& to, const QuotaState& from);
  using Sendings = std::vector<std::optional<PartitionSending>>;

  bool has_expired(Instant now) const noexcept { return !alone_ && now >= until_; }
  void drop_flights() noexcept;
  void withdraw() noexcept;
  void on_available() noexcept;
  Duration limit(Instant now) const noexcept;
  Sendings repeat(SharedState& state);
  void adopt(SharedState state, QuotaState& copy, Instant now);
  void forget_steps(std::size_t count);
  Wanted wanted(const Pool& own, const Waiting& waiting) const noexcept;
  void plan_measurement(SharedState& state, std::size_t partition, const Waiting& waiting, std::int64_t permits,
                        Instant now) const;
  void return_special(SharedState& state, std::size_t partition, bool wanted);
  void lease_special(SharedState& state, std::size_t partition, const Waiting& waiting, std::int64_t flying,
                     Instant now);
  std::size_t turn() const noexcept;

  SharingRules rules_;
  std::vector<Flight> flights_;
  std::uint64_t first_ = 1;  // number of the first of them
  std::vector<Step> steps_;
  std::vector<Pool> pools_;
  std::vector<Holder> holders_;
  std::optional<Proposal> proposal_;
  std::optional<Proposal> doubtful_;  // its swap failed, and may have been carried out
  bool known_ = false;                // the stored state was read
  bool joined_ = false;               // and swapped
  bool urgent_ = false;               // a step contradicts the stored state
  bool changed_ = false;
  int failures_ = 0;  // of the store, in a row; a read does not end one with a swap
  Instant failing_since_ = Instant::max();
  bool swap_failed_ = false;
  bool alone_ = false;  // the store is unavailable
  bool slow_ = false;   // an operation was carried out, but took longer than others may
  int quick_ = 0;       // operations of the slow store, in a row, that did not
  bool leaving_ = false;
  Instant leaving_since_ = Instant::max();
  bool left_ = false;
  Instant unreported_since_ = Instant::max();
  Instant until_ = Instant::max();       // of the leases
  Instant refresh_at_ = Instant::max();  // before they expire
  std::uint32_t vain_reads_ = 0;         // in a row, of changes that concerned others
  std::uint32_t collisions_ = 0;         // recent ones
  Instant after_collision_ = Instant::min();
  Instant retry_at_ = Instant::min();
  Duration retry_pause_ = {};
};

}}}  // namespace noun::quota
