#include "wire/duration_text.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using namespace std::chrono_literals;

Duration saturating_sum(Duration left, Duration right) {
  return left > Duration::max() - right ? Duration::max() : left + right;
}

Duration whole_units(std::string_view digits, Duration unit) {
  const auto count = read_integer<std::int64_t>(digits);
  if (!count || *count > Duration::max().count() / unit.count()) return Duration::max();
  return Duration(*count * unit.count());
}

/// ceil(unit * 0.DIGITS) without a wide integer: each step, from the last digit to the first, divides by 10 and rounds
/// up. Rounding up at every step gives the same result as rounding up once.
Duration part_of_unit(std::string_view digits, Duration unit) {
  std::int64_t ticks = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    ticks = (ticks + (*digit - '0') * unit.count() + 9) / 10;
  return Duration(ticks);
}

std::optional<Duration> take_decimal(Cursor& cursor, Duration unit) {
  const auto whole = cursor.take_until(not_digit);
  if (whole.empty()) return std::nullopt;
  if (!cursor.take('.')) return whole_units(whole, unit);
  const auto fraction = cursor.take_until(not_digit);
  if (fraction.empty()) return std::nullopt;
  return saturating_sum(whole_units(whole, unit), part_of_unit(fraction, unit));
}

std::optional<Duration> unit_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Duration>, 8> units = {{
      {"ns", 1ns},
      {"us", 1us},
      {"\u00B5s", 1us},
      {"\u03BCs", 1us},
      {"ms", 1ms},
      {"s", 1s},
      {"m", 1min},
      {"h", 1h},
  }};
  for (const auto& [spelling, unit] : units)
    if (spelling == name) return unit;
  return std::nullopt;
}

}  // namespace

std::optional<Duration> parse_decimal_duration(std::string_view text, Duration unit) {
  Cursor cursor(text);
  const auto value = take_decimal(cursor, unit);
  return cursor.done() ? value : std::nullopt;
}

std::optional<Duration> parse_duration_text(std::string_view text) {
  Cursor cursor(text);
  if (cursor.done()) return std::nullopt;
  Duration total = Duration::zero();
  while (!cursor.done()) {
    // Read the unit first: it decides how the digits before it are rounded.
    const auto number = cursor.take_until([](char c) { return !is_digit(c) && c != '.'; });
    const auto unit = unit_named(cursor.take_until(is_digit));
    const auto part = unit ? parse_decimal_duration(number, *unit) : std::nullopt;
    if (!part) return std::nullopt;
    total = saturating_sum(total, *part);
  }
  return total;
}

}}}  // namespace noun::wire
