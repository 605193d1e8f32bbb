#pragma once
/// @file
/// The refill rate of a token bucket from moving resets. A reset that moves with each request is when the bucket is
/// full again. The distance between the resets of two responses gives the time per permit; the server's clock and its
/// rounding are the same in both.

#include <cstdint>
#include <optional>
#include <vector>

#include <noun/time.hpp>

#include "quota/observation.hpp"
#include "quota/time/server_clock.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The refill rate according to the responses of one burst of requests.
class ResetSlope {
 public:
  /// Handles a response that reports limit, remaining and a reset that is_near().
  void on_response(const Observation& seen);
  /// Upper bound of the seconds per permit; only if no windows can have reported these resets.
  std::optional<double> seconds_each() const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.kept_, self.limit_, self.least_used_, self.most_used_, self.first_reset_, self.last_reset_,
            self.began_, self.latest_, self.moves_, self.low_, self.high_);
  }

 private:
  struct Mark {
    Instant sent = {};
    Instant received = {};
    std::int64_t used = 0;
    InstantSpan reset = {};

    static void fields(auto& self, auto& archive) { archive(self.sent, self.received, self.used, self.reset); }
  };
  // Of the responses that reported the same reset, the two outermost are the most exact.
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
  InstantSpan last_reset_ = {};  // the latest
  Instant began_ = {};
  Instant latest_ = {};
  std::uint32_t moves_ = 0;
  double low_ = 0;   // lower bound of the seconds per permit
  double high_ = 0;  // upper bound
};

}}}  // namespace noun::quota
