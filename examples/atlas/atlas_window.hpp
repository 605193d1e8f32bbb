// The fixed-window rate limiter and the fields in which it speaks. Pure: the moment is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "atlas_answer.hpp"
#include "atlas_clock.hpp"
#include "atlas_options.hpp"

namespace atlas {

/// What the limiter says to one request.
struct Verdict {
  bool admitted = true;
  std::uint64_t limit = 0;      ///< requests in one window; 0 for no limit
  std::uint64_t remaining = 0;  ///< what is left of it after this request
  WallTime resets_at{};         ///< when the window that counted the request ends
};

/// Counts requests in windows of equal length that are aligned to the wall clock. Not thread-safe.
class Window {
 public:
  /// @param limit   requests in one window; 0 for no limit.
  /// @param period  length of a window; more than 0.
  /// @param phase   added to each multiple of the period since 1970, where the windows turn.
  Window(std::uint64_t limit, std::chrono::milliseconds period, std::chrono::milliseconds phase)
      : limit_(limit), period_(period), phase_(phase) {}

  /// Counts a request at `now`. A `now` from the window just before the current one counts in the
  /// current one: threads may come in another order than that in which they looked at the clock.
  Verdict admit(WallTime now);

 private:
  void turn_to(std::int64_t index);

  std::uint64_t limit_;
  std::chrono::nanoseconds period_;
  std::chrono::nanoseconds phase_;
  std::int64_t index_ = 0;
  std::uint64_t used_ = 0;
};

/// X-RateLimit-Limit, -Remaining and, in the given form, -Reset.
Fields rate_fields(const Verdict& verdict, WallTime now, ResetForm form);

/// The value of Retry-After: whole seconds until the window turns, rounded up, at least 1.
std::string retry_after_seconds(const Verdict& verdict, WallTime now);

}  // namespace atlas
