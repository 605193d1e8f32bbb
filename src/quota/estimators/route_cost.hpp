#pragma once
/// @file
/// The cost of one request of each route, as reported or inferred from the fall of remaining, and the consumption of
/// other clients.

#include <cstdint>
#include <map>
#include <optional>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The costs of the routes of one quota policy. A route costs 1 unless a higher cost was seen.
class RouteCost {
 public:
  /// Cost of one request of the route; at least 1.
  std::int64_t of(RouteKey route) const noexcept;
  /// A request of the route is sent. A fall that several routes share shows the cost of none of them.
  void on_sent(RouteKey route) noexcept {
    if (route != route_) first_.reset();
    route_ = route;
  }
  /// Handles a response that was served and reported remaining.
  void on_response(const Observation& seen);
  /// The same for a request that was not counted: it says nothing about the cost of its route.
  void on_uncounted(const Observation& seen) noexcept;
  /// Requests of other clients so far: how much more remaining fell than our own requests explain.
  std::int64_t foreign() const noexcept { return foreign_; }

  static void fields(auto& self, auto& archive) {
    archive(self.seen_, self.last_, self.first_, self.route_, self.foreign_, self.foreign_before_);
  }

 private:
  struct Seen {
    std::int64_t cost = 1;
    std::int64_t fell = 1;  // how much remaining fell when one was last sent alone

    static void fields(auto& self, auto& archive) { archive(self.cost, self.fell); }
  };
  // A response to compare later ones with.
  struct Count {
    std::int64_t remaining = 0;
    std::int64_t sent = 0;
    std::int64_t served = 0;
    std::int64_t in_flight = 0;
    std::int64_t perhaps_after = 0;

    static void fields(auto& self, auto& archive) {
      archive(self.remaining, self.sent, self.served, self.in_flight, self.perhaps_after);
    }
  };

  void infer_from_opening(const Observation& seen);
  void infer_from_one(RouteKey route, std::int64_t fell);
  void infer_from_many(const Observation& seen);
  void set(RouteKey route, const Seen& seen);

  std::map<RouteKey, Seen> seen_;    // routes that did not always cost 1
  std::optional<Count> last_ = {};   // the previous response
  std::optional<Count> first_ = {};  // the first response since only this route is sent
  RouteKey route_ = 0;
  std::int64_t foreign_ = 0;
  std::int64_t foreign_before_ = 0;  // when this window opened
};

}}}  // namespace noun::quota
