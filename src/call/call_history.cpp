#include "call/call_history.hpp"

#include <utility>

#include <fmt/format.h>

namespace noun { inline namespace v0 {

void CallHistory::note(Sent attempt_sent) noexcept {
  const auto rank = [](Sent s) { return s == Sent::maybe ? 2 : s == Sent::answered ? 1 : 0; };
  if (rank(attempt_sent) > rank(sent)) sent = attempt_sent;
}

void CallHistory::note(FailedAttempt attempt) {
  constexpr std::size_t most = 16;
  more_failed_attempts = failed_attempts.size() == most;
  if (!more_failed_attempts) failed_attempts.push_back(attempt);
}

std::string readable(Duration span) {
  const double seconds = std::chrono::duration<double>(span).count();
  if (seconds < 0.9995) return fmt::format("{} ms", std::chrono::round<std::chrono::milliseconds>(span).count());
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.3g} h", seconds / 3600);
  if (seconds < 36500.0 * 86400) return fmt::format("{:.0f} days", seconds / 86400);
  return "more than 100 years";
}

std::string summary(const CallHistory& history) {
  const int count = history.attempts;
  const auto& failed = history.failed_attempts;
  if (count <= 1 && history.elapsed() < std::chrono::seconds(1)) return {};
  if (count == 0) return "after waiting " + readable(history.elapsed());
  auto text = "after " + std::to_string(count) + (count == 1 ? " attempt" : " attempts");
  if (history.redirects > 0) text += ", " + std::to_string(history.redirects) + " of them redirected,";
  (text += " in ") += readable(history.elapsed());
  if (failed.size() <= 1) return text;
  const char* separator = " (";
  for (const auto& attempt : failed) {
    text += std::exchange(separator, ", ");
    if (attempt.status != 0)
      text += std::to_string(attempt.status);
    else
      text += to_string(attempt.code);
  }
  if (history.more_failed_attempts) text += ", …";
  return text += ')';
}

}}  // namespace noun
