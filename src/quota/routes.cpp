#include "quota/routes.hpp"

#include <algorithm>
#include <utility>

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// More are forgotten: a server may have any number.
constexpr std::size_t most_routes = 512;
/// So many responses of a route, without a report in any, show that the quota that others report does not count it.
constexpr std::uint32_t enough_unreported = 3;

}  // namespace

std::size_t Routes::partition_of(RouteKey route) const noexcept {
  const auto found = routes_.find(route);
  return found == routes_.end() ? busiest_ : found->second.partition.value_or(busiest_);
}

void Routes::on_sent(RouteKey route) {
  Route* entry = find(route);
  if (entry == nullptr) {
    if (route == 0 || (routes_.size() >= most_routes && !forget_one())) return;
    entry = &routes_[route];
  }
  ++entry->in_flight;
  entry->used = ++uses_;
}

/// Forgets a route without requests in flight: if possible one that is where an unknown route is assumed to be. Of
/// several, the one that was not used for longest.
/// @returns  whether there was one.
bool Routes::forget_one() noexcept {
  // Without some of its routes, the partition must still be the one that has most.
  const auto is_rival = [&](const std::uint32_t& routes) {
    return routes + 2 >= routes_of_[busiest_] && &routes != &routes_of_[busiest_];
  };
  const bool spares_some = std::none_of(routes_of_.begin(), routes_of_.end(), is_rival);
  const auto value = [&](const Route& route) {
    const bool is_default = !route.partition || (spares_some && !route.alone && *route.partition == busiest_);
    return std::pair(!is_default, route.used);
  };
  auto least = routes_.end();
  for (auto at = routes_.begin(); at != routes_.end(); ++at) {
    const bool is_idle = at->second.in_flight == 0 && at->second.moved == 0;
    if (is_idle && (least == routes_.end() || value(at->second) < value(least->second))) least = at;
  }
  if (least == routes_.end()) return false;
  const Route& route = least->second;
  if (!route.alone && route.unreported == enough_unreported) --uncounted_;
  if (!route.alone && route.partition) --routes_of_[*route.partition];
  if (value(route).first) ++version_;
  routes_.erase(least);
  choose_busiest();
  return true;
}

void Routes::choose_busiest() noexcept {
  if (routes_of_.empty()) return;
  busiest_ = static_cast<std::size_t>(std::max_element(routes_of_.begin(), routes_of_.end()) - routes_of_.begin());
}

std::optional<std::size_t> Routes::on_done(RouteKey route) noexcept {
  Route* const entry = find(route);
  if (entry == nullptr || entry->in_flight == 0) return std::nullopt;
  --entry->in_flight;
  if (entry->moved == 0) return std::nullopt;
  --entry->moved;
  return entry->moved_to;
}

std::int64_t Routes::learn(RouteKey route, std::size_t partition, bool elsewhere) {
  const bool known = partition_of(route) == partition;
  Route* const entry = find(route);
  return entry == nullptr ? 0 : move(*entry, partition, elsewhere && !known, false);
}

std::int64_t Routes::learn_alone(RouteKey route, std::size_t partition, bool elsewhere) {
  Route* const entry = find(route);
  if (entry == nullptr) return 0;
  if (std::exchange(entry->unreported, 0) == enough_unreported && !entry->alone) --uncounted_;
  return move(*entry, partition, elsewhere, true);
}

/// @returns  the number of its requests in flight that were admitted elsewhere and are now expected here.
std::int64_t Routes::move(Route& route, std::size_t partition, bool elsewhere, bool alone) {
  if (route.partition == partition && route.alone == alone) return 0;
  routes_of_.resize(std::max(routes_of_.size(), partition + 1));
  if (route.partition && !route.alone) --routes_of_[*route.partition];
  if (!alone) ++routes_of_[partition];
  route.partition = static_cast<std::uint32_t>(partition);
  route.alone = alone;
  ++version_;
  choose_busiest();
  if (!elsewhere || route.moved > 0) return 0;
  route.moved = route.in_flight;
  route.moved_to = *route.partition;
  return route.moved;
}

void Routes::on_unreported(RouteKey route) noexcept {
  Route* const entry = find(route);
  if (entry == nullptr || entry->counted || entry->alone) return;
  if (entry->unreported < enough_unreported && ++entry->unreported == enough_unreported) ++uncounted_;
}

bool Routes::on_counted(RouteKey route) noexcept {
  Route* const entry = find(route);
  if (entry == nullptr || std::exchange(entry->counted, true)) return false;
  if (std::exchange(entry->unreported, 0) != enough_unreported) return false;
  if (!entry->alone) {
    --uncounted_;
    return false;
  }
  entry->partition.reset();
  entry->alone = false;
  ++version_;
  return true;
}

void Routes::separate_uncounted(std::size_t partition) {
  for (auto& [key, route] : routes_)
    if (route.unreported == enough_unreported && !route.alone) move(route, partition, false, true);
  uncounted_ = 0;
}

bool Routes::fit(std::size_t partitions) const noexcept {
  const auto fits = [&](const auto& entry) {
    return (!entry.second.partition || *entry.second.partition < routes_of_.size()) &&
           entry.second.moved_to < partitions && entry.second.unreported <= enough_unreported;
  };
  const auto to_separate = std::count_if(routes_.begin(), routes_.end(), [](const auto& entry) {
    return entry.second.unreported == enough_unreported && !entry.second.alone;
  });
  return busiest_ < std::max<std::size_t>(routes_of_.size(), 1) && routes_of_.size() <= partitions &&
         uncounted_ == static_cast<std::size_t>(to_separate) && std::all_of(routes_.begin(), routes_.end(), fits);
}

}}}  // namespace noun::quota
