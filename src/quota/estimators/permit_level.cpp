#include "quota/estimators/permit_level.hpp"

#include <algorithm>
#include <cmath>

namespace noun { inline namespace v0 { namespace quota {

bool is_number(double value) noexcept { return std::isfinite(value) && std::abs(value) <= 1e15; }

void PermitLevel::on_response(const Observation& seen, const std::optional<Refill>& refill) noexcept {
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

std::int64_t PermitLevel::with(double refilled) const noexcept {
  return static_cast<std::int64_t>(std::floor(std::clamp(permits_ + refilled, -capacity_, capacity_)));
}

bool PermitLevel::is_whole() const noexcept { return is_number(permits_) && is_number(capacity_); }

}}}  // namespace noun::quota
