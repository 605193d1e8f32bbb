#pragma once
/// @file
/// The calls that wait for a permit of one partition: by priority, then first come, first served.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include <noun/quota.hpp>
#include <noun/wake.hpp>

#include "quota/admission.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// One waiting call.
struct Waiter {
  /// Rises when the call should ask again.
  WakeCounter risen{0};
  QuotaPolicy policy = {};
  AcquireOptions options = {};
  std::size_t partition = 0;
  Instant since = {};
  Instant until = {};       ///< when it asks again by itself
  Instant offered_at = {};  ///< when it was told to go
  std::int64_t cost = 1;    ///< of its request
  bool in_risen = false;    ///< among those that are to be woken

  // Its place; smaller is earlier.
  struct Place {
    int rank = 0;
    std::uint64_t arrival = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  Place place = {};
};

/// The queue of one partition. Not safe to use from many threads: its gate locks.
class WaitingCalls {
 public:
  /// Whether all calls were told to go.
  bool empty() const noexcept { return waiting_.empty(); }
  /// Where a call of this priority would stand.
  Waiter::Place last_of(Priority priority) noexcept { return {-static_cast<int>(priority), ++arrivals_}; }
  /// The calls before the place.
  Sums before(const Waiter::Place& place) const noexcept;
  /// The calls before a new one.
  Sums before(Priority priority) const noexcept;

  void insert(const std::shared_ptr<Waiter>& waiter);
  /// @returns  whether it had been told to go.
  bool erase(const Waiter& waiter) noexcept;

  /// The first call that was not told to go. Only if not empty().
  const std::shared_ptr<Waiter>& first() const noexcept { return waiting_.begin()->second; }
  /// Calls that were told to go and have not come back.
  Sums offered() const noexcept { return offered_sums_; }
  bool is_offered(const Waiter& waiter) const noexcept { return offered_.contains(waiter.place); }
  /// Tells the first one to go.
  const std::shared_ptr<Waiter>& offer_first(Instant now);
  /// Nobody waits for those that should have asked again and did not: they come back to their places if they ask.
  /// @returns  whether there were any.
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
