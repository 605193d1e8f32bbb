#pragma once
/// @file
/// Where in the second does a window end? The response to a request that is sent right where the reported second ticks
/// narrows a reset's interval. Decides when such a request is worth its delay; admits nothing.

#include <cstdint>
#include <optional>

#include <noun/time.hpp>

#include "quota/time/reset_interval.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// The search within one window.
class ResetProbe {
 public:
  /// A request at `at` asks whether the window ends before `goal`, a whole number of seconds later.
  struct Question {
    Instant at = {};
    Instant goal = {};

    template <class Self, class Archive>
    static void fields(Self& self, Archive& archive) {
      archive(self.at, self.goal);
    }
  };

  /// Starts over for the next window.
  /// @param before  the interval in which the window before ended, if its place in the second may be the same.
  void restart(const std::optional<InstantSpan>& before) noexcept;

  /// When the next permit tells most about `reset`; nothing if the interval is narrow enough, or time is short.
  /// @param exchange  how long a request and its response take at least.
  /// @param spare     permits that can be spent on the search; at least 1.
  /// @param once      do not look at the same place in the second twice: where the server may count each request from
  ///                  where it falls, a late one comes back late.
  std::optional<Question> due(Instant now, const ResetInterval& reset, Duration exchange, std::int64_t spare,
                              bool once = false) const noexcept;
  /// A permit is kept for the question.
  void plan(const Question& question, Instant now) noexcept;
  /// The permit that was kept is sent.
  void send() noexcept;
  /// The interval has changed: what was planned is re-evaluated.
  void reconsider() noexcept { planned_.reset(); }

  /// The best guess of where the window ends; for searching only, never for admitting.
  InstantSpan guess(const ResetInterval& reset) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.before_, self.planned_, self.asked_, self.started_);
  }

 private:
  Instant next_goal(const ResetInterval& reset, Duration exchange, std::int64_t spare) const noexcept;

  std::optional<InstantSpan> before_ = {};
  std::optional<Question> planned_ = {};
  Instant asked_ = Instant::min();  // the goal of the last request that was sent
  std::optional<Instant> started_ = {};
};

}}}  // namespace noun::quota
