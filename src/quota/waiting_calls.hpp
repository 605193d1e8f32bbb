#pragma once
/// @file
/// The queue of calls that wait for a permit of one partition: by priority, then first come, first served.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include <noun/quota.hpp>

#include "quota/ask.hpp"
#include "quota/wakeable.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// A call that waits for a permit.
struct Waiter : Wakeable {
  QuotaPolicy policy = {};
  Ask ask = {};
  std::size_t partition = 0;
  Instant since = {};
  Instant until = {};       ///< when it acquires again by itself
  bool expects_share = false;  ///< as far as it knows, it waits for a share
  Instant offered_at = {};  ///< when it was offered a permit
  std::int64_t cost = 1;    ///< cost of its request

  /// Until when it can wait; never if it fails when the quota is used up.
  Instant patient_until() const noexcept {
    return policy.when_exhausted == WhenExhausted::wait ? ask.patient_until : Instant::min();
  }

  // Position in the queue; smaller is earlier.
  struct Place {
    int rank = 0;
    std::uint64_t arrival = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  Place place = {};
};

/// The queue of one partition. Not safe to use from many threads: the gate locks.
class WaitingCalls {
 public:
  /// Whether each call has been offered a permit.
  bool empty() const noexcept { return waiting_.empty(); }
  /// The place of a new call of this priority.
  Waiter::Place last_of(Priority priority) noexcept { return {-static_cast<int>(priority), ++arrivals_}; }
  /// The calls ahead of the place.
  Sums before(const Waiter::Place& place) const noexcept;
  /// The calls ahead of a new call of this priority.
  Sums before(Priority priority) const noexcept;

  void insert(const std::shared_ptr<Waiter>& waiter);
  /// @returns  whether it had been offered a permit.
  bool erase(const Waiter& waiter) noexcept;

  /// The first call that has not been offered a permit. Only if not empty().
  const std::shared_ptr<Waiter>& first() const noexcept { return waiting_.begin()->second; }
  /// Calls that were offered a permit and have not acquired it yet.
  Sums offered() const noexcept { return offered_sums_; }
  bool is_offered(const Waiter& waiter) const noexcept { return offered_.contains(waiter.place); }
  /// Offers a permit to the first call.
  const std::shared_ptr<Waiter>& offer_first(Instant now);
  /// Removes calls that should have acquired again and did not. They return to their places when they do.
  /// @returns  whether any was removed.
  bool forget_late(Instant now) noexcept;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [place, waiter] : waiting_) visit(waiter);
  }

 private:
  using Queue = std::map<Waiter::Place, std::shared_ptr<Waiter>>;

  Queue waiting_;
  Queue offered_;
  Sums waiting_sums_ = {};
  Sums offered_sums_ = {};
  std::deque<std::pair<Instant, Waiter::Place>> offers_;  // when, to whom
  std::uint64_t arrivals_ = 0;
};

}}}  // namespace noun::quota
