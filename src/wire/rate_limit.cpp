#include "wire/rate_limit.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/ascii.hpp"
#include "wire/duration_text.hpp"
#include "wire/http_date.hpp"
#include "wire/rate_limit_policy.hpp"
#include "wire/retry_after.hpp"

namespace noun::inline v0::wire {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

/// An empty name is a header that the dialect does not have.
std::optional<std::string_view> field(const Headers& headers, const std::string& name) {
  const auto value = name.empty() ? std::nullopt : headers.get(name);
  if (!value || trimmed(*value).empty()) return std::nullopt;
  return trimmed(*value);
}

/// Whether what stands behind a count belongs to it: `;w=60`, or a list of windows such as `, 10;w=1, 1000;w=3600`. A
/// list without parameters is none: `1,000` may be a thousand.
bool is_count_tail(std::string_view tail) {
  return tail.empty() || tail.front() == ';' || (tail.front() == ',' && tail.find(';') != std::string_view::npos);
}

/// count = 1*DIGIT [ "." 1*DIGIT ], rounded down; what is left behind the point cannot be spent.
std::optional<std::int64_t> read_count(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  Cursor cursor(*text);
  constexpr auto not_digit = [](char c) { return !is_digit(c); };
  const auto digits = cursor.take_until(not_digit);
  const bool broken_fraction = cursor.take('.') && cursor.take_until(not_digit).empty();
  if (digits.empty() || broken_fraction || !is_count_tail(trimmed(cursor.rest()))) return std::nullopt;
  std::int64_t count = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return read.ec == std::errc{} ? std::optional(count) : std::nullopt;
}

WallTime clamped_wall_time(sys_seconds when) {
  const auto earliest = std::chrono::ceil<seconds>(WallTime::min());
  const auto latest = std::chrono::floor<seconds>(WallTime::max());
  return WallTime(std::clamp(when, earliest, latest));
}

ResetReading from_receipt(Duration span) { return {span, std::nullopt}; }

ResetReading at_instant(WallTime when) { return {std::nullopt, when}; }

std::optional<ResetReading> read_epoch(std::string_view text, Duration unit) {
  const auto since_epoch = parse_decimal_duration(text, unit);
  if (!since_epoch) return std::nullopt;
  return at_instant(WallTime(std::chrono::floor<WallTime::duration>(*since_epoch)));
}

std::optional<ResetReading> read_delta(std::string_view text, Duration unit) {
  const auto span = parse_decimal_duration(text, unit);
  return span ? std::optional(from_receipt(*span)) : std::nullopt;
}

/// A number without a dialect, by its size: no service asks for 31 years, and no clock shows the year 1973.
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

/// Texts tell themselves apart, whatever the dialect says; services have changed between them.
std::optional<ResetReading> read_text(std::string_view text, WallTime now) {
  if (const auto when = parse_http_date(text, now)) return at_instant(clamped_wall_time(*when));
  if (const auto when = parse_rfc3339(text)) return at_instant(*when);
  if (const auto span = parse_duration_text(text)) return from_receipt(*span);
  return std::nullopt;
}

/// Whether the reset is at most `farthest` ahead. One that is past by the server's clock is left to the ledger.
bool is_plausible(const ResetReading& reset, WallTime reference, Duration farthest) {
  if (reset.in) return *reset.in <= farthest;
  const auto span = std::chrono::floor<WallTime::duration>(farthest);
  return reference > WallTime::max() - span || *reset.at <= reference + span;
}

/// The policy that a limit belongs to, or null.
const ToldPolicy* policy_of(const ToldLimit& limit, const std::vector<ToldPolicy>& policies) {
  for (const auto& policy : policies)
    if (policy.name == limit.name && policy.partition == limit.partition) return &policy;
  return nullptr;
}

/// Of several limits of requests the one that binds first: the least that is left, and of equals the one that is renewed
/// last.
const ToldLimit* strictest(const std::vector<ToldLimit>& limits, const std::vector<ToldPolicy>& policies) {
  const ToldLimit* found = nullptr;
  for (const auto& limit : limits) {
    const auto* const policy = policy_of(limit, policies);
    const bool of_requests = policy == nullptr || policy->unit.empty() || policy->unit == "requests";
    if (!limit.remaining || !of_requests) continue;
    const auto strictness = [](const ToldLimit& told) {
      return std::pair(-*told.remaining, told.resets_in.value_or(Duration::zero()));
    };
    if (found == nullptr || strictness(limit) > strictness(*found)) found = &limit;
  }
  return found;
}

/// The fields RateLimit and RateLimit-Policy, for a service that does not send what the dialect names.
void read_structured(const Headers& headers, Duration farthest_reset, RateLimitReading& reading) {
  const auto limits = parse_rate_limit_field(headers.values("RateLimit"));
  const auto policies = parse_rate_limit_policy(headers.values("RateLimit-Policy")).value_or(std::vector<ToldPolicy>());
  const auto* const limit = limits ? strictest(*limits, policies) : nullptr;
  if (limit == nullptr) return;
  reading.limit = limit->limit;
  reading.remaining = limit->remaining;
  if (const auto* const policy = policy_of(*limit, policies); policy != nullptr && !reading.limit)
    reading.limit = policy->quota;
  if (reading.limit == 0) reading.limit.reset();
  if (!limit->resets_in) return;
  if (*limit->resets_in <= farthest_reset)
    reading.reset = from_receipt(*limit->resets_in);
  else
    reading.implausible_reset = true;
}

}  // namespace

RateLimitReading read_rate_limit(const Headers& headers, const Dialect& dialect, WallTime now) {
  const auto& names = dialect.rate_limit;
  const auto farthest_reset = dialect.farthest_reset;
  RateLimitReading reading;
  if (const auto date = headers.get("Date")) reading.date = parse_http_date(*date, now);
  reading.limit = read_count(field(headers, names.limit));
  if (reading.limit == 0) reading.limit.reset();
  reading.remaining = read_count(field(headers, names.remaining));
  if (field(headers, names.retry_after))
    reading.retry_after = parse_retry_after(headers.values(names.retry_after), reading.date, now);

  const auto text = field(headers, names.reset);
  if (!text) {
    if (!reading.limit && !reading.remaining) read_structured(headers, farthest_reset, reading);
    return reading;
  }
  auto reset = is_digit(text->front()) ? read_number(*text, names.reset_form) : std::nullopt;
  if (!reset) reset = read_text(*text, now);
  const auto reference = reading.date ? clamped_wall_time(*reading.date) : now;
  if (reset && is_plausible(*reset, reference, farthest_reset))
    reading.reset = reset;
  else
    reading.implausible_reset = true;
  return reading;
}

}  // namespace noun::inline v0::wire
