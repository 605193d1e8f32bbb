#pragma once
/// @file
/// The time types: durations, steady-clock instants and wall-clock times.

#include <chrono>

#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// A duration in nanoseconds.
using Duration = std::chrono::nanoseconds;
/// An instant of the steady clock, for decisions and waits.
using Instant = std::chrono::steady_clock::time_point;
/// An instant of the wall clock, for people and for dates from servers. In nanoseconds, also where the clock has less:
/// std::chrono::system_clock::time_point then needs a std::chrono::time_point_cast.
using WallTime = std::chrono::sys_time<Duration>;

/// One reading of both clocks, taken at the same time.
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

/// When a call or a listing must have ended: `{.deadline = 5s}` counts from its start, on the client's clock;
/// `{.deadline = instant}` is an Instant. None by default. Durations beyond the range of Duration count as its end.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class Deadline {
 public:
  /// None.
  constexpr Deadline() noexcept = default;
  /// Counted from the start; zero or less has passed at the start.
  template <class Count, class Period>
  constexpr Deadline(std::chrono::duration<Count, Period> span) noexcept
      : kind_(Kind::relative), span_(rounded(span)) {}
  /// An instant of the steady clock.
  template <class Span>
  constexpr Deadline(std::chrono::time_point<std::chrono::steady_clock, Span> when) noexcept
      : kind_(Kind::absolute), span_(rounded(when.time_since_epoch())) {}
  /// The system's clock may be set while the call waits: convert the time to a duration, or to an Instant.
  template <class Span>
  Deadline(std::chrono::time_point<std::chrono::system_clock, Span> when) = delete;

  /// The instant for what starts at `start`; `Instant::max()` if there is none.
  constexpr Instant from(Instant start) const noexcept {
    if (kind_ == Kind::none) return Instant::max();
    return kind_ == Kind::relative ? after(start, span_) : Instant(span_);
  }

 private:
  enum class Kind { none, relative, absolute };

  template <class Count, class Period>
  static constexpr Duration rounded(std::chrono::duration<Count, Period> span) noexcept {
    using Seconds = std::chrono::duration<long double>;
    const Seconds seconds = span;
    if (seconds >= Seconds(Duration::max())) return Duration::max();
    return seconds > Seconds(Duration::min()) ? std::chrono::duration_cast<Duration>(span) : Duration::min();
  }

  Kind kind_ = Kind::none;
  Duration span_ = {};
};

}}  // namespace noun
