#pragma once
/// @file
/// The gate of one server's quotas, and the only interface of src/quota. A call acquires a permit before each attempt,
/// or waits in the gate's queue, and the result of the attempt is recorded. The gate decides under its lock and
/// returns: it reads no clock, does not sleep, and calls no callback.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/wake.hpp>

#include "decision/backoff.hpp"
#include "quota/quota_state.hpp"
#include "quota/sharing.hpp"
#include "quota/waiting_calls.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The right to send one request. Move-only. A permit that is not recorded is released, as for a request never sent.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept = default;
  Permit& operator=(Permit other) noexcept {
    std::swap(gate_, other.gate_);
    std::swap(taken_, other.taken_);
    return *this;
  }
  ~Permit();

  explicit operator bool() const noexcept { return gate_ != nullptr; }

 private:
  friend class Gate;
  struct Taken {
    std::uint32_t epoch = 0;
    std::size_t partition = 0;
    PartitionSending sending = {};
    std::uint64_t flight = 0;  // in a shared quota, in place of partition and sending
    bool is_open = false;      // of a stream whose head was recorded, on this partition
  };
  Permit(std::shared_ptr<Gate> gate, Taken taken) noexcept : gate_(std::move(gate)), taken_(std::move(taken)) {}

  std::shared_ptr<Gate> gate_;
  Taken taken_ = {};
};

/// A place in the gate's queue. The call counts as waiting while it exists. Move-only. Pass it to acquire() to keep the
/// turn.
class Place {
 public:
  Place() = default;
  Place(Place&& other) noexcept = default;
  Place& operator=(Place other) noexcept {
    std::swap(gate_, other.gate_);
    std::swap(waiter_, other.waiter_);
    std::swap(seen_, other.seen_);
    return *this;
  }
  ~Place();

  /// The call stops waiting.
  void leave(Instant now) noexcept;
  /// Returns the ticket that wakes the call.
  WakeTicket ticket() const noexcept { return waiter_ ? WakeTicket{&waiter_->wakes, seen_} : WakeTicket{}; }
  /// From now on the sleeper is told about the call, by this number. Look at the ticket once more afterwards.
  void wake_through(const std::shared_ptr<Sleeper>& sleeper, std::uint64_t number) noexcept;

 private:
  friend class Gate;
  Place(std::shared_ptr<Gate> gate, std::shared_ptr<Waiter> waiter) noexcept;

  std::shared_ptr<Gate> gate_;
  std::shared_ptr<Waiter> waiter_;
  std::uint64_t seen_ = 0;
};

/// When a request may be sent.
struct Earliest {
  /// Now or later. With reason `quota`, `rejected` or `retry_after`, nothing is admitted before it, as far as is known.
  /// With another reason it is only when to check again, at most a second ahead.
  Instant at;
  WaitReason reason = WaitReason::none;  ///< `none` if the request may be sent now
};

/// The request may not be sent now. If `earliest` is only a time to check again, a call whose deadline is before it
/// should wait for its deadline rather than fail at once.
struct Hold {
  Earliest earliest;
  /// When to acquire again if the place's ticket is not overtaken before. Later than `earliest.at` for a call that is
  /// not first in the queue: the gate wakes it when it is its turn.
  Instant acquire_at;
  Place place;
  /// Why the store of the shared quota is unavailable, if calls without a permit fail then (WhenUnavailable::fail).
  std::optional<std::string> unavailable = {};
};

/// A quota gate. Safe to use from many threads. Waiting calls are served by priority, then first come, first served.
/// After a permit is recorded or released, or a place left, the caller must wake the calls of take_woken().
class Gate : public std::enable_shared_from_this<Gate> {
 public:
  /// Returns a permit for one request, or how long to wait. Interactive calls, and calls that fail when the quota is
  /// exhausted, are never held back to measure a reset.
  /// @param place  the place of a call that waited.
  std::variant<Permit, Hold> acquire(Now now, const QuotaPolicy& policy, const Ask& ask = {}, Place place = {});
  /// Returns when acquire() would admit the request. Changes nothing.
  Earliest earliest(Now now, const QuotaPolicy& policy, const Ask& ask = {}, const Place& place = {}) const;
  /// The same for a call that was just rejected: no earlier than its own wait_after_rejection().
  Earliest earliest(Now now, const QuotaPolicy& policy, const Ask& ask, const Rejection& rejection) const;
  /// The result of recording a response.
  struct Recorded {
    /// A sentence for the observer about an anomaly (an implausible reset, no usable Date), or empty. The same sentence
    /// is not returned twice in a row.
    std::string note = {};
    /// Reported as rejected, or `unavailable` and treated as rejected: the call waits as after a rejection.
    bool rejected = false;
  };
  /// Records the result of the permit's request. Ignores an empty permit, or one of another gate.
  /// @throws std::bad_alloc  if memory runs out; the permit is no longer in use then.
  Recorded record(Permit permit, Now received, Report report);
  /// Records the head of a stream. From then on its request is not in flight, but its permit still counts as a
  /// connection, and where the server limits how many requests are in flight: until it is released or recorded.
  Recorded record_head(Permit& permit, Now received, Report report);
  /// Releases the permit of a request that was not sent.
  void release(Permit permit) noexcept { permit = {}; }

  /// How long so many calls of a route wait.
  Forecast forecast(Now now, RouteKey route, std::int64_t calls, std::int64_t reserve) const;
  QuotaSnapshot snapshot(Now now) const;
  /// The part of the snapshot that events carry, for the partition of a route, and the name of that partition.
  struct RouteReading {
    QuotaReading quota;
    std::string partition;
  };
  RouteReading reading(Now now, RouteKey route = 0) const;

  /// How long ago the server's clock showed a date, at least; zero if that is not known.
  Duration since(std::chrono::sys_seconds date, Now now, RouteKey route) const;

  /// Makes it the gate of one process that shares its quota with others. Call it before the first acquire().
  /// @param driver  is told when it should call due() again; take_woken() returns it then.
  void share(const SharingRules& rules, const std::weak_ptr<Sleeper>& driver = {});
  /// @{
  /// As of Sharing. Only for a shared gate; its driver calls them.
  Due due(Now now) { return locked([&] { return sharing_->due(state_, waiting(), now.steady); }); }
  std::optional<std::string> propose(std::string_view stored, Now now, Duration store_offset, std::int64_t& expired) {
    return locked([&] { return sharing_->propose(stored, state_, waiting(), now, store_offset, expired); });
  }
  void committed(Now now);
  void refused(Instant now, bool collided, Duration took) { locked([&] { sharing_->refused(now, collided, took); }); }
  bool observe(std::string_view stored, Now now, Duration store_offset);
  void responded(Duration took) { locked([&] { sharing_->responded(took); }); }
  /// @param why  for the errors of calls; may be empty.
  void unavailable(Now now, const std::string& why);
  bool is_alone() const { return locked([&] { return sharing_->is_alone(); }); }
  bool is_slow() const { return locked([&] { return sharing_->is_slow(); }); }
  void leave() { locked([&] { sharing_->leave(); }); }
  bool left() const { return locked([&] { return sharing_->left(); }); }
  /// @}
  /// A call that should go on.
  struct Woken {
    std::shared_ptr<const WakeCounter> counter;
    /// To be told by `number`; null if a thread waits for the counter.
    std::shared_ptr<Sleeper> sleeper;
    std::uint64_t number;
  };
  /// Wakes calls that do not wait for a permit: take_woken() returns them.
  void wake(const std::vector<std::shared_ptr<Wakeable>>& others) noexcept;
  /// As Place::wake_through(), of a call that wake() wakes.
  void wake_through(Wakeable& waiting, const std::shared_ptr<Sleeper>& sleeper, std::uint64_t number) noexcept;
  /// Returns the calls whose counters have risen since the last call of this function. The caller must wake them.
  std::vector<Woken> take_woken();

  /// Serializes the state: at most 8 KiB for each partition, or 16 KiB if it has more than eight quota policies, and
  /// 16 KiB for the routes. Instants are relative to `now`.
  std::string save(Instant now) const;
  /// What becomes of the requests that were in flight when the state was saved.
  enum class InFlight {
    /// They belong to another process and will not be recorded here; the server may have counted them. All permits of
    /// this gate become invalid.
    is_lost,
    is_ours,  ///< They belong to this gate. Their permits stay valid.
  };
  /// Replaces the state by one that save() returned. Calls in the queue keep their places.
  /// @param now  the instant to which the saved instants are relative.
  /// @returns    false, without a change, if the bytes are damaged, of another version, or (`is_ours`) have fewer
  ///             partitions than this gate.
  bool load(std::string_view bytes, Instant now, InFlight in_flight = InFlight::is_lost);

 private:
  friend class Permit;
  friend class Place;

  template <class Function>
  auto locked(const Function& function) const -> decltype(function()) {
    const std::lock_guard lock(mutex_);
    return function();
  }
  Recorded record(Permit::Taken& taken, Now received, Report&& report, bool stays_open);
  void give_back(const Permit& permit) noexcept;
  void leave(Waiter& waiter, std::optional<Instant> now) noexcept;
  void notify(std::size_t partition, Instant now) noexcept;
  void notify_all() noexcept {
    for (std::size_t partition = 0; partition < queues_.size(); ++partition) notify(partition, latest_);
  }
  void wake_misplaced() noexcept;
  void raise(const std::shared_ptr<Wakeable>& waiter) noexcept;
  WaitingCalls& queue_of(std::size_t partition) {
    while (queues_.size() <= partition) queues_.emplace_back();
    return queues_[partition];
  }
  std::vector<Waiting> waiting() const;
  void after_change(Instant now) noexcept;
  /// Does not allocate: acquire() has reserved the space.
  void wake_driver() noexcept {
    if (sharing_ && sharing_->take_changed()) raise(driver_);
  }
  bool may_lack_connection(const Ask& ask, const Sums& ahead) const noexcept {
    return ahead.requests >= ask.connections - permits_;
  }
  Verdict decide(std::size_t partition, Instant now, const QuotaPolicy& policy, const Ask& ask,
                 const Sums& ahead) const;
  std::int64_t open_on(std::size_t partition) const noexcept {
    return partition < open_.size() ? open_[partition] : 0;
  }
  void end_permit(std::size_t partition) noexcept;

  mutable std::mutex mutex_;
  QuotaState state_;
  std::deque<WaitingCalls> queues_;  // one for each partition
  std::uint32_t epoch_ = 0;          // permits of other epochs are ignored
  std::int64_t permits_ = 0;         // of this epoch, that are in use
  std::vector<std::int64_t> open_;   // of them, those of streams, by partition
  std::string store_fault_;           // why the store was unavailable the last time
  bool lacked_connection_ = false;   // a call in a queue is held for lack of a connection
  std::optional<Sharing> sharing_;
  std::shared_ptr<Wakeable> driver_;  // of a shared gate
  std::vector<std::shared_ptr<Wakeable>> woken_;
  std::atomic<bool> any_woken_ = false;
  Instant latest_ = {};  // the last known time: a dropped permit has no clock
  std::size_t held_ = 0;
  Duration held_for_ = {};
};

}}}  // namespace noun::quota
