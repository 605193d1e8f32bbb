#include "wire/retry_after.hpp"

#include <algorithm>

#include "wire/ascii.hpp"
#include "wire/duration_text.hpp"
#include "wire/http_date.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

/// `whole + part`, saturating; both are not negative, and `part` is below a second.
Duration saturating_wait(seconds whole, Duration part) {
  return whole >= std::chrono::floor<seconds>(Duration::max()) ? Duration::max() : whole + part;
}

/// The wait until `stamp` after the epoch; 0 if that is in the past.
Duration wait_until(Duration stamp, sys_seconds reference) {
  const auto whole = std::chrono::floor<seconds>(stamp);
  const auto wait = whole - reference.time_since_epoch();
  return wait < seconds(0) ? Duration::zero() : saturating_wait(wait, stamp - whole);
}

/// Whether a number is an epoch time rather than a number of seconds: it is within a year of the server's clock. No
/// server asks for a wait of decades.
bool is_epoch_stamp(Duration delta, sys_seconds reference) {
  const auto distance = std::chrono::floor<seconds>(delta) - reference.time_since_epoch();
  return delta >= seconds(1'000'000'000) && std::chrono::abs(distance) <= std::chrono::days(366);
}

std::optional<Duration> read_seconds(std::string_view text, sys_seconds reference) {
  const auto delta = parse_decimal_duration(text, seconds(1));
  if (!delta || !is_epoch_stamp(*delta, reference)) return delta;
  return wait_until(*delta, reference);
}

std::optional<Duration> read_date(std::string_view text, sys_seconds reference, WallTime now) {
  if (const auto when = parse_http_date(text, now))
    return saturating_wait(std::max(*when - reference, seconds(0)), Duration::zero());
  if (const auto when = parse_rfc3339(text)) return wait_until(when->time_since_epoch(), reference);
  return std::nullopt;
}

/// The largest number of the lines that a proxy has combined.
std::optional<Duration> read_joined_seconds(std::string_view line, sys_seconds reference) {
  std::optional<Duration> largest;
  while (!line.empty()) largest = std::max(largest, read_seconds(take_element(line, ", "), reference));
  return largest;
}

}  // namespace

std::optional<Duration> parse_retry_after(const std::vector<std::string_view>& values, std::optional<sys_seconds> date,
                                          WallTime now) {
  const auto reference = date.value_or(std::chrono::floor<seconds>(now));
  std::optional<Duration> largest;
  for (const auto value : values) {
    const auto line = trimmed(value);
    auto wait = read_date(line, reference, now);
    if (!wait) wait = read_joined_seconds(line, reference);
    largest = std::max(largest, wait);
  }
  return largest;
}

}}}  // namespace noun::wire
