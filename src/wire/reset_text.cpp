#include "wire/reset_text.hpp"

#include <algorithm>
#include <chrono>

#include "wire/ascii.hpp"
#include "wire/duration_text.hpp"
#include "wire/http_date.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

std::optional<ResetReading> read_epoch(std::string_view text, Duration unit) {
  const auto since_epoch = parse_decimal_duration(text, unit);
  if (!since_epoch) return std::nullopt;
  return ResetReading{.at = WallTime(std::chrono::floor<WallTime::duration>(*since_epoch))};
}

std::optional<ResetReading> read_delta(std::string_view text, Duration unit) {
  const auto span = parse_decimal_duration(text, unit);
  return span ? std::optional(ResetReading{.in = *span}) : std::nullopt;
}

/// Guesses the unit of a number by its size: no server asks for a wait of 31 years, and no clock shows the year 1973.
std::optional<ResetReading> read_number_by_size(std::string_view text) {
  const auto first = std::min(text.find_first_not_of('0'), text.size());
  const auto digits = std::min(text.find('.', first), text.size()) - first;
  if (digits <= 9) return read_delta(text, seconds(1));
  if (digits <= 11) return read_epoch(text, seconds(1));
  if (digits <= 14) return read_epoch(text, milliseconds(1));
  if (digits <= 17) return read_epoch(text, microseconds(1));
  return std::nullopt;
}

std::optional<ResetReading> read_number(std::string_view text, ResetForm form) {
  switch (form) {
    case ResetForm::epoch_seconds: return read_epoch(text, seconds(1));
    case ResetForm::epoch_milliseconds: return read_epoch(text, milliseconds(1));
    case ResetForm::delta_seconds: return read_delta(text, seconds(1));
    case ResetForm::delta_milliseconds: return read_delta(text, milliseconds(1));
    case ResetForm::automatic:
    case ResetForm::http_date:
    case ResetForm::rfc3339:
    case ResetForm::duration_text: break;
  }
  return read_number_by_size(text);
}

/// The forms of text are distinguishable, so the dialect's form is ignored; servers have switched between them.
std::optional<ResetReading> read_text(std::string_view text, WallTime now) {
  if (const auto when = parse_http_date(text, now)) return ResetReading{.at = clamped_wall_time(*when)};
  if (const auto when = parse_rfc3339(text)) return ResetReading{.at = *when};
  if (const auto span = parse_duration_text(text)) return ResetReading{.in = *span};
  if (const auto when = parse_javascript_date(text)) return ResetReading{.at = clamped_wall_time(*when)};
  return std::nullopt;
}

}  // namespace

WallTime clamped_wall_time(sys_seconds when) noexcept {
  const auto earliest = std::chrono::ceil<seconds>(WallTime::min());
  const auto latest = std::chrono::floor<seconds>(WallTime::max());
  return WallTime(std::clamp(when, earliest, latest));
}

std::optional<ResetReading> parse_reset(std::string_view text, ResetForm form, WallTime now) {
  const auto number = !text.empty() && is_digit(text.front()) ? read_number(text, form) : std::nullopt;
  return number ? number : read_text(text, now);
}

bool is_plausible(const ResetReading& reset, WallTime reference, Duration farthest) noexcept {
  if (reset.in) return *reset.in <= farthest;
  const auto span = std::chrono::floor<WallTime::duration>(farthest);
  return reference > WallTime::max() - span || *reset.at <= reference + span;
}

Duration time_until(const ResetReading& reset, WallTime reference) noexcept {
  if (reset.in) return *reset.in;
  const WallTime at = std::max(*reset.at, WallTime());
  return at - std::clamp(reference, WallTime(), at);
}

}}}  // namespace noun::wire
