#pragma once
/// @file
/// The gate of one service's quotas: admits a request or says when to ask again, and learns from every answer.
/// Decisions only: no clock, no wait, no callback; each call locks for its decision alone.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/wake.hpp>

#include "quota/quota_bucket.hpp"
#include "quota/quota_routes.hpp"

namespace noun { inline namespace v0 {

/// The right to send one request. Move-only; unless it is settled it goes back to the gate, as a request never sent.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept = default;
  Permit& operator=(Permit&& other) noexcept;
  ~Permit();

  explicit operator bool() const noexcept { return gate_ != nullptr; }

 private:
  friend class QuotaGate;
  Permit(std::shared_ptr<QuotaGate> gate, std::size_t bucket, BucketTicket ticket) noexcept
      : gate_(std::move(gate)), bucket_(bucket), ticket_(std::move(ticket)) {}

  std::shared_ptr<QuotaGate> gate_;
  std::size_t bucket_ = 0;
  BucketTicket ticket_ = {};
};

/// Counts a call among the gate's `held` for as long as it lives. Keep it while the call waits; end() it before asking
/// again. Move-only.
class HeldMark {
 public:
  HeldMark() = default;
  HeldMark(HeldMark&& other) noexcept = default;
  HeldMark& operator=(HeldMark&& other) noexcept;
  ~HeldMark();

  /// The call waits no longer; how long it did is added to the gate's count.
  void end(Instant now) noexcept;

 private:
  friend class QuotaGate;
  HeldMark(std::shared_ptr<QuotaGate> gate, Instant since) noexcept;

  std::shared_ptr<QuotaGate> gate_;
  Instant since_ = {};
};

/// Not now: ask again at `until`, or when the ticket is overtaken.
struct Hold {
  /// Always later than the `now` that was asked with; Instant::max() where the service asks for more than fits.
  /// With reason `quota` or `rejected` nothing will be admitted before it, as far as can be told. With `first_answer`,
  /// `probe` or `concurrency` it is only the next look (at most a second ahead), and the ticket is usually overtaken
  /// before: a call whose deadline comes first should wait for its deadline rather than fail at once.
  Instant until;
  WaitReason reason;
  /// Taken under the gate's lock: what changed after the decision overtakes it.
  WakeTicket ticket;
  HeldMark mark = {};
};

/// What a gate is asked with.
struct GateAsk {
  Priority priority = Priority::normal;
  Instant patient_until = Instant::min();   ///< as in QuotaAsk
  std::optional<std::int64_t> demand = {};  ///< as in QuotaAsk
  RouteKey route = 0;
};

/// The quotas of one service and identity, shared by everybody who spends them. Safe to use from many threads.
class QuotaGate : public std::enable_shared_from_this<QuotaGate> {
 public:
  /// Admits one request, or says when to ask again. Interactive calls and `fail` are never held to learn.
  std::variant<Permit, Hold> admit(Now now, const QuotaPolicy& policy, const GateAsk& ask = {});

  /// What the answer to an admitted request said. `sent` and `received` bracket the exchange. A permit that is empty or
  /// another gate's is ignored.
  /// @returns  a sentence for the observer when something was odd (an implausible reset, no usable Date), or nothing;
  ///           the same one is not said twice in a row.
  std::string settle(Permit permit, Now sent, Now received, const QuotaAnswer& answer);

  QuotaSnapshot snapshot(Now now) const;
  /// The part of the snapshot that events carry, for the bucket of a route; and which quota that is.
  struct RouteReading {
    QuotaReading quota;
    std::string bucket;
  };
  RouteReading reading(Now now, RouteKey route = 0) const;
  /// How long so many calls of a route have to wait.
  QuotaForecast forecast(Now now, RouteKey route, std::int64_t calls, std::int64_t reserve) const;
  /// Rises whenever a holder may be admitted; whoever settles or drops a permit wakes the clock's waiters with it.
  const WakeCounter& wake_counter() const noexcept { return changes_; }

 private:
  friend class Permit;
  friend class HeldMark;
  struct Named {
    std::string name;
    QuotaBucket bucket = {};
  };

  void give_back(std::size_t bucket, const BucketTicket& ticket) noexcept;
  // The requests of a route that were under way when it was learned where they are counted.
  struct Moved {
    std::size_t to = 0;
    std::int64_t left = 0;
  };

  std::optional<std::size_t> place_of(const std::string& name);
  bool move_to_told_bucket(Permit& permit, Instant sent, const QuotaAnswer& answer);
  void learn_route(std::uint32_t route, std::size_t to);
  void arrive(std::uint32_t route) noexcept;

  mutable std::mutex mutex_;
  QuotaRoutes routes_;
  std::deque<Named> buckets_ = std::deque<Named>(1);  // in the order in which answers named them
  WakeCounter changes_{0};
  std::vector<std::int64_t> under_way_ = {};             // by route
  std::unordered_map<std::uint32_t, Moved> moved_ = {};  // by route
  std::uint64_t sent_ = 0;
  std::uint64_t rejected_ = 0;
  std::atomic<std::size_t> held_{0};
  std::atomic<Duration::rep> held_for_{0};
};

}}  // namespace noun
