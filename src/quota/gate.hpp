#pragma once
/// @file
/// The gate of one server's quotas, and the only face of this room. A call acquires a permit before each attempt, or
/// waits in the gate's queue; what came of the attempt is recorded. Decides under its lock and returns: no clock, no
/// sleep, no callback.

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

#include "quota/partition.hpp"
#include "quota/routes.hpp"
#include "quota/waiting_calls.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The right to send one request. Move-only; unless it is recorded it is released, as a request never sent.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept = default;
  Permit& operator=(Permit&& other) noexcept;
  ~Permit();

  explicit operator bool() const noexcept { return gate_ != nullptr; }

 private:
  friend class Gate;
  Permit(std::shared_ptr<Gate> gate, std::uint32_t epoch, std::size_t partition, PartitionSending sending) noexcept
      : gate_(std::move(gate)), epoch_(epoch), partition_(partition), sending_(std::move(sending)) {}

  std::shared_ptr<Gate> gate_;
  std::uint32_t epoch_ = 0;
  std::size_t partition_ = 0;
  PartitionSending sending_ = {};
};

/// A place in the gate's queue; the call counts as waiting while it lives. Move-only; give it to acquire() when the call
/// asks again, so that it keeps its turn.
class Place {
 public:
  Place() = default;
  Place(Place&& other) noexcept = default;
  Place& operator=(Place&& other) noexcept;
  ~Place();

  /// The call waits no longer.
  void leave(Instant now) noexcept;
  /// Lets others go first until the call asks again; it keeps its turn.
  void step_aside() noexcept;
  /// What wakes the call.
  WakeTicket ticket() const noexcept { return waiter_ ? WakeTicket{&waiter_->risen, seen_} : WakeTicket{}; }

 private:
  friend class Gate;
  Place(std::shared_ptr<Gate> gate, std::shared_ptr<Waiter> waiter) noexcept;

  std::shared_ptr<Gate> gate_;
  std::shared_ptr<Waiter> waiter_;
  std::uint64_t seen_ = 0;
};

/// When a request may go.
struct Earliest {
  /// Now, or later than now. With reason `quota`, `rejected` or `retry_after` nothing is admitted before it, as far as
  /// is known. With another reason it is only when to look again, at most a second ahead.
  Instant at;
  WaitReason reason = WaitReason::none;  ///< `none` if the request may go now
};

/// Not now. A call whose deadline comes before an `earliest` that is only a look should wait for its deadline rather
/// than fail at once.
struct Hold {
  Earliest earliest;
  /// When to ask again, if the place's ticket is not overtaken before. Later than `earliest.at` for a call that is not
  /// the first in the queue: the gate wakes it when it is its turn.
  Instant ask_again;
  Place place;
};

/// Safe to use from many threads. Calls that wait are served by priority, then first come, first served. Whoever records
/// or releases a permit, or leaves a place, must wake those that take_risen() returns.
class Gate : public std::enable_shared_from_this<Gate> {
 public:
  /// A permit for one request, or how long to wait. Interactive calls, and those that fail when the quota is exhausted,
  /// are never held back to measure a reset.
  /// @param place  of a call that waited.
  std::variant<Permit, Hold> acquire(Now now, const QuotaPolicy& policy, const AcquireOptions& options = {},
                                     Place place = {});
  /// When acquire() would admit the request; a call that was rejected says so in `options.rejection`, and gets the wait
  /// that it must obey. Changes nothing.
  Earliest earliest(Now now, const QuotaPolicy& policy, const AcquireOptions& options = {},
                    const Place& place = {}) const;
  /// What follows from a response.
  struct Recorded {
    /// A sentence for the observer when something was odd (an implausible reset, no usable Date), or nothing; the same
    /// one is not returned twice in a row.
    std::string note = {};
    bool rejected =
        false;  ///< reported as such, or `unavailable` and taken for it: the call waits as after a rejection
  };
  /// What came of the request that the permit was for. An empty permit, or one of another gate, is ignored.
  Recorded record(Permit permit, Now received, const Report& report);
  /// The request was not sent.
  void release(Permit permit) noexcept { permit = {}; }

  /// How long so many calls of a route have to wait.
  Forecast forecast(Now now, RouteKey route, std::int64_t calls, std::int64_t reserve) const;
  QuotaSnapshot snapshot(Now now) const;
  /// The part of the snapshot that events carry, for the partition of a route; and which partition that is.
  struct RouteReading {
    QuotaReading quota;
    std::string partition;
  };
  RouteReading reading(Now now, RouteKey route = 0) const;

  /// The counters of waiting calls that have risen since the last time, to be woken.
  std::vector<std::shared_ptr<const WakeCounter>> take_risen();

  /// What is known, as bytes: at most 8 KiB for each partition, and 16 KiB for the routes. Instants are written relative to `now`.
  std::string save(Instant now) const;
  /// Whose requests were in flight when the state was saved.
  enum class InFlight {
    is_lost,  ///< another process's: they may have been counted, and nobody will record them; permits of this gate end
    is_ours,  ///< this gate's: their permits stay valid
  };
  /// Replaces what is known. Places stay valid.
  /// @returns  false, and changes nothing, for bytes of another version, or broken ones.
  bool load(std::string_view bytes, Instant now, InFlight in_flight = InFlight::is_lost);

 private:
  friend class Permit;
  friend class Place;

  // What is saved.
  struct State {
    Routes routes;
    std::deque<Partition> partitions = std::deque<Partition>(1);  // in the order in which responses named them
    std::uint64_t sent = 0;
    std::uint64_t rejected = 0;

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.routes, self.partitions, self.sent, self.rejected);
    }
  };

  void give_back(std::uint32_t epoch, std::size_t partition, const PartitionSending& sending) noexcept;
  void leave(Waiter& waiter, std::optional<Instant> now) noexcept;
  void step_aside(Waiter& waiter) noexcept;
  std::optional<std::size_t> partition_named(const std::string& name);
  void move_to_reported_partition(Permit& permit, const std::string& name);
  void finish_on_route(RouteKey route) noexcept;
  void notify(std::size_t partition, Instant now) noexcept;
  void notify_all() noexcept;
  void raise_the_misplaced() noexcept;
  void raise(const std::shared_ptr<Waiter>& waiter) noexcept;
  WaitingCalls& queue_of(std::size_t partition);

  mutable std::mutex mutex_;
  State state_;
  std::deque<WaitingCalls> queues_;  // by partition
  std::uint32_t epoch_ = 0;          // of the permits that count
  std::vector<std::shared_ptr<Waiter>> risen_;
  std::atomic<bool> any_risen_ = false;
  Instant latest_ = {};  // a permit that is dropped has no clock
  std::size_t held_ = 0;
  Duration held_for_ = {};
};

}}}  // namespace noun::quota
