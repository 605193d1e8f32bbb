#include "quota/routes.hpp"

#include <algorithm>

namespace noun { inline namespace v0 { namespace quota {
namespace {

/// Further routes are assumed to be on the partition that has the most routes.
constexpr std::size_t most_routes = 512;

}  // namespace

std::size_t Routes::partition_of(RouteKey route) const noexcept {
  const auto found = routes_.find(route);
  return found == routes_.end() ? busiest_ : found->second.partition.value_or(busiest_);
}

void Routes::on_sent(RouteKey route) {
  const auto found = routes_.find(route);
  if (found != routes_.end())
    ++found->second.in_flight;
  else if (route != 0 && routes_.size() < most_routes)
    routes_[route].in_flight = 1;
}

void Routes::on_unsent(RouteKey route) noexcept {
  const auto found = routes_.find(route);
  if (found != routes_.end()) --found->second.in_flight;
}

std::optional<std::size_t> Routes::on_done(RouteKey route) noexcept {
  const auto found = routes_.find(route);
  if (found == routes_.end() || found->second.in_flight == 0) return std::nullopt;
  Route& entry = found->second;
  --entry.in_flight;
  if (entry.moved == 0) return std::nullopt;
  --entry.moved;
  return entry.moved_to;
}

std::int64_t Routes::learn(RouteKey route, std::size_t partition, bool elsewhere) {
  const bool known = partition_of(route) == partition;
  const auto found = routes_.find(route);
  if (found == routes_.end() || found->second.partition == partition) return 0;
  Route& entry = found->second;
  routes_of_.resize(std::max(routes_of_.size(), partition + 1));
  if (entry.partition) --routes_of_[*entry.partition];
  ++routes_of_[partition];
  entry.partition = static_cast<std::uint32_t>(partition);
  ++version_;
  busiest_ = static_cast<std::size_t>(std::max_element(routes_of_.begin(), routes_of_.end()) - routes_of_.begin());
  if (!elsewhere || known || entry.moved > 0) return 0;
  entry.moved = entry.in_flight;
  entry.moved_to = *entry.partition;
  return entry.moved;
}

void Routes::forget_in_flight() noexcept {
  for (auto& [route, entry] : routes_) entry.in_flight = entry.moved = 0;
}

bool Routes::fit(std::size_t partitions) const noexcept {
  const auto fits = [&](const auto& entry) {
    return entry.second.partition.value_or(0) < std::min(partitions, std::max<std::size_t>(routes_of_.size(), 1)) &&
           entry.second.moved_to < partitions;
  };
  return busiest_ < partitions && routes_of_.size() <= partitions && std::all_of(routes_.begin(), routes_.end(), fits);
}

}}}  // namespace noun::quota
