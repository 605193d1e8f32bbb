// A fixed-window rate limiter and its response fields. The time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "atlas_clock.hpp"
#include "atlas_options.hpp"
#include "atlas_response.hpp"

namespace atlas {

/// Whether a request is admitted, and the state of the window after it.
struct RateLimitResult {
  bool admitted = true;
  std::uint64_t limit = 0;      ///< requests per window; 0 for no limit
  std::uint64_t remaining = 0;  ///< requests left in the window after this one
  WallTime resets_at{};         ///< when the window that counted the request ends
};

/// Counts requests in windows of equal length, aligned to the wall clock. Not thread-safe.
class RateLimiter {
 public:
  /// @param limit   requests per window; 0 for no limit.
  /// @param period  length of a window; more than 0.
  /// @param phase   delay of each window reset after a multiple of the period since 1970.
  RateLimiter(std::uint64_t limit, std::chrono::milliseconds period, std::chrono::milliseconds phase)
      : limit_(limit), period_(period), phase_(phase) {}

  /// Counts a request at `now`. A `now` within the previous window counts in the current one: threads
  /// may call this in another order than that in which they read the clock.
  RateLimitResult admit(WallTime now);

 private:
  void advance_to(std::int64_t index);

  std::uint64_t limit_;
  WallTime::duration period_;
  WallTime::duration phase_;
  std::int64_t index_ = 0;
  std::uint64_t used_ = 0;
};

/// X-RateLimit-Limit, -Remaining and, in the given format, -Reset.
Fields rate_fields(const RateLimitResult& result, WallTime now, ResetForm form);

/// The value of Retry-After: whole seconds until the window resets, rounded up, at least 1.
std::string retry_after_seconds(const RateLimitResult& result, WallTime now);

}  // namespace atlas
