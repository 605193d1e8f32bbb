#pragma once
/// @file
/// Estimator of a token bucket: whether the quota is one, its refill rate, and its level now. Uses the reported refill
/// rate, levels that only a refill explains, or resets that move with each request.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "quota/estimators/estimator.hpp"
#include "quota/estimators/permit_level.hpp"
#include "quota/estimators/reset_slope.hpp"

namespace noun { inline namespace v0 { namespace quota {

class TokenBucket : public EstimatorDefaults {
 public:
  static constexpr Effect effect = Effect::replaces;
  static constexpr bool needs_report = false;

  void on_sent(Instant, const PermitRequest& request) noexcept { level_.take(request.cost); }
  void on_unsent(const PermitRequest& request) noexcept { level_.take(-request.cost); }
  void on_response(const Observation& seen, const Account& account);
  void on_uncounted(const Observation& seen) noexcept;
  void on_refuted() noexcept;
  std::optional<Claim> claim(Instant now, const PermitRequest& request, const Account& account) const noexcept;

  void forget_resets() noexcept { slope_ = {}; }
  bool is_whole() const noexcept;
  std::optional<std::int64_t> level(Instant now) const noexcept;
  std::optional<Instant> refilled_at(std::int64_t permits) const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.per_permit_, self.reported_, self.level_, self.refuted_, self.landmark_, self.origin_, self.proofs_,
            self.slowest_, self.fastest_, self.least_each_, self.slope_);
  }

 private:
  // A response to compare later ones with.
  struct Landmark {
    Instant sent = {};
    Instant received = {};
    std::int64_t remaining = 0;
    std::optional<InstantSpan> reset = {};
    std::int64_t sent_cost = 0;
    std::int64_t served_cost = 0;
    std::int64_t in_flight_cost = 0;
    std::int64_t perhaps_after_cost = 0;
    bool falls_unexplained = false;  // by more than our own requests took: by others, or by costs that are not known

    /// Cost of our own requests since then, lower and upper bound.
    std::int64_t taken_at_least(const Observation& seen) const noexcept {
      return std::max<std::int64_t>(seen.served_before.cost - served_cost - in_flight_cost, 0) + seen.cost;
    }
    std::int64_t taken_at_most(const Observation& seen) const noexcept {
      return seen.sent.cost - sent_cost + perhaps_after_cost;
    }
    /// How much more remains than before, corrected for what our own requests took since.
    double rise_to(const Observation& seen) const noexcept {
      return as_double(*seen.remaining - remaining - 1 + taken_at_least(seen));
    }
    bool has_same_window(const Observation& seen) const noexcept;

    static void fields(auto& self, auto& archive) {
      archive(self.sent, self.received, self.remaining, self.reset, self.sent_cost, self.served_cost,
              self.in_flight_cost, self.perhaps_after_cost, self.falls_unexplained);
    }
  };

  static Landmark landmark_of(const Observation& seen) noexcept;
  void bound_by_reset(const Observation& seen) noexcept;
  void compare(const Observation& seen) noexcept;
  void prove(double seconds_each, const Observation& seen) noexcept;
  void found(double seconds_each) noexcept;
  double refilled_in(Duration span) const noexcept { return seconds_of(span) / *per_permit_; }
  /// Whether the resets exclude so fast a refill.
  bool contradicted(double seconds_each) const noexcept { return seconds_each < least_each_ * 0.9; }

  std::optional<double> per_permit_ = {};  // seconds per permit, upper bound
  bool reported_ = false;                  // the server reports the rate
  PermitLevel level_;
  bool refuted_ = false;  // only a reported rate is used
  std::optional<Landmark> landmark_ = {};
  std::optional<Landmark> origin_ = {};  // the first one whose rises agree
  std::uint32_t proofs_ = 0;             // rises in a row at rates that agree
  double slowest_ = 0;
  double fastest_ = 0;
  double least_each_ = 0;  // lower bound of the seconds per permit, from the resets
  ResetSlope slope_;
};

}}}  // namespace noun::quota
