// Retry-After: the first line of the input is the Date, each other line a value. Durations and resets of other headers
// are read from the values too.
#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "fuzz/invariant.hpp"
#include "wire/duration_text.hpp"
#include "wire/http_date.hpp"
#include "wire/reset_text.hpp"
#include "wire/retry_after.hpp"

namespace {

using noun::Duration;
using noun_fuzz::require;

constexpr noun::WallTime now{std::chrono::seconds(1'768'910'400)};

void read_reset(std::string_view text) {
  for (int form = 0; form < 8; ++form) {
    const auto reset = noun::wire::parse_reset(text, static_cast<noun::ResetForm>(form), now);
    if (!reset) continue;
    require(reset->in.has_value() != reset->at.has_value(), "a reset is a wait or an instant");
    require(reset->in.value_or(Duration::zero()) >= Duration::zero(), "a reset is not negative");
    require(noun::wire::time_until(*reset, now) >= Duration::zero(), "the time until a reset is not negative");
    noun::wire::is_plausible(*reset, now, std::chrono::hours(24));
  }
}

void read_duration(std::string_view text) {
  for (const Duration unit : {Duration(1), Duration(std::chrono::seconds(1)), Duration(std::chrono::hours(1))}) {
    const auto wait = noun::wire::parse_decimal_duration(text, unit);
    if (!wait) continue;
    require(*wait >= Duration::zero(), "a decimal duration is not negative");
    const auto again = noun::wire::parse_decimal_duration(fmt::to_string(wait->count()), Duration(1));
    require(again == wait, "nanoseconds read the same");
  }
  if (const auto wait = noun::wire::parse_duration_text(text)) {
    require(*wait >= Duration::zero(), "a duration is not negative");
    require(noun::wire::parse_duration_text(fmt::format("{}ns", wait->count())) == wait, "a duration reads the same");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = noun_fuzz::text_of(data, size);
  const auto date = noun::wire::parse_http_date(noun_fuzz::take_part(text), now);
  const auto lines = noun_fuzz::lines_of(text);
  const auto wait = noun::wire::parse_retry_after(lines, date, now);
  std::optional<Duration> longest;
  for (const auto line : lines) longest = std::max(longest, noun::wire::parse_retry_after({line}, date, now));
  require(wait == longest, "the longest wait counts");
  require(wait.value_or(Duration::zero()) >= Duration::zero(), "a wait is not negative");
  for (const auto line : lines) {
    read_reset(line);
    read_duration(line);
  }
  return 0;
}
