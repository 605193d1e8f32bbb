#pragma once
/// @file
/// The time of a quota reset, or of the end of a wait, in the forms that dialects know.

#include <chrono>
#include <optional>
#include <string_view>

#include <noun/dialect.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// When a quota resets; exactly one of the two is set.
struct ResetReading {
  /// From the receipt of the response; never negative.
  std::optional<Duration> in = {};
  /// On the server's clock; may be in the past.
  std::optional<WallTime> at = {};

  friend bool operator==(const ResetReading&, const ResetReading&) = default;
};

/// The date, clamped to the range of WallTime.
WallTime clamped_wall_time(std::chrono::sys_seconds when) noexcept;

/// Reads a number in the given form. Reads text by its shape: HTTP-date, RFC 3339, duration text, or the text of a
/// JavaScript Date.
/// @param now  decides the century of a two-digit year.
/// @returns    nothing for text of no known form.
std::optional<ResetReading> parse_reset(std::string_view text, ResetForm form, WallTime now);

/// Whether the reset is at most `farthest` ahead. A reset in the past is plausible.
/// @param reference  the server's clock at receipt.
bool is_plausible(const ResetReading& reset, WallTime reference, Duration farthest) noexcept;

/// The time until the reset, from receipt: 0 if it is in the past.
/// @param reference  the server's clock at receipt; clamped to 1970 or later.
Duration time_until(const ResetReading& reset, WallTime reference) noexcept;

}}}  // namespace noun::wire
