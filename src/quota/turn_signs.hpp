#pragma once
/// @file
/// Whether a service counts our requests from where they fall (a log that slides, a window that opens with its first
/// request) and not by a clock of its own, and how long it counts them: by what single answers tell in whole seconds,
/// so that no doubt of the server's clock enters. Admits nothing.

#include <chrono>
#include <cstdint>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// More than `over`, and at most `up_to`.
struct DurationSpan {
  Duration over = {};
  Duration up_to = {};
};

/// What an answer says of the requests before it.
struct TurnMark {
  Instant sent = {};
  Instant received = {};
  std::int64_t limit = 0;
  std::int64_t used = 0;                               ///< limit - remaining
  bool alone = false;                                  ///< no other request was in flight with it
  DurationSpan told = {};                              ///< how far ahead the reset was when the request was counted
  std::optional<std::chrono::sys_seconds> reset = {};  ///< where it is a whole second of the server's clock
  std::int64_t since = 0;    ///< of our own requests, what may have been counted after the answer before
  DurationSpan slides = {};  ///< the period, if a log that slides holds just the last `used` of ours
};

/// The answers of one quota.
class TurnSigns {
 public:
  /// Takes in an answer in the order in which answers come.
  void learn(const TurnMark& mark) noexcept;
  /// The counts say otherwise: nothing is concluded any more.
  void refute() noexcept;
  /// The period, once the answers cannot be explained by windows that are aligned to a clock, or by a steady flow.
  std::optional<Duration> period() const noexcept { return period_; }
  /// Whether it is a log that slides: each request is forgotten a period after it was counted, and no window ends.
  bool slides() const noexcept { return slides_; }
  /// Whether the last window that began after such a period may have been an aligned one, met late.
  bool doubtful() const noexcept { return doubtful_; }

 private:
  void compare_resets(const TurnMark& mark) noexcept;
  void compare_counts(const TurnMark& mark) noexcept;

  std::optional<TurnMark> first_ = {};  // the last answer that counted no request but its own
  std::optional<TurnMark> before_ = {};
  std::int64_t perhaps_since_ = 0;  // answers that may be those of a window that has turned
  Instant perhaps_at_ = {};         // when the last of them came
  bool under_one_reset_ = false;    // all since the first told its reset
  bool used_up_ = false;            // and the last of them that nothing is left
  std::optional<Duration> period_ = {};
  bool slides_ = false;
  bool doubtful_ = false;
  bool refuted_ = false;
};

}}  // namespace noun
