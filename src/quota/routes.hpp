#pragma once
/// @file
/// The partition on which the server counts each route, as responses report it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The key of a path extended by a segment. Any text, such as `{}`, can stand for an id.
/// @source FNV-1a, 64 bits (draft-eastlake-fnv-21).
constexpr RouteKey route_below(RouteKey route, std::string_view segment) noexcept {
  RouteKey key = route == 0 ? 0xcbf29ce484222325U : route;
  for (const char c : segment) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return (key ^ static_cast<unsigned char>('/')) * 0x100000001b3U;
}

/// The routes of one gate: at most 512. One that is forgotten is unknown again.
class Routes {
 public:
  /// The partition that counted the route last. For an unknown route, the partition that has the most routes.
  std::size_t partition_of(RouteKey route) const noexcept;
  void on_sent(RouteKey route);
  /// Undoes on_sent() for a request that was not sent. Call it before anything else of the route is recorded.
  void on_unsent(RouteKey route) noexcept {
    if (Route* const entry = find(route); entry != nullptr && entry->in_flight > 0) --entry->in_flight;
  }
  /// Records that a request of the route is no longer in flight.
  /// @returns  the partition that expects one request less, if any.
  std::optional<std::size_t> on_done(RouteKey route) noexcept;
  /// Records that this partition counted a request of the route.
  /// @param elsewhere  it was admitted on another partition, as were the others of the route in flight.
  /// @returns          the number of those others, if they were not counted before.
  std::int64_t learn(RouteKey route, std::size_t partition, bool elsewhere);
  /// The same for a partition that says nothing about other routes: unknown routes are never assumed to be there.
  std::int64_t learn_alone(RouteKey route, std::size_t partition, bool elsewhere);
  /// Whether the route is stored, and no partition has counted it yet.
  bool is_new(RouteKey route) const noexcept {
    const auto found = routes_.find(route);
    return found != routes_.end() && !found->second.partition;
  }

  /// Records a response of the route that reports no quota and is not a rejection.
  void on_unreported(RouteKey route) noexcept;
  /// Records a response of the route that reports a quota, or a rejection: the route is never again taken for one that
  /// no quota counts.
  /// @returns  whether it was; then its partition is that of an unknown route.
  bool on_counted(RouteKey route) noexcept;
  /// Whether a route was served several times, and none of its responses reported a quota.
  bool any_uncounted() const noexcept { return uncounted_ > 0; }
  /// Moves these routes to a partition.
  void separate_uncounted(std::size_t partition);

  /// Rises whenever a route, or the default for unknown routes, moves to another partition.
  std::uint64_t version() const noexcept { return version_; }
  /// Forgets the requests in flight: they belong to another process, which records them.
  void forget_in_flight() noexcept {
    for (auto& [route, entry] : routes_) entry.in_flight = entry.moved = 0;
  }
  /// Whether every stored partition number is less than `partitions`.
  bool fit(std::size_t partitions) const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.routes_, self.routes_of_, self.busiest_, self.uncounted_, self.uses_);
  }

 private:
  struct Route {
    std::optional<std::uint32_t> partition = {};
    std::uint64_t used = 0;  // number of its last use
    std::int64_t in_flight = 0;
    std::int64_t moved = 0;  // of those, admitted elsewhere and expected on `moved_to`
    std::uint32_t moved_to = 0;
    bool alone = false;           // as of learn_alone()
    bool counted = false;         // a response reported a quota, or was a rejection
    std::uint32_t unreported = 0;  // responses so far, if not counted; at most enough_unreported

    static void fields(auto& self, auto& archive) {
      archive(self.partition, self.used, self.in_flight, self.moved, self.moved_to, self.alone, self.counted,
              self.unreported);
    }
  };

  Route* find(RouteKey route) noexcept {
    const auto found = routes_.find(route);
    return found == routes_.end() ? nullptr : &found->second;
  }
  bool forget_one() noexcept;
  void choose_busiest() noexcept;
  std::int64_t move(Route& route, std::size_t partition, bool elsewhere, bool alone);

  std::map<RouteKey, Route> routes_;
  std::vector<std::uint32_t> routes_of_ = {};  // number of routes, by partition, without those that are alone
  std::size_t busiest_ = 0;
  std::uint32_t uncounted_ = 0;  // routes with enough responses without a report that are not separated yet
  std::uint64_t uses_ = 0;
  std::uint64_t version_ = 0;
};

}}}  // namespace noun::quota
