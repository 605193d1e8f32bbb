#pragma once
/// @file
/// Where in the second does a window turn? The answer to a request that goes out right where the told second ticks
/// narrows a reset's interval. Decides when such a request is worth its delay; sends nothing and admits nothing.

#include <cstdint>
#include <optional>

#include <noun/time.hpp>

#include "quota/reset_span.hpp"

namespace noun { inline namespace v0 {

/// The search within one window.
class TickSearch {
 public:
  /// Starts over for the next window.
  /// @param before  the interval in which the window before ended, if its phase in the second may be the same.
  void restart(const std::optional<InstantSpan>& before) noexcept;

  /// When the next permit tells most about `reset`; nothing if the interval is narrow enough, or time is short.
  /// @param exchange  how long a request and its answer take at least.
  /// @param spare     permits that can be spent on the search; at least 1.
  /// @param once      no second look at the same place in the second: where the service may count each request from
  ///                  where it falls, a late one comes back late.
  std::optional<Instant> due(Instant now, const ResetSpan& reset, Duration exchange, std::int64_t spare,
                             bool once = false) noexcept;
  /// The permit that was due goes out.
  void spend() noexcept;
  /// The interval has changed: what was due is to be thought over.
  void reconsider() noexcept { due_.reset(); }

  /// The best guess of where the window ends; for searching only, never for admitting.
  InstantSpan guess(const ResetSpan& reset) const noexcept;

 private:
  Instant next_goal(const ResetSpan& reset, Duration exchange, std::int64_t spare) noexcept;

  // A request at `at` asks whether the window ends before `goal`, a whole number of seconds later.
  struct Question {
    Instant at;
    Instant goal;
  };

  std::optional<InstantSpan> before_ = {};
  std::optional<Question> due_ = {};
  Instant asked_ = Instant::min();  // the goal of the last request that went
  std::optional<Instant> started_ = {};
};

}}  // namespace noun
