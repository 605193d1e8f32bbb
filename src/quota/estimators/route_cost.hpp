#pragma once
/// @file
/// What one request of each route costs, inferred from how the remaining count falls; and what others took.

#include <cstdint>
#include <map>
#include <optional>

#include "quota/observation.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The costs of the routes of one quota policy. A route that was never seen to cost more costs one.
class RouteCost {
 public:
  /// What one request of the route costs; at least 1.
  std::int64_t of(RouteKey route) const noexcept;
  /// A request of the route is sent: a fall that several routes share says nothing of one of them.
  void on_sent(RouteKey route) noexcept;
  /// Takes in a response that was served and reported what remains.
  void on_response(const Observation& seen);
  /// Requests of others so far: by how much more than our own the remaining count fell.
  std::int64_t foreign() const noexcept { return foreign_; }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.seen_, self.last_, self.first_, self.route_, self.foreign_);
  }

 private:
  struct Seen {
    std::int64_t cost = 1;
    std::int64_t fell = 1;  // by so much, the last time that one was sent alone

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.cost, self.fell);
    }
  };
  // A response that later ones are compared with.
  struct Count {
    std::int64_t remaining = 0;
    std::int64_t sent = 0;
    std::int64_t served = 0;
    std::int64_t in_flight = 0;
    std::int64_t perhaps_after = 0;

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.remaining, self.sent, self.served, self.in_flight, self.perhaps_after);
    }
  };

  void infer_from_one(RouteKey route, std::int64_t fell);
  void infer_from_many(const Observation& seen);
  void set(RouteKey route, const Seen& seen);

  std::map<RouteKey, Seen> seen_;    // those that did not always cost one
  std::optional<Count> last_ = {};   // the response before
  std::optional<Count> first_ = {};  // the first since only this route was sent
  RouteKey route_ = 0;
  std::int64_t foreign_ = 0;
};

}}}  // namespace noun::quota
