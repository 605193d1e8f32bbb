#pragma once
/// @file
/// A reset that moves away with each request is when a token bucket will be full again. How long one permit takes to
/// come back, by how far apart the resets of two responses are: the server's clock and its rounding are the same in
/// both.

#include <cstdint>
#include <optional>
#include <vector>

#include <noun/time.hpp>

#include "quota/observation.hpp"
#include "quota/time/server_clock.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// What the responses of one burst of requests say of the refill.
class ResetSlope {
 public:
  /// Takes in a response that reported limit, remaining and a reset that is_near().
  void on_response(const Observation& seen);
  /// Seconds per permit, at the most; only where no windows can have reported these resets.
  std::optional<double> seconds_each() const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.kept_, self.limit_, self.least_used_, self.most_used_, self.first_reset_, self.last_reset_,
            self.began_, self.latest_, self.moves_, self.low_, self.high_);
  }

 private:
  struct Mark {
    Instant sent = {};
    Instant received = {};
    std::int64_t used = 0;
    InstantSpan reset = {};

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.sent, self.received, self.used, self.reset);
    }
  };
  // Of responses that reported the same reset, the two outermost say the most.
  using Outermost = std::pair<Mark, Mark>;

  void restart(const Mark& mark);
  void keep(const Mark& mark);
  void compare(const Mark& one, const Mark& other) noexcept;
  bool excludes_windows() const noexcept;

  std::vector<Outermost> kept_ = {};  // least used, most used
  std::int64_t limit_ = 0;
  std::int64_t least_used_ = 0;
  std::int64_t most_used_ = 0;
  InstantSpan first_reset_ = {};
  InstantSpan last_reset_ = {};  // the farthest
  Instant began_ = {};
  Instant latest_ = {};
  std::uint32_t moves_ = 0;
  double low_ = 0;   // seconds per permit are at least
  double high_ = 0;  // and at most
};

}}}  // namespace noun::quota
