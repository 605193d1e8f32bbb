#include "call/trail.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace noun { inline namespace v0 {

void Trail::note(Sent attempt_sent) noexcept {
  const auto rank = [](Sent s) { return s == Sent::maybe ? 2 : s == Sent::answered ? 1 : 0; };
  if (rank(attempt_sent) > rank(sent)) sent = attempt_sent;
}

void Trail::note(Setback setback) {
  constexpr std::size_t most = 16;
  more_setbacks = setbacks.size() == most;
  if (!more_setbacks) setbacks.push_back(setback);
}

std::string readable(Duration span) {
  const double seconds = std::chrono::duration<double>(span).count();
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.3g} h", seconds / 3600);
  if (seconds < 36500.0 * 86400) return fmt::format("{:.0f} days", seconds / 86400);
  return "more than 100 years";
}

std::string summary(const Trail& trail) {
  if (trail.attempts <= 1 && trail.elapsed() < std::chrono::seconds(1)) return {};
  if (trail.attempts == 0) return fmt::format("after waiting {}", readable(trail.elapsed()));
  std::string history;
  for (const auto& setback : trail.setbacks) {
    if (!history.empty()) history += ", ";
    history += setback.status != 0 ? fmt::format("{}", setback.status) : std::string(to_string(setback.code));
  }
  if (trail.more_setbacks) history += ", …";
  const auto listed = trail.setbacks.size() > 1 ? fmt::format(" ({})", history) : std::string{};
  const auto redirected =
      trail.redirects > 0 ? fmt::format(", {} of them redirected,", trail.redirects) : std::string{};
  return fmt::format("after {} attempt{}{} in {}{}", trail.attempts, trail.attempts == 1 ? "" : "s", redirected,
                     readable(trail.elapsed()), listed);
}

}}  // namespace noun
