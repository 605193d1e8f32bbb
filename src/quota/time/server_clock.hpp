#pragma once
/// @file
/// The server's clock seen from our steady one: an interval for their difference, narrowed by every Date. Knows nothing
/// of quotas, and reads no clock.

#include <algorithm>
#include <chrono>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace quota {

/// How far two clocks may drift apart in `span`: ten parts in a million. The first millisecond is left out, since a
/// request takes as long to arrive: within 100 s there is none.
constexpr Duration drift_over(Duration span) noexcept {
  return std::max(span / 100'000 - std::chrono::milliseconds(1), Duration::zero());
}

/// A span in seconds.
constexpr double seconds_of(Duration span) noexcept { return std::chrono::duration<double>(span).count(); }

/// An interval of our steady clock.
struct InstantSpan {
  Instant earliest = {};
  Instant latest = {};

  Duration width() const noexcept { return latest - earliest; }

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.earliest, self.latest);
  }
};

/// What is known of the difference between the server's clock and our steady one.
class ServerClock {
 public:
  /// Takes in the Date of one response: the server's clock stood in [date, date + 1 s) at some instant between `sent`
  /// and `received`. Starts again with this response alone where it contradicts what was known: the server's clock
  /// moved, or several servers respond. A date that no clock shows (before 1720 or after 2220) is ignored.
  /// @returns  whether it started again.
  /// @source   RFC 9110, section 6.6.1: Date has whole seconds.
  bool observe(std::chrono::sys_seconds date, Instant sent, Instant received) noexcept;

  /// Whether any usable Date was seen.
  bool known() const noexcept { return known_; }
  /// When, on our steady clock, the server's clock shows `at`; saturating. Only if known().
  InstantSpan when(WallTime at) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.known_, self.epoch_, self.seen_);
  }

 private:
  bool known_ = false;
  InstantSpan epoch_ = {};  // when, on our steady clock, the server's clock showed 1970; long before our clock began
  Instant seen_ = {};       // when the interval was last narrowed; it widens by drift from there
};

}}}  // namespace noun::quota
