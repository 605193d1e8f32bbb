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
  std::size_t partition = 0;
  std::int64_t cost = 0;  ///< leased permits that it used; 0: none were needed
  bool special = false;
  PartitionSending sending = {};
  std::optional<std::pair<Now, Report>> result = {};
  bool active = true;  ///< not released, and its response is not stored
};

/// What was sent since the stored state was read, and what came of it.
class Journal {
 public:
  explicit Journal(HolderId id) noexcept : id_(id) {}

  /// Reserves the space for a request and its response: nothing may throw once it has its permit.
  void reserve();
  /// A request was sent, whose space is reserved.
  /// @returns  its number.
  std::uint64_t send(Flight flight) noexcept;
  Flight& flight(std::uint64_t number) noexcept { return flights_[static_cast<std::size_t>(number - first_)]; }
  /// The flight has its result.
  void record(std::uint64_t number) noexcept { steps_.push_back({.flight = number, .recorded = true}); }
  /// Takes back a request that was not sent.
  Flight take(std::uint64_t number) noexcept;
  /// The steps so far may be stored.
  void propose() noexcept { proposed_ = steps_.size(); }
  /// Drops the steps that were proposed, which are stored, or the first ones. Requests without a response stay.
  /// @param on_end  is called with each flight whose response is dropped.
  template <class Function>
  void forget_proposed(const Function& on_end) {
    forget(std::exchange(proposed_, 0), on_end);
  }
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
  Instant unreported_since() noexcept {
    const auto first = std::find_if(steps_.begin(), steps_.end(), [](const Step& step) { return step.recorded; });
    return first == steps_.end() ? Instant::max() : flight(first->flight).result->first.steady;
  }

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
  std::size_t proposed_ = 0;  // the first of them
};

}}}  // namespace noun::quota
