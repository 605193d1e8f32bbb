#pragma once
/// @file
/// Measures at which fraction of a second a window ends. The response to a request that is sent just when the reported
/// second changes narrows the interval of the reset. Decides when such a request is worth its delay; admits nothing.

#include <cstdint>
#include <optional>

#include <noun/time.hpp>

#include "quota/time/reset_interval.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The search within one window.
class ResetProbe {
 public:
  /// A request sent at `at` shows whether the window ends before `goal`, a whole number of seconds later.
  struct Measurement {
    Instant at = {};
    Instant goal = {};

    static void fields(auto& self, auto& archive) { archive(self.at, self.goal); }
  };

  /// Starts over for the next window.
  /// @param before  the interval in which the previous window ended, if this one may end at the same fraction of a
  ///                second.
  void restart(const std::optional<InstantSpan>& before) noexcept;

  /// When the next permit narrows `reset` most; nothing if the interval is narrow enough, or time is short.
  /// @param exchange  the shortest round trip.
  /// @param spare     permits that the search may use; at least 1.
  /// @param once      test each fraction of a second only once. If the server counts each request for a period of its
  ///                  own, a late request is freed late.
  std::optional<Measurement> due(Instant now, const ResetInterval& reset, Duration exchange, std::int64_t spare,
                                 bool once = false) const noexcept;
  /// The planned measurement, unless its instant has passed.
  std::optional<Measurement> planned(Instant now) const noexcept;
  /// Holds a permit back for the measurement.
  void plan(const Measurement& measurement, Instant now) noexcept {
    if (!started_) started_ = now;
    planned_ = measurement;
  }
  /// The permit that was held back is sent.
  void send() noexcept {
    if (planned_) tested_ = planned_->goal;
    planned_.reset();
  }
  /// The interval has changed: the plan is re-evaluated.
  void reconsider() noexcept { planned_.reset(); }

  /// The best guess of when the window ends; for searching only, never for admitting.
  InstantSpan guess(const ResetInterval& reset) const noexcept;

  static void fields(auto& self, auto& archive) { archive(self.before_, self.planned_, self.tested_, self.started_); }

 private:
  Instant next_goal(const ResetInterval& reset, Duration exchange, std::int64_t spare) const noexcept;

  std::optional<InstantSpan> before_ = {};
  std::optional<Measurement> planned_ = {};
  Instant tested_ = Instant::min();  // goal of the last request that was sent
  std::optional<Instant> started_ = {};
};

}}}  // namespace noun::quota
