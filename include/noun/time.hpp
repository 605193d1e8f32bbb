#pragma once
/// @file
/// The types of time: durations, instants of the steady clock, instants that people read.

#include <chrono>

namespace noun { inline namespace v0 {

/// A span of time, in nanoseconds.
using Duration = std::chrono::nanoseconds;
/// An instant of the steady clock: what noun decides and waits by.
using Instant = std::chrono::steady_clock::time_point;
/// An instant of the wall clock: what people and services read and write.
using WallTime = std::chrono::system_clock::time_point;

/// One look at both clocks. Decisions take it as an argument; none reads a clock.
struct Now {
  Instant steady;  ///< what is decided by
  WallTime wall;   ///< what is shown, and compared with dates that a service sent
};

/// `start + span`, saturating at the ends of the range instead of overflowing.
constexpr Instant after(Instant start, Duration span) noexcept {
  if (span >= Duration::zero()) return start > Instant::max() - span ? Instant::max() : start + span;
  return start < Instant::min() - span ? Instant::min() : start + span;
}

/// The wall-clock time at which the steady clock will show `when`, seen from `now`; saturating.
constexpr WallTime wall_time_of(Instant when, Now now) noexcept {
  const auto span = std::chrono::duration_cast<WallTime::duration>(when - now.steady);
  if (span >= WallTime::duration::zero()) return now.wall > WallTime::max() - span ? WallTime::max() : now.wall + span;
  return now.wall < WallTime::min() - span ? WallTime::min() : now.wall + span;
}

}}  // namespace noun
