#pragma once
/// @file
/// What one process did that the stored state of its shared quota does not have yet: requests that it sent, and their
/// responses. They are repeated on whatever state is stored.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "quota/shared_state.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// A request of this process that the stored state does not have yet.
struct Flight {
  Flight(std::size_t on, std::int64_t permits, bool is_special) noexcept
      : partition(on), cost(permits), special(is_special) {}

  std::size_t partition;
  std::int64_t cost;  ///< leased permits that it used; 0: none were needed
  bool special;
  bool active = true;  ///< not released, and its response is not stored
  PartitionSending sending = {};
  std::optional<std::pair<Now, Report>> result = {};
};

class UnstoredSteps {
 public:
  explicit UnstoredSteps(HolderId id) noexcept : id_(id) {}

  /// A request that may be sent: sent() or drop_last() follows.
  /// @returns  a reference that is valid until then.
  Flight& add(std::size_t partition, std::int64_t cost, bool special);
  void drop_last() noexcept { flights_.pop_back(); }
  const Flight& last() const noexcept { return flights_.back(); }
  /// The last one was sent.
  /// @returns  its number.
  std::uint64_t sent() noexcept;
  Flight& flight(std::uint64_t number) noexcept { return flights_[static_cast<std::size_t>(number - first_)]; }
  /// The flight has its result.
  /// @returns  whether it is the first that is not stored.
  bool recorded(std::uint64_t number);
  /// Takes back a request that was not sent.
  /// @param before  receives the number of steps before its own.
  Flight take(std::uint64_t number, std::size_t& before) noexcept;
  /// Drops the first steps. Requests without a response stay.
  /// @param on_end  is called with each flight whose response is dropped.
  template <class Function>
  void forget(std::size_t count, const Function& on_end) {
    for (std::size_t index = 0; index < count; ++index) {
      if (!steps_[index].recorded) continue;
      Flight& one = flight(steps_[index].flight);
      one.active = false;
      on_end(std::as_const(one));
    }
    drop_steps(count);
  }
  /// Finds out what unreported_since() is after some were stored.
  void update_unreported() noexcept;
  /// Moves the flights to other partitions, by their indices.
  void rename(const std::vector<std::size_t>& moved) noexcept {
    for (Flight& one : flights_) one.partition = moved[one.partition];
  }

  /// Takes back what this process leased in the state, and repeats the steps. What the state records of requests
  /// without a response is theirs from now on.
  void repeat(SharedState& state);
  /// The same for a state to store, in which such requests are leased permits.
  /// @returns  these permits, by partition.
  std::vector<std::int64_t> repeat_as_leases(SharedState& state) const;

  std::size_t size() const noexcept { return steps_.size(); }
  bool has_flights() const noexcept { return !flights_.empty(); }
  bool has_special(std::size_t partition) const noexcept {
    return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& one) {
      return one.active && one.special && one.partition == partition;
    });
  }
  /// When the first response was received that is not stored; Instant::max() without one.
  Instant unreported_since() const noexcept { return unreported_since_; }

 private:
  struct Step {
    std::uint64_t flight = 0;
    bool recorded = false;  // or sent
  };
  using Sendings = std::vector<std::optional<PartitionSending>>;

  Sendings repeat_on(SharedState& state) const;
  void drop_steps(std::size_t count);
  void drop_flights() noexcept;

  HolderId id_;
  std::vector<Flight> flights_;
  std::uint64_t first_ = 1;  // number of the first of them
  std::vector<Step> steps_;
  Instant unreported_since_ = Instant::max();
};

}}}  // namespace noun::quota
