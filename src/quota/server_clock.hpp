#pragma once
/// @file
/// The server's clock seen from our steady one: an interval for their difference, narrowed by every Date. Knows nothing
/// of quotas, and reads no clock.

#include <algorithm>
#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

/// How far two clocks may drift apart in `span`: ten parts in a million. The first millisecond is left out, since a
/// request takes as long to arrive: within 100 s there is none.
constexpr Duration drift_over(Duration span) noexcept {
  return std::max(span / 100'000 - std::chrono::milliseconds(1), Duration::zero());
}

/// An interval of our steady clock.
struct InstantSpan {
  Instant earliest = {};
  Instant latest = {};

  Duration width() const noexcept { return latest - earliest; }
};

/// What is known of `server's clock - steady clock`.
class ServerClock {
 public:
  /// Takes in the Date of one answer: the server's clock stood in [date, date + 1 s) at some instant between `sent` and
  /// `received`. Starts again with this answer alone where it contradicts what was known: the server's clock moved,
  /// or several servers answer. A date that no clock shows (before 1720 or after 2220) is ignored.
  /// @returns  whether it started again.
  /// @source   RFC 9110, section 6.6.1: Date has whole seconds.
  bool observe(std::chrono::sys_seconds date, Instant sent, Instant received) noexcept;

  /// Whether any usable Date was seen.
  bool known() const noexcept { return known_; }
  /// When, on our steady clock, the server's clock shows `at`; saturating. Only if known().
  InstantSpan when(WallTime at) const noexcept;

 private:
  bool known_ = false;
  Duration low_ = {};
  Duration high_ = {};
  Instant seen_ = {};  // when the interval was last narrowed; it widens by drift from there
};

}}  // namespace noun
