#pragma once
/// @file
/// The calls that wait for a permit of one partition: by priority, then first come, first served.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
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
  Instant offered_at = {};  ///< when it was told that it may go
  bool woken = false;       ///< since it asked last

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
  bool empty() const noexcept { return waiting_.empty(); }
  /// Where a call of this priority would stand.
  Waiter::Place last_of(Priority priority) noexcept { return {-static_cast<int>(priority), ++arrivals_}; }
  /// How many calls stand before the place.
  std::int64_t before(const Waiter::Place& place) const noexcept;
  /// How many calls would stand before a new one.
  std::int64_t before(Priority priority) const noexcept;

  void insert(const std::shared_ptr<Waiter>& waiter);
  /// @returns  whether it had been told to go.
  bool erase(const Waiter& waiter) noexcept;

  /// The first call that was not told to go. Only if not empty().
  const std::shared_ptr<Waiter>& first() const noexcept { return waiting_.begin()->second; }
  /// Calls that were told to go and have not come back.
  std::int64_t offered() const noexcept { return static_cast<std::int64_t>(offered_.size()); }
  /// Tells the first one to go.
  const std::shared_ptr<Waiter>& offer_first(Instant now) noexcept;
  /// Nobody waits for those that were told to go long ago and have not come back.
  void forget_late(Instant now) noexcept;

 private:
  using Queue = std::map<Waiter::Place, std::shared_ptr<Waiter>>;

  Queue waiting_;
  Queue offered_;
  std::uint64_t arrivals_ = 0;
};

}}}  // namespace noun::quota
