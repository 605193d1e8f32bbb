#pragma once
/// @file
/// The offset between the server's clock and the local steady clock: an interval that every Date narrows. Independent
/// of quotas; reads no clock.

#include <algorithm>
#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

/// How far two clocks may drift apart in `span`: ten parts per million. The first millisecond is ignored, since a
/// request takes as long to arrive: within 100 s there is no drift.
constexpr Duration drift_over(Duration span) noexcept {
  return std::max(span / 100'000 - std::chrono::milliseconds(1), Duration::zero());
}

/// A span in seconds.
constexpr double seconds_of(Duration span) noexcept { return std::chrono::duration<double>(span).count(); }

/// An interval of the local steady clock.
struct InstantSpan {
  Instant earliest = {};
  Instant latest = {};

  Duration width() const noexcept { return latest - earliest; }

  static void fields(auto& self, auto& archive) { archive(self.earliest, self.latest); }
};

/// What is known of the offset between the server's clock and the local steady clock.
class ServerClock {
 public:
  /// Adds the Date of one response: the server's clock showed [date, date + 1 s) at some instant between `sent` and
  /// `received`. If that contradicts what was known (the server's clock moved, or several servers respond), starts
  /// again with this response alone. Ignores a date that no clock shows (before 1720 or after 2220).
  /// @returns  whether it started again.
  /// @source   RFC 9110, section 6.6.1: Date has whole seconds.
  bool observe(std::chrono::sys_seconds date, Instant sent, Instant received) noexcept;

  /// Whether a usable Date was observed.
  bool known() const noexcept { return known_; }
  /// When the server's clock shows `at`, on the local steady clock; saturating. Only if known().
  InstantSpan when(WallTime at) const noexcept;

  static void fields(auto& self, auto& archive) { archive(self.known_, self.epoch_, self.seen_); }

 private:
  bool known_ = false;
  InstantSpan epoch_ = {};  // local instant of 1970 on the server's clock; long before the local clock started
  Instant seen_ = {};       // when the interval was last narrowed; since then it widens by drift
};

}}}  // namespace noun::quota
