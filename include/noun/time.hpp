#pragma once
/// @file
/// The time types: durations, steady-clock instants and wall-clock times.

#include <chrono>

namespace noun { inline namespace v0 {

/// A duration in nanoseconds.
using Duration = std::chrono::nanoseconds;
/// An instant of the steady clock, for decisions and waits.
using Instant = std::chrono::steady_clock::time_point;
/// An instant of the wall clock, for people and for dates from servers.
using WallTime = std::chrono::system_clock::time_point;

/// One reading of both clocks. Decisions take it as an argument and never read a clock.
struct Now {
  Instant steady;  ///< for decisions
  WallTime wall;   ///< for display and for comparison with dates from a server
};

/// `start + span`, saturating instead of overflowing.
constexpr Instant after(Instant start, Duration span) noexcept {
  if (span >= Duration::zero()) return start > Instant::max() - span ? Instant::max() : start + span;
  return start < Instant::min() - span ? Instant::min() : start + span;
}

/// The wall-clock time of the steady instant `when`, computed from `now`; saturating.
constexpr WallTime wall_time_of(Instant when, Now now) noexcept {
  const auto span = std::chrono::duration_cast<WallTime::duration>(when - now.steady);
  if (span >= WallTime::duration::zero()) return now.wall > WallTime::max() - span ? WallTime::max() : now.wall + span;
  return now.wall < WallTime::min() - span ? WallTime::min() : now.wall + span;
}

}}  // namespace noun
