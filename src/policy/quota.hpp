#pragma once
/// @file
/// The gate of one quota: admits a request or says when to ask again, and learns from every answer (one bucket).
/// Decisions only: no clock, no wait, no callback; each call locks for its decision alone.

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include <noun/event.hpp>
#include <noun/quota.hpp>
#include <noun/wake.hpp>

#include "policy/quota_state.hpp"

namespace noun::inline v0 {

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
  Permit(std::shared_ptr<QuotaGate> gate, PermitTicket ticket) noexcept : gate_(std::move(gate)), ticket_(ticket) {}

  std::shared_ptr<QuotaGate> gate_;
  PermitTicket ticket_ = {};
};

/// Counts a call among the gate's `held` for as long as it lives. Keep it while the call waits; drop it before asking
/// again. Move-only.
class HeldMark {
 public:
  HeldMark() = default;
  HeldMark(HeldMark&& other) noexcept = default;
  HeldMark& operator=(HeldMark&& other) noexcept;
  ~HeldMark();

 private:
  friend class QuotaGate;
  explicit HeldMark(std::shared_ptr<QuotaGate> gate) noexcept;

  std::shared_ptr<QuotaGate> gate_;
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

/// One quota, shared by everybody who spends it. Safe to use from many threads.
class QuotaGate : public std::enable_shared_from_this<QuotaGate> {
 public:
  /// Admits one request, or says when to ask again.
  /// @param patient_until  until when the caller could wait without failing (its deadline, or what is left of
  ///        `max_wait`, whichever is first). In a window that will be used up anyway the gate may keep back one of
  ///        the last permits, for less than a second and never beyond this instant, to learn from its answer when the
  ///        window turns. By default no permit that exists is kept back. Interactive calls and `fail` never are.
  std::variant<Permit, Hold> admit(Now now, const QuotaPolicy& policy, Priority priority,
                                   Instant patient_until = Instant::min());

  /// What the answer to an admitted request said. `sent` and `received` bracket the exchange. A permit that is empty or
  /// another gate's is ignored.
  /// @returns  a sentence for the observer when something was odd (an implausible reset, no usable Date), or nothing;
  ///           the same one is not said twice in a row.
  std::string settle(Permit permit, Now sent, Now received, const QuotaAnswer& answer);

  QuotaSnapshot snapshot(Now now) const;
  /// The part of the snapshot that events carry.
  QuotaReading reading(Now now) const;
  /// Rises whenever a holder may be admitted; whoever settles or drops a permit wakes the clock's waiters with it.
  const WakeCounter& wake_counter() const noexcept { return changes_; }

 private:
  friend class Permit;
  friend class HeldMark;
  void give_back(const PermitTicket& ticket) noexcept;

  mutable std::mutex mutex_;
  QuotaState state_;
  WakeCounter changes_{0};
  std::atomic<std::size_t> held_{0};
};

}  // namespace noun::inline v0
