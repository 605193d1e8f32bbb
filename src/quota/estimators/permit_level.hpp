#pragma once
/// @file
/// A lower bound of the available permits, if they are refilled while time passes: from the reported remaining, our own
/// requests, and a refill that the caller knows.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// Permits, where they are refilled in fractions.
constexpr double as_double(std::int64_t count) noexcept { return static_cast<double>(count); }

/// Whether deserialized permits, or a rate, are a number that can be calculated with.
inline bool is_number(double value) noexcept { return std::isfinite(value) && std::abs(value) <= 1e15; }

/// Lower bound of the available permits at at().
class PermitLevel {
 public:
  /// Permits that were refilled.
  struct Refill {
    double since = 0;   ///< from at() until the response was received
    double during = 0;  ///< while the request was in flight
  };

  void take(std::int64_t cost) noexcept { permits_ -= as_double(cost); }
  /// Handles a served request whose response reports nothing.
  void miss(std::int64_t cost) noexcept { missed_ += cost; }
  /// Handles a response that reports remaining.
  /// @param refill  nothing if no refill is known yet: then the level is not known either.
  void on_response(const Observation& seen, const std::optional<Refill>& refill) noexcept {
    if (seen.limit) capacity_ = as_double(*seen.limit);
    lowest_ = std::min(lowest_, *seen.remaining);
    const std::int64_t known = lowest_ - missed_ - seen.in_flight.cost;
    if (seen.in_flight.cost == 0) {
      lowest_ = std::numeric_limits<std::int64_t>::max();
      missed_ = 0;
    }
    if (!refill) return;
    // Whichever response was counted last, it reported at least the lowest value. Requests in flight may lower it
    // further.
    const double at_least = as_double(std::max(*seen.remaining - seen.perhaps_after.cost, known));
    const double at_most = as_double(*seen.remaining) + 1 + 2 * refill->during;
    const double now = is_known() ? std::min(permits_ + refill->since, capacity_) : at_least;
    // If the level is higher than possible, other clients have taken permits: only the response counts.
    permits_ = now > at_most ? at_least : std::max(now, at_least);
    at_ = std::max(at_, seen.received_at);
  }
  /// Sets the level to zero after a rejection.
  void empty() noexcept { permits_ = std::min(permits_, 0.0); }

  double permits() const noexcept { return permits_; }
  double capacity() const noexcept { return capacity_; }
  Instant at() const noexcept { return at_; }
  /// Whether a response was received since a refill is known.
  bool is_known() const noexcept { return at_ != Instant::min(); }
  /// At some instant after at(), when so many permits were refilled.
  std::int64_t with(double refilled) const noexcept {
    return static_cast<std::int64_t>(std::floor(std::clamp(permits_ + refilled, -capacity_, capacity_)));
  }
  bool is_whole() const noexcept { return is_number(permits_) && is_number(capacity_); }

  static void fields(auto& self, auto& archive) {
    archive(self.permits_, self.at_, self.capacity_, self.missed_, self.lowest_);
  }

 private:
  double permits_ = 0;
  Instant at_ = Instant::min();
  double capacity_ = 1e15;
  std::int64_t missed_ = 0;                                         // cost of requests without a report
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();  // least reported since nothing was in flight
};

}}}  // namespace noun::quota
