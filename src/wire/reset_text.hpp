#pragma once
/// @file
/// When a quota is renewed, or how long to wait, in the forms that dialects know. What follows from it is the quota
/// ledger's to decide.

#include <chrono>
#include <optional>
#include <string_view>

#include <noun/dialect.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// When the quota is renewed; exactly one of the two is set.
struct ResetReading {
  /// From the receipt of the answer; never negative.
  std::optional<Duration> in;
  /// On the server's clock; may be in the past.
  std::optional<WallTime> at;

  friend bool operator==(const ResetReading&, const ResetReading&) = default;
};

/// The date, or the nearest that the clock's type can hold.
WallTime clamped_wall_time(std::chrono::sys_seconds when) noexcept;

/// Reads a number as the form says, and text by what it looks like: HTTP-date, RFC 3339, duration text, or what
/// JavaScript makes of a Date.
/// @param now  decides the century of a two-digit year.
/// @returns    nothing for what is of no known form.
std::optional<ResetReading> parse_reset(std::string_view text, ResetForm form, WallTime now);

/// Whether the reset is at most `farthest` ahead. One that is past by the server's clock is left to the ledger.
/// @param reference  the server's clock at receipt.
bool is_plausible(const ResetReading& reset, WallTime reference, Duration farthest) noexcept;

/// How long it is until the reset, from receipt: 0 for what is past.
/// @param reference  the server's clock at receipt; counts as 1970 if it is before.
Duration time_until(const ResetReading& reset, WallTime reference) noexcept;

}}}  // namespace noun::wire
