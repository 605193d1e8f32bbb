#pragma once
/// @file
/// Usual lengths of quota windows.

#include <array>
#include <chrono>
#include <optional>

#include "quota/time/reset_interval.hpp"

namespace noun { inline namespace v0 { namespace quota {

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

}}}  // namespace noun::quota
