#include "quota/route_costs.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {
namespace {

/// So many requests must have been counted before a fall is divided by them.
constexpr std::int64_t enough_requests = 8;
constexpr std::size_t most_priced_routes = 4096;
constexpr std::int64_t largest_cost = 1'000'000;

std::int64_t counted_at_most(const CountMark& then, const CountMark& now) noexcept {
  return static_cast<std::int64_t>(now.admitted - then.admitted) + then.perhaps_after;
}

std::int64_t counted_at_least(const CountMark& then, const CountMark& now) noexcept {
  const auto answered = static_cast<std::int64_t>(now.served_before) - static_cast<std::int64_t>(then.served);
  return std::max<std::int64_t>(answered - then.others, 0) + 1;
}

}  // namespace

std::int64_t RouteCosts::of(std::uint32_t route) const noexcept {
  const auto found = seen_.find(route);
  return found == seen_.end() ? 1 : found->second.cost;
}

void RouteCosts::restart() noexcept {
  last_.reset();
  first_.reset();
}

void RouteCosts::admitted(std::uint32_t route) noexcept {
  if (route != route_) first_.reset();
  route_ = route;
}

std::int64_t RouteCosts::learn(const CountMark& now) {
  std::int64_t foreign = 0;
  if (last_ && now.remaining > last_->remaining) return foreign;
  if (last_) {
    const std::int64_t fell = last_->remaining - now.remaining;
    const std::int64_t at_most = counted_at_most(*last_, now);
    if (at_most == 1) learn_alone(now.route, fell);
    foreign = std::max<std::int64_t>(fell - at_most * of(now.route), 0);
  }
  if (first_) learn_many(now);
  if (!first_ && now.perhaps_after == 0) first_ = now;
  last_ = now;
  return foreign;
}

/// Twice the same in a row: others do not take part so regularly.
void RouteCosts::learn_alone(std::uint32_t route, std::int64_t fell) {
  if (fell < 1 || (seen_.size() >= most_priced_routes && !seen_.contains(route))) return;
  Seen& seen = seen_[route];
  if (seen.fell == fell) seen.cost = std::min(fell, largest_cost);
  seen.fell = fell;
}

void RouteCosts::learn_many(const CountMark& now) {
  const std::int64_t fell = first_->remaining - now.remaining;
  const std::int64_t at_most = counted_at_most(*first_, now);
  const std::int64_t at_least = counted_at_least(*first_, now);
  if (at_least < enough_requests || now.route != route_) return;
  if (seen_.size() >= most_priced_routes && !seen_.contains(now.route)) return;
  // Others do not make it a whole number, whichever of what is in flight was counted.
  const std::int64_t each = (fell + at_most - 1) / at_most;
  if (each > 1 && each <= largest_cost && each * at_least <= fell) seen_[now.route].cost = each;
}

}}  // namespace noun
