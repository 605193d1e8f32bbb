#pragma once
/// @file
/// Whether a quota flows back little by little (a token bucket), how fast, and how much of it is there by now. Learned
/// from what was left: more than can be explained without a flow. Admits nothing.

#include <cstdint>
#include <limits>
#include <optional>

#include <noun/time.hpp>

#include "quota/reset_slope.hpp"
#include "quota/server_clock.hpp"

namespace noun { inline namespace v0 {

/// What an answer says about what is left.
struct LevelReport {
  Instant sent = {};
  Instant received = {};
  std::int64_t remaining = 0;
  std::int64_t cost = 1;  ///< of the request that was answered
  std::optional<std::int64_t> limit = {};
  std::optional<InstantSpan> reset = {};
  std::optional<InstantSpan> told = {};   ///< the same, by a clock that is always as far ahead of ours
  std::optional<double> per_second = {};  ///< where the service tells it
  std::int64_t others = 0;                ///< the cost of what was in flight when it was answered
  std::int64_t perhaps_after = 0;   ///< of what was admitted by then, the cost of what may have been counted later
  std::uint64_t admitted = 0;       ///< the cost of all requests until then
  std::uint64_t served_before = 0;  ///< of those, what had been served before this one was sent
  std::uint64_t served = 0;         ///< of those, what is served now
};

/// The flow of one quota.
class QuotaRefill {
 public:
  /// Takes in an answer in the order in which answers come.
  void learn(const LevelReport& report);
  /// A request of this cost may have been counted, and no answer told what is left.
  void miss(std::int64_t cost) noexcept { missed_ += cost; }
  /// A request of this cost goes out.
  void spend(std::int64_t cost) noexcept { level_ -= static_cast<double>(cost); }
  /// It was never sent.
  void give_back(std::int64_t cost) noexcept { level_ += static_cast<double>(cost); }
  /// A request that went by this reckoning alone was served, or rejected: then only a rate that the service itself
  /// tells is trusted any more.
  void confirm() noexcept { confirmed_ = true; }
  void refute() noexcept;
  bool confirmed() const noexcept { return confirmed_ || told_; }

  /// Whether it flows.
  bool flows() const noexcept { return per_permit_.has_value(); }
  /// How many there can be at the most.
  std::int64_t capacity() const noexcept { return static_cast<std::int64_t>(capacity_); }
  /// When at least `permits` are there; only if flows().
  Instant when(std::int64_t permits) const noexcept;
  /// How many are there, at least; may be negative. Only if flows().
  std::int64_t level(Instant now) const noexcept;

 private:
  void bound_by_reset(const LevelReport& report) noexcept;
  void learn_from_reset(const LevelReport& report);
  void compare(const LevelReport& report) noexcept;
  void prove(double seconds_each, const LevelReport& report) noexcept;
  void reckon(const LevelReport& report) noexcept;
  void found(double seconds_each) noexcept;
  double flowed(Duration span) const noexcept;
  /// Whether the resets say that it cannot flow so fast.
  bool contradicted(double seconds_each) const noexcept { return seconds_each < least_each_ * 0.9; }

  std::optional<double> per_permit_ = {};  // in seconds, at the most
  double level_ = 0;                       // at least so many were there at `at_`
  Instant at_ = {};
  double capacity_ = 1e15;
  std::int64_t missed_ = 0;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();  // told since nothing was in flight
  bool refuted_ = false;
  bool confirmed_ = false;
  bool told_ = false;  // the service tells the rate

  std::optional<LevelReport> landmark_ = {};  // what the next answers are compared with
  std::optional<LevelReport> origin_ = {};    // the first of them
  unsigned proofs_ = 0;                       // that it rose, at rates that agree
  double slowest_ = 0;
  double fastest_ = 0;
  ResetSlope slope_;
  double least_each_ = 0;  // seconds per permit, by how far ahead resets were
};

}}  // namespace noun
