#pragma once
/// @file
/// A reported reset as an interval of our steady clock: what one response says about the end of a window, and how two
/// responses are compared. Knows nothing of permits.

#include <chrono>
#include <optional>

#include <noun/time.hpp>

#include "quota/time/server_clock.hpp"
#include "wire/reset_text.hpp"

namespace noun { inline namespace v0 { namespace quota {

/// More than `over`, and at most `up_to`.
struct DurationSpan {
  Duration over = {};
  Duration up_to = {};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.over, self.up_to);
  }
};

/// When a window ends. The reported value is taken as exact or rounded up: `latest` is the instant to wait for.
struct ResetInterval {
  Instant earliest = {};
  Instant latest = {};
  /// What the server's clock will show, where that was reported; then the interval follows that clock.
  std::optional<WallTime> at = {};
  /// By how much the reported value may have been rounded: a second where it is whole seconds, else a millisecond.
  Duration grain = {};
  /// Where the seconds tick that are seen in responses (Date, or a reported duration), counted from the reset.
  Duration tick_offset = {};
  /// Nothing narrows it: the local wall clock stands in for the server's.
  bool by_local_clock = false;

  /// The same, should the value have been rounded up: its earliest end is a grain earlier.
  InstantSpan if_rounded_up() const noexcept { return {at ? after(earliest, -grain) : earliest, latest}; }
  /// The value alone, with no doubt but its rounding, on a clock that is always as far ahead of ours: to be compared
  /// with other resets.
  InstantSpan without_clock_doubt() const noexcept;
  /// How far ahead the reset was by the server's own clock, whatever the rounding of its Date and of the reset; nothing
  /// without a Date, and where the two contradict each other.
  std::optional<DurationSpan> ahead_of(std::optional<std::chrono::sys_seconds> date) const noexcept;
  /// Whether it lies ahead, and near enough to be calculated with.
  bool is_near(Instant sent, Instant received) const noexcept;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.earliest, self.latest, self.at, self.grain, self.tick_offset, self.by_local_clock, self.in);
  }

  /// The reported duration, where it was one.
  std::optional<Duration> in = {};
};

/// Reads what one response reported.
/// @param clock  has seen the response's Date already.
ResetInterval interval_of(const wire::ResetReading& reported, const ServerClock& clock, Instant sent, Now received);

/// Reads the interval again from a clock that has seen more.
void refresh(ResetInterval& reset, const ServerClock& clock) noexcept;

/// By how much `reported` is certainly later (positive) or earlier (negative) than `known`; zero if they may be the
/// same.
Duration certain_gap(const ResetInterval& known, const ResetInterval& reported) noexcept;
/// Up to which gap two reported values may still be the same reset: rounding, and servers that add a rounded rest to a
/// truncated now, so that their reset varies by a second.
Duration jitter_of(const ResetInterval& known, const ResetInterval& reported) noexcept;

/// Which of two values for the same reset to take where they contradict each other.
enum class Contradiction { take_later, take_earlier };

/// Takes in another value for the same reset: the intersection, or one of the two where they contradict each other.
void tighten(ResetInterval& known, const ResetInterval& reported, Contradiction contradiction) noexcept;

}}}  // namespace noun::quota
