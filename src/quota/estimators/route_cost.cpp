#include "quota/estimators/route_cost.hpp"

#include <algorithm>
#include <utility>

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// So many requests must have been counted before a fall is divided among them.
constexpr std::int64_t enough_requests = 8;
constexpr std::size_t most_costly_routes = 24;
constexpr std::int64_t largest_cost = 1'000'000;

}  // namespace

std::int64_t RouteCost::of(RouteKey route) const noexcept {
  if (seen_.empty()) return 1;
  const auto found = seen_.find(route);
  return found == seen_.end() ? 1 : found->second.cost;
}

void RouteCost::on_response(const Observation& seen) {
  if (seen.reported_cost) {
    const auto cost = std::clamp<std::int64_t>(*seen.reported_cost, 1, largest_cost);
    set(seen.route, {cost, cost});
  }
  if (seen.news == WindowNews::opened) {
    infer_from_opening(seen);
    last_.reset();
    first_.reset();
  } else if (seen.news != WindowNews::same) {
    return;
  }
  if (last_ && *seen.remaining > last_->remaining) return;
  const Count now{*seen.remaining, seen.sent.requests, seen.served.requests, seen.in_flight.requests,
                  seen.perhaps_after.requests};
  if (last_) {
    const std::int64_t fell = last_->remaining - now.remaining;
    const std::int64_t at_most = now.sent - last_->sent + last_->perhaps_after;
    if (at_most == 1 && !seen.reported_cost) infer_from_one(seen.route, fell);
    foreign_ += std::max<std::int64_t>(fell - at_most * of(seen.route), 0);
  }
  if (first_ && !seen.reported_cost) infer_from_many(seen);
  if (!first_ && now.perhaps_after == 0) first_ = now;
  last_ = now;
}

/// A fall beyond our other requests is by other clients, or the server counts the request after all.
void RouteCost::on_uncounted(const Observation& seen) noexcept {
  if (seen.news == WindowNews::opened) {
    last_.reset();
    first_.reset();
  }
  if (seen.news != WindowNews::same || !last_ || *seen.remaining >= last_->remaining) return;
  const std::int64_t fell = last_->remaining - *seen.remaining;
  const std::int64_t at_most = seen.sent.requests - last_->sent + last_->perhaps_after;
  const std::int64_t others = fell - at_most * of(seen.route);
  if (others <= 0) return;
  foreign_ += others;
  last_ = Count{*seen.remaining, seen.sent.requests, seen.served.requests, seen.in_flight.requests,
                seen.perhaps_after.requests};
  first_.reset();
}

/// A window that our only request has opened, after the reset, counts its cost alone. One that slides, or is refilled,
/// counts others, too: only if our requests did not explain what the window before counted.
void RouteCost::infer_from_opening(const Observation& seen) {
  const std::int64_t unexplained = foreign_ - std::exchange(foreign_before_, foreign_);
  if (unexplained <= 0 || !seen.limit || !seen.probe || !seen.alone() || seen.reported_cost) return;
  if (seen.used() <= *seen.limit / 2) infer_from_one(seen.route, seen.used());
}

/// The same fall twice in a row: other clients are not that regular.
void RouteCost::infer_from_one(RouteKey route, std::int64_t fell) {
  if (fell < 1) return;
  const auto found = seen_.find(route);
  Seen seen = found == seen_.end() ? Seen{} : found->second;
  if (seen.fell == fell) seen.cost = std::min(fell, largest_cost);
  seen.fell = fell;
  set(route, seen);
}

void RouteCost::infer_from_many(const Observation& seen) {
  const std::int64_t fell = first_->remaining - *seen.remaining;
  const std::int64_t at_most = seen.sent.requests - first_->sent + first_->perhaps_after;
  const std::int64_t at_least =
      std::max<std::int64_t>(seen.served_before.requests - first_->served - first_->in_flight, 0) + 1;
  if (at_least < enough_requests || at_most < 1 || seen.route != route_) return;
  // Requests of other clients would not make this a whole number, whichever of those in flight were counted.
  const std::int64_t each = (fell + at_most - 1) / at_most;
  if (each > 1 && each <= largest_cost && each * at_least <= fell) set(seen.route, {each, each});
}

void RouteCost::set(RouteKey route, const Seen& seen) {
  if (seen.cost == 1 && seen.fell == 1) return void(seen_.erase(route));
  if (seen_.size() < most_costly_routes || seen_.contains(route)) seen_[route] = seen;
}

}}}  // namespace noun::quota
