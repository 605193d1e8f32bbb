#pragma once
/// @file
/// The lengths that services like to count requests in.

#include <array>
#include <chrono>
#include <optional>

#include <noun/time.hpp>

namespace noun { inline namespace v0 {

constexpr std::array<Duration, 9> round_periods = {
    std::chrono::seconds(1),  std::chrono::seconds(2),  std::chrono::seconds(5),
    std::chrono::seconds(10), std::chrono::seconds(15), std::chrono::seconds(20),
    std::chrono::seconds(30), std::chrono::minutes(1),  std::chrono::minutes(2)};

/// The only round number that is greater than `shortest` and at most `longest`.
constexpr std::optional<Duration> the_round_one_in(Duration shortest, Duration longest) noexcept {
  std::optional<Duration> found;
  for (const Duration round : round_periods) {
    if (round <= shortest || round > longest) continue;
    if (found) return std::nullopt;
    found = round;
  }
  return found;
}

}}  // namespace noun
