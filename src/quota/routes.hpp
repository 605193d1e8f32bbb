#pragma once
/// @file
/// Which of a server's partitions each route is counted on, as responses report it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The key of a path that goes on with another segment; an id is any text of its own, such as `{}`.
/// @source FNV-1a, 64 bits (draft-eastlake-fnv-21).
constexpr RouteKey route_below(RouteKey route, std::string_view segment) noexcept {
  RouteKey key = route == 0 ? 0xcbf29ce484222325U : route;
  for (const char c : segment) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return (key ^ static_cast<unsigned char>('/')) * 0x100000001b3U;
}

/// The routes of one gate.
class Routes {
 public:
  /// Where the route was counted last; one that nothing is known of is taken to be counted where most are.
  std::size_t partition_of(RouteKey route) const noexcept;
  void on_sent(RouteKey route);
  /// It was not sent after all; asked right after on_sent().
  void on_unsent(RouteKey route) noexcept;
  /// One request of the route is under way no longer.
  /// @returns  the partition that expects one request less, if any.
  std::optional<std::size_t> on_done(RouteKey route) noexcept;
  /// A request of the route was counted on this partition.
  /// @param elsewhere  it was admitted on another, as were the others of the route that are under way.
  /// @returns          how many those are, if they were not counted before.
  std::int64_t learn(RouteKey route, std::size_t partition, bool elsewhere);

  /// Rises whenever a route, or those that nothing is known of, are counted elsewhere than before.
  std::uint64_t version() const noexcept { return version_; }
  /// Requests that were under way are another process's: nobody reports their end here.
  void forget_under_way() noexcept;
  /// Whether no route is on a partition with this number or a greater one.
  bool fit(std::size_t partitions) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.routes_, self.routes_of_, self.busiest_);
  }

 private:
  struct Route {
    std::optional<std::uint32_t> partition = {};
    std::int64_t under_way = 0;
    std::int64_t moved = 0;  // of those, admitted elsewhere and expected on `moved_to`
    std::uint32_t moved_to = 0;

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.partition, self.under_way, self.moved, self.moved_to);
    }
  };

  std::map<RouteKey, Route> routes_;
  std::vector<std::uint32_t> routes_of_ = {};  // by partition
  std::size_t busiest_ = 0;
  std::uint64_t version_ = 0;
};

}}}  // namespace noun::quota
