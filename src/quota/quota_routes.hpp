#pragma once
/// @file
/// Which of a service's buckets each route is counted on, learned from answers. A route is a method and a path with its
/// ids left out.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace noun { inline namespace v0 {

/// A route by what tells it from others: grown from its method and the segments of its path. 0 is none in particular.
using RouteKey = std::uint64_t;

/// The key of a path that goes on with another segment; an id is any text of its own, such as `{}`.
/// @source FNV-1a, 64 bits (draft-eastlake-fnv-21).
constexpr RouteKey route_below(RouteKey route, std::string_view segment) noexcept {
  RouteKey key = route == 0 ? 0xcbf29ce484222325U : route;
  for (const char c : segment) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return (key ^ static_cast<unsigned char>('/')) * 0x100000001b3U;
}

/// The routes of one gate.
class QuotaRoutes {
 public:
  /// The number of a route; 0 for none in particular, and where there are too many.
  std::uint32_t number_of(RouteKey route);
  /// The number that a route has, or 0.
  std::uint32_t known(RouteKey route) const noexcept;
  /// An answer to the route was counted on this bucket.
  void learn(std::uint32_t route, std::size_t bucket);
  /// Where the route was counted last; a route that nothing is known of is taken to be counted where most are.
  std::size_t bucket_of(std::uint32_t route) const noexcept;

 private:
  std::unordered_map<RouteKey, std::uint32_t> numbers_;
  std::vector<std::optional<std::size_t>> buckets_ = {std::nullopt};  // by route
  std::vector<std::size_t> routes_of_ = {};                           // by bucket
  std::size_t busiest_ = 0;
};

}}  // namespace noun
