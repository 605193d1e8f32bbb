#include "quota/quota_routes.hpp"

#include <algorithm>

namespace noun { inline namespace v0 {
namespace {

constexpr std::size_t most_routes = 4096;

}  // namespace

std::uint32_t QuotaRoutes::number_of(RouteKey route) {
  if (const auto number = known(route); number != 0 || route == 0) return number;
  if (numbers_.size() == most_routes) return 0;
  const auto number = static_cast<std::uint32_t>(buckets_.size());
  buckets_.emplace_back();
  numbers_.emplace(route, number);
  return number;
}

std::uint32_t QuotaRoutes::known(RouteKey route) const noexcept {
  const auto found = numbers_.find(route);
  return found == numbers_.end() ? 0 : found->second;
}

void QuotaRoutes::learn(std::uint32_t route, std::size_t bucket) {
  if (route >= buckets_.size() || buckets_[route] == bucket) return;
  if (buckets_[route]) --routes_of_[*buckets_[route]];
  buckets_[route] = bucket;
  routes_of_.resize(std::max(routes_of_.size(), bucket + 1));
  ++routes_of_[bucket];
  busiest_ = static_cast<std::size_t>(std::max_element(routes_of_.begin(), routes_of_.end()) - routes_of_.begin());
}

std::size_t QuotaRoutes::bucket_of(std::uint32_t route) const noexcept {
  if (route < buckets_.size() && buckets_[route]) return *buckets_[route];
  return busiest_;
}

}}  // namespace noun
