#pragma once
/// @file
/// A reported reset as an interval of the local steady clock, and the comparison of two resets. Independent of permits.

#include <array>
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

  static void fields(auto& self, auto& archive) { archive(self.over, self.up_to); }
};

/// Usual lengths of quota windows.
constexpr std::array<Duration, 9> round_periods = {
    std::chrono::seconds(1),  std::chrono::seconds(2),  std::chrono::seconds(5),
    std::chrono::seconds(10), std::chrono::seconds(15), std::chrono::seconds(20),
    std::chrono::seconds(30), std::chrono::minutes(1),  std::chrono::minutes(2)};

/// Longer windows are waited for as reported: no rounding is worth a guess.
constexpr Duration longest_period = round_periods.back();

/// The only round length in the span; nothing if there is none or several.
constexpr std::optional<Duration> the_round_one_in(const DurationSpan& span) noexcept {
  std::optional<Duration> found;
  for (const Duration round : round_periods) {
    if (round <= span.over || round > span.up_to) continue;
    if (found) return std::nullopt;
    found = round;
  }
  return found;
}

/// When a window ends. The reported value is exact or rounded up: `latest` is the instant to wait for.
struct ResetInterval {
  Instant earliest = {};
  Instant latest = {};
  /// The reset on the server's clock, if reported so. Then the interval follows that clock.
  std::optional<WallTime> at = {};
  /// Resolution of the reported value: one second if it is whole seconds, else one millisecond.
  Duration grain = {};
  /// How long before the reset the seconds in responses change (Date, or a reported duration), modulo one second.
  Duration tick_offset = {};
  /// No Date narrows it: the local wall clock is used in place of the server's.
  bool by_local_clock = false;

  /// The interval if the value may be rounded up: its earliest end is one grain earlier.
  InstantSpan if_rounded_up() const noexcept { return {at ? after(earliest, -grain) : earliest, latest}; }
  /// The value with no uncertainty except its rounding, on a clock with a constant offset to ours. For comparing
  /// resets.
  InstantSpan without_clock_doubt() const noexcept;
  /// How far ahead the reset was on the server's own clock, allowing for the rounding of Date and reset. Nothing
  /// without a Date, or if the two contradict each other.
  std::optional<DurationSpan> ahead_of(std::optional<std::chrono::sys_seconds> date) const noexcept;
  /// Whether it is in the future, and near enough for calculations.
  bool is_near(Instant sent, Instant received) const noexcept;

  static void fields(auto& self, auto& archive) {
    archive(self.earliest, self.latest, self.at, self.grain, self.tick_offset, self.by_local_clock, self.in);
  }

  /// The reported duration, if it was one.
  std::optional<Duration> in = {};
};

/// Reads the reset of one response.
/// @param clock  has already observed the Date of the response.
ResetInterval interval_of(const wire::ResetReading& reported, const ServerClock& clock, Instant sent, Now received);

/// Recalculates the interval by a clock that has observed more.
void refresh(ResetInterval& reset, const ServerClock& clock) noexcept;

/// By how much `reported` is certainly later (positive) or earlier (negative) than `known`; zero if they may be equal.
Duration certain_gap(const ResetInterval& known, const ResetInterval& reported) noexcept;
/// The largest gap between two values of the same reset: by rounding, and by servers that add a rounded duration to a
/// truncated time, so that their reset varies by a second.
Duration jitter_of(const ResetInterval& known, const ResetInterval& reported) noexcept;

/// Which of two contradicting values for the same reset to use.
enum class Contradiction { take_later, take_earlier };

/// Merges another value for the same reset: the intersection, or one of the two if they contradict each other.
void tighten(ResetInterval& known, const ResetInterval& reported, Contradiction contradiction) noexcept;

}}}  // namespace noun::quota
