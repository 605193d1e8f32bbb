#include "wire/http_date.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/duration_text.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 7> day_names = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr auto not_alpha = [](char c) { return !is_alpha(c); };

/// The first three letters, in lower case, as one number: each response has a date.
constexpr std::uint32_t key_of(std::string_view word) noexcept {
  std::uint32_t key = 0;
  for (const char letter : word.substr(0, 3)) key = key << 8U | static_cast<unsigned char>(to_lower(letter));
  return key;
}

template <std::size_t Size>
constexpr auto keys_of(const std::array<std::string_view, Size>& names) noexcept {
  std::array<std::uint32_t, Size> keys = {};
  std::transform(names.begin(), names.end(), keys.begin(), key_of);
  return keys;
}
constexpr auto day_keys = keys_of(day_names);
constexpr auto month_keys = keys_of(month_names);

/// Short and long names; the name is not compared with the date.
bool is_day_name(std::string_view word) {
  const auto found = std::find(day_keys.begin(), day_keys.end(), key_of(word));
  return found != day_keys.end() &&
         (word.size() == 3 || same_ignoring_case(word, day_names[static_cast<std::size_t>(found - day_keys.begin())]));
}

std::optional<unsigned> take_month(Cursor& cursor) {
  const auto word = cursor.take_until(not_alpha);
  const auto found = std::find(month_keys.begin(), month_keys.end(), key_of(word));
  if (found == month_keys.end() || word.size() != 3) return std::nullopt;
  return static_cast<unsigned>(found - month_keys.begin()) + 1;
}

/// Two digits after `separator`, or 99, which is out of range for any part of a time.
int take_two_digits(Cursor& cursor, char separator) {
  return cursor.take(separator) ? cursor.take_number(2, 2).value_or(99) : 99;
}

/// time-of-day = hour ":" minute ":" second; second 60, a leap second, is the first second of the next minute.
std::optional<seconds> take_time_of_day(Cursor& cursor) {
  const int hour = cursor.take_number(2, 2).value_or(99);
  const int minute = take_two_digits(cursor, ':');
  const int second = take_two_digits(cursor, ':');
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return hours(hour) + minutes(minute) + seconds(second);
}

/// ( "+" / "-" ) 2DIGIT [ ":" ] 2DIGIT
std::optional<seconds> take_offset(Cursor& cursor) {
  const bool west = cursor.take('-');
  if (!west && !cursor.take('+')) return std::nullopt;
  const auto both = cursor.take_number(4, 4);
  const int hour = both ? *both / 100 : cursor.take_number(2, 2).value_or(99);
  const int minute = both ? *both % 100 : take_two_digits(cursor, ':');
  if (hour > 23 || minute > 59) return std::nullopt;
  const seconds offset = hours(hour) + minutes(minute);
  return west ? -offset : offset;
}

/// A zone: GMT, UTC, a numeric offset, or nothing.
std::optional<seconds> take_zone(Cursor& cursor) {
  if (cursor.done()) return seconds::zero();
  if (cursor.at('+') || cursor.at('-')) return take_offset(cursor);
  const auto word = cursor.take_until(not_alpha);
  if (same_ignoring_case(word, "GMT") || same_ignoring_case(word, "UTC")) return seconds::zero();
  return std::nullopt;
}

struct CivilDate {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
};

std::optional<sys_seconds> midnight(const CivilDate& date) {
  const year_month_day ymd{year(date.year), std::chrono::month(date.month), std::chrono::day(date.day)};
  if (!ymd.ok()) return std::nullopt;
  return sys_days(ymd);
}

/// RFC 9110, section 5.6.7: a two-digit year that appears to be more than 50 years ahead is in the past century.
int full_year(int two_digits, unsigned month, unsigned day, WallTime now) {
  const auto today = std::chrono::floor<days>(now);
  const int this_year = static_cast<int>(year_month_day(today).year());
  const int guess = this_year - this_year % 100 + two_digits;
  if (guess < this_year - 50) return guess + 100;
  const auto there = midnight({guess, month, day});
  return there && *there > sys_seconds(today) + std::chrono::years(50) ? guess - 100 : guess;
}

/// The separator between day, month and year: "-" or spaces.
bool take_separator(Cursor& cursor, bool dashes) { return dashes ? cursor.take('-') : cursor.take_ows(); }

/// date1 = day SP month SP year; date2 = day "-" month "-" 2DIGIT; then SP time-of-day SP GMT.
std::optional<sys_seconds> take_day_first(Cursor& cursor, WallTime now) {
  const auto day = cursor.take_number(1, 2);
  const bool dashes = cursor.at('-');
  if (!day || !take_separator(cursor, dashes)) return std::nullopt;
  const auto month = take_month(cursor);
  if (!month || !take_separator(cursor, dashes)) return std::nullopt;
  const auto digits = cursor.rest().size();
  auto year = cursor.take_number(2, 4);
  const auto year_digits = digits - cursor.rest().size();
  if (!year || year_digits == 3 || !cursor.take_ows()) return std::nullopt;
  if (year_digits == 2) year = full_year(*year, *month, static_cast<unsigned>(*day), now);

  const auto time = take_time_of_day(cursor);
  cursor.take_ows();
  const auto zone = time ? take_zone(cursor) : std::nullopt;
  const auto date = midnight({*year, *month, static_cast<unsigned>(*day)});
  if (!zone || !date) return std::nullopt;
  return *date + *time - *zone;
}

/// asctime-date = day-name SP month SP ( 2DIGIT / ( SP DIGIT ) ) SP time-of-day SP year, in UTC.
std::optional<sys_seconds> take_asctime(Cursor& cursor) {
  const auto month = take_month(cursor);
  if (!month || !cursor.take_ows()) return std::nullopt;
  const auto day = cursor.take_number(1, 2);
  if (!day || !cursor.take_ows()) return std::nullopt;
  const auto time = take_time_of_day(cursor);
  if (!time || !cursor.take_ows()) return std::nullopt;
  const auto year = cursor.take_number(4, 4);
  const auto date = year ? midnight({*year, *month, static_cast<unsigned>(*day)}) : std::nullopt;
  if (!date) return std::nullopt;
  return *date + *time;
}

/// full-date = 4DIGIT "-" 2DIGIT "-" 2DIGIT
std::optional<sys_seconds> take_full_date(Cursor& cursor) {
  const int year = cursor.take_number(4, 4).value_or(0);
  const int month = take_two_digits(cursor, '-');
  const int day = take_two_digits(cursor, '-');
  if (year < 1678 || year > 2261) return std::nullopt;
  return midnight({year, static_cast<unsigned>(month), static_cast<unsigned>(day)});
}

/// partial-time = 2DIGIT ":" 2DIGIT [ ":" 2DIGIT [ "." 1*DIGIT ] ]
std::optional<Duration> take_partial_time(Cursor& cursor) {
  const int hour = cursor.take_number(2, 2).value_or(99);
  const int minute = take_two_digits(cursor, ':');
  if (hour > 23 || minute > 59) return std::nullopt;
  const Duration to_minute = hours(hour) + minutes(minute);
  if (!cursor.take(':')) return to_minute;
  const auto text = cursor.take_until([](char c) { return !is_digit(c) && c != '.'; });
  const auto second = parse_decimal_duration(text, seconds(1));
  if (!second || std::min(text.find('.'), text.size()) != 2 || *second >= seconds(61)) return std::nullopt;
  return to_minute + *second;
}

/// A date whose year has four digits.
sys_seconds clamped(sys_seconds when) {
  return std::clamp(when, sys_seconds(sys_days(year(0) / 1 / 1)),
                    sys_seconds(sys_days(year(10000) / 1 / 1)) - seconds(1));
}

/// The forms of an HTTP-date, with the arguments of formatted().
/// @source RFC 9110, section 5.6.7.
constexpr const char* imf_fixdate = "{weekday:.3}, {day:02} {month} {year:04} {time} GMT";
constexpr const char* rfc850_date = "{weekday}, {day:02}-{month}-{short_year:02} {time} GMT";
constexpr const char* asctime_date = "{weekday:.3} {month} {day:2} {time} {year:04}";

std::string formatted(sys_seconds when, const char* form) {
  when = clamped(when);
  const auto day = std::chrono::floor<days>(when);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss time(when - day);
  const int year = static_cast<int>(date.year());
  const auto time_of_day =
      fmt::format("{:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(), time.seconds().count());
  return fmt::format(fmt::runtime(form), fmt::arg("weekday", day_names[std::chrono::weekday(day).c_encoding()]),
                     fmt::arg("day", static_cast<unsigned>(date.day())),
                     fmt::arg("month", month_names[static_cast<unsigned>(date.month()) - 1]), fmt::arg("year", year),
                     fmt::arg("short_year", year % 100), fmt::arg("time", time_of_day));
}

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text, WallTime now) {
  Cursor cursor(trimmed(text));
  const auto word = cursor.take_until(not_alpha);
  if (!word.empty() && !is_day_name(word)) return std::nullopt;
  const bool comma = !word.empty() && cursor.take(',');
  cursor.take_ows();
  const bool asctime = !word.empty() && !comma && !cursor.at_digit();
  const auto when = asctime ? take_asctime(cursor) : take_day_first(cursor, now);
  return cursor.done() ? when : std::nullopt;
}

std::optional<sys_seconds> parse_http_date_exactly(std::string_view text, WallTime now) {
  const auto when = parse_http_date(text, now);
  if (!when) return std::nullopt;
  for (const auto* form : {imf_fixdate, rfc850_date, asctime_date})
    if (same_ignoring_case(formatted(*when, form), text)) return when;
  return std::nullopt;
}

std::string format_http_date(sys_seconds when) { return formatted(when, imf_fixdate); }

std::string format_rfc3339(sys_seconds when) {
  when = clamped(when);
  const auto day = std::chrono::floor<days>(when);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss time(when - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count());
}

std::string format_rfc3339_exactly(WallTime when) {
  // when - second would overflow within the first second of WallTime.
  constexpr Duration::rep per_second = Duration(seconds(1)).count();
  auto text = format_rfc3339(std::chrono::floor<seconds>(when));
  auto rest = (when.time_since_epoch().count() % per_second + per_second) % per_second;
  if (rest == 0) return text;
  int digits = 9;
  for (; rest % 1000 == 0; digits -= 3) rest /= 1000;
  text.pop_back();
  return text + fmt::format(".{:0{}}Z", rest, digits);
}

std::optional<sys_seconds> parse_javascript_date(std::string_view text) {
  Cursor cursor(trimmed(text));
  if (!is_day_name(cursor.take_until(not_alpha)) || !cursor.take(' ')) return std::nullopt;
  const auto month = take_month(cursor);
  if (!month || !cursor.take(' ')) return std::nullopt;
  const auto day = cursor.take_number(2, 2);
  if (!day || !cursor.take(' ')) return std::nullopt;
  const auto year = cursor.take_number(4, 4);
  if (!year || !cursor.take(' ')) return std::nullopt;
  const auto time = take_time_of_day(cursor);
  if (!time || !cursor.take(' ') || cursor.take_until(not_alpha) != "GMT") return std::nullopt;
  const auto zone = take_offset(cursor);
  const bool named = cursor.take(' ') && cursor.take('(');
  if (named) cursor.take_until([](char c) { return c == '(' || c == ')' || is_control(c); });
  const auto date = midnight({*year, *month, static_cast<unsigned>(*day)});
  if (!zone || !date || (named && !cursor.take(')')) || !cursor.done()) return std::nullopt;
  return *date + *time - *zone;
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  Cursor cursor(trimmed(text));
  const auto date = take_full_date(cursor);
  if (!date || !(cursor.take('T') || cursor.take('t') || cursor.take(' '))) return std::nullopt;
  const auto time = take_partial_time(cursor);
  if (!time) return std::nullopt;
  std::optional<seconds> zone = seconds::zero();
  if (!cursor.done() && !cursor.take('Z') && !cursor.take('z')) zone = take_offset(cursor);
  if (!zone || !cursor.done()) return std::nullopt;
  const auto since_epoch = Duration(date->time_since_epoch()) + *time - *zone;
  return WallTime(std::chrono::ceil<WallTime::duration>(since_epoch));
}

std::optional<WallTime> parse_rfc3339_exactly(std::string_view text) {
  constexpr std::size_t at_second = 17;    // 1994-11-06T08:49:37
  constexpr std::size_t at_fraction = 19;  // its point
  constexpr std::size_t most_digits = 9;
  const auto zone = text.size() > at_fraction ? text.find_first_of("Zz+-", at_fraction) : std::string_view::npos;
  if (zone == std::string_view::npos) return std::nullopt;
  const bool has_second = text[at_second - 1] == ':' && is_digit(text[at_second]) && text[at_second] != '6';
  const auto fraction = text.substr(at_fraction, zone - at_fraction);
  const bool has_digits = fraction.empty() || (fraction.size() > 1 && fraction.front() == '.');
  const bool is_fine = fraction.size() <= 1 + most_digits ||
                       fraction.find_first_not_of('0', 1 + most_digits) == std::string_view::npos;
  const bool has_colon = is_alpha(text[zone]) || (text.size() == zone + 6 && text[zone + 3] == ':');
  const bool is_exact = has_second && has_digits && is_fine && has_colon && is_alpha(text[10]);
  return is_exact && !is_space(text.front()) && !is_space(text.back()) ? parse_rfc3339(text) : std::nullopt;
}

}}}  // namespace noun::wire
