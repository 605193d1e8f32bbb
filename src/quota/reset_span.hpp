#pragma once
/// @file
/// A told reset as an interval of our steady clock: what one answer says about the end of a window, and how two answers
/// are compared. Knows nothing of permits.

#include <optional>

#include <noun/time.hpp>

#include "quota/server_clock.hpp"
#include "wire/rate_limit.hpp"

namespace noun { inline namespace v0 {

/// When a window ends. The told value is taken as exact or rounded up: `latest` is the instant to wait for.
struct ResetSpan {
  Instant earliest = {};
  Instant latest = {};
  /// What the server's clock will show, where that was told; then the interval follows the clock's.
  std::optional<WallTime> at = {};
  /// By how much the told value may have been rounded: a second where it is whole seconds, else a millisecond.
  Duration grain = {};
  /// Where the seconds tick that are seen in answers (Date, or the told delta), counted from the reset.
  Duration tick_offset = {};
  /// Nothing narrows it: the local wall clock stands in for the server's.
  bool by_local_clock = false;
};

/// By how much a told duration may have been rounded.
Duration grain_of(Duration told) noexcept;

/// Reads what one answer told.
/// @param clock  has seen the answer's Date already.
ResetSpan span_of(const wire::ResetReading& told, const ServerClock& clock, Instant sent, Now received);

/// Reads the interval again from a clock that has seen more.
void refresh(ResetSpan& span, const ServerClock& clock) noexcept;

/// By how much `told` is certainly later (positive) or earlier (negative) than `known`; zero if they may be the same.
Duration certain_gap(const ResetSpan& known, const ResetSpan& told) noexcept;
/// Up to which gap two told values may still speak of the same reset: rounding, and services that add a rounded rest to
/// a truncated now, so that their reset jitters by a second.
Duration jitter_of(const ResetSpan& known, const ResetSpan& told) noexcept;

/// Which of two words about the same reset to believe where they contradict each other.
enum class Contradiction { take_later, take_earlier };

/// Takes in another word about the same reset: the intersection, or one of the two where they contradict each other.
void tighten(ResetSpan& known, const ResetSpan& told, Contradiction contradiction) noexcept;

}}  // namespace noun
