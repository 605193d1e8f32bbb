#include "wire/reported_quota.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/decimal.hpp"
#include "wire/integer.hpp"
#include "wire/structured_field.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// Of a header with more lines, the first ones are read.
constexpr std::size_t most_lines = 8;

/// Whether the text after a count belongs to it: `;w=60`, or a list of windows such as `, 10;w=1, 1000;w=3600`. A list
/// without parameters does not: `1,000` may mean a thousand.
bool is_count_tail(std::string_view tail) {
  return tail.empty() || tail.front() == ';' || (tail.front() == ',' && tail.find(';') != std::string_view::npos);
}

const BareItem* window_parameter(const StructuredItem& item) {
  const auto* const window = item.parameter("w") != nullptr ? item.parameter("w") : item.parameter("window");
  const bool good = window != nullptr && window->kind == BareKind::integer && window->number > 0;
  return good ? window : nullptr;
}

/// The members of a list. What they are is not checked.
std::vector<std::string_view> members_of(const std::vector<std::string_view>& values, std::size_t most) {
  std::vector<std::string_view> members;
  for (auto value : values)
    while (!value.empty() && members.size() < most) members.push_back(take_element(value, ","));
  return members;
}

/// The values of several lines that a proxy has combined, if all are counts without parameters; else the value.
std::vector<std::string_view> lines_in(std::string_view value) {
  std::vector<std::string_view> lines;
  for (auto rest = value; !rest.empty() && lines.size() < most_lines;) {
    lines.push_back(take_element(rest, ", "));
    if (!parse_count(lines.back()) || lines.back().find(';') != std::string_view::npos) return {value};
  }
  return lines;
}

/// used "/" limit [ "(" comment ")" ]
void read_used_of_limit(std::string_view text, ReportedQuota& quota) {
  Cursor cursor(text);
  const auto used = cursor.take_until(not_digit);
  if (!cursor.take('/')) return;
  const auto limit = read_integer<std::int64_t>(cursor.take_until(not_digit));
  const bool commented = trimmed(cursor.rest()).starts_with('(');
  if (used.empty() || !limit || *limit == 0 || !(cursor.done() || commented)) return;
  quota.limit = limit;
  // A number that does not fit is above the limit.
  quota.remaining = *limit - std::min(read_integer<std::int64_t>(used).value_or(*limit), *limit);
}

ReportedQuota used_of(std::string_view used, std::string_view limit) {
  ReportedQuota quota;
  const auto count = parse_count(used);
  const auto allowed = parse_count(limit);
  if (!count || allowed.value_or(0) == 0) return quota;
  quota.limit = allowed;
  quota.remaining = *allowed - std::min(*count, *allowed);
  return quota;
}

void read_member(std::string_view key, std::string_view value, QuotaText& text) {
  if (same_ignoring_case(key, "total") || same_ignoring_case(key, "limit")) text.limit = value;
  if (same_ignoring_case(key, "remaining")) text.remaining = value;
  if (same_ignoring_case(key, "resets") || same_ignoring_case(key, "reset")) text.reset = value;
}

/// Reads one of the three grammars of split_quotas(), chosen by "=" and ";".
QuotaText split_quota(std::string_view member) {
  QuotaText text;
  if (member.find('=') == std::string_view::npos) {
    const auto separator = member.rfind(';');
    if (separator == std::string_view::npos) return {.name = {}, .limit = {}, .remaining = member, .reset = {}};
    text.name = trimmed(member.substr(0, separator));
    text.remaining = trimmed(member.substr(separator + 1));
    return text;
  }
  while (!member.empty()) {
    auto value = take_element(member, ";");
    const auto key = take_element(value, "=");
    read_member(key, trimmed(value), text);
  }
  return text;
}

}  // namespace

std::optional<std::int64_t> parse_count(std::string_view text) {
  Cursor cursor(text);
  const auto digits = cursor.take_until(not_digit);
  const bool broken_fraction = cursor.take('.') && cursor.take_until(not_digit).empty();
  if (digits.empty() || broken_fraction || !is_count_tail(trimmed(cursor.rest()))) return std::nullopt;
  return read_integer<std::int64_t>(digits);
}

std::optional<Duration> parse_count_window(std::string_view text) {
  if (text.find(';') == std::string_view::npos) return std::nullopt;
  const auto list = parse_structured_list({text});
  if (!list || list->empty()) return std::nullopt;
  const auto* const count = std::get_if<StructuredItem>(&list->front());
  if (count == nullptr || count->value.kind != BareKind::integer) return std::nullopt;
  const auto* found = window_parameter(*count);
  if (found == nullptr)
    for (const auto& member : *list) {
      const auto* const item = std::get_if<StructuredItem>(&member);
      const auto* const window = item != nullptr && item->value == count->value ? window_parameter(*item) : nullptr;
      if (window != nullptr && std::exchange(found, window) != nullptr) return std::nullopt;
    }
  constexpr std::int64_t most = std::chrono::floor<std::chrono::seconds>(Duration::max()).count();
  return found == nullptr ? std::nullopt : std::optional<Duration>(std::chrono::seconds(std::min(found->number, most)));
}

std::optional<double> parse_refill(std::string_view text) {
  const auto rate = text.find_first_of("eE") == std::string_view::npos ? read_decimal(text) : std::nullopt;
  return rate && *rate >= 1e-6 && *rate <= 1e9 ? rate : std::nullopt;
}

std::vector<ReportedQuota> pair_used_with_limits(const std::vector<std::string_view>& used,
                                                 const std::vector<std::string_view>& limits, std::size_t most) {
  const auto counts = members_of(used, most);
  const auto allowed = members_of(limits, most);
  std::vector<ReportedQuota> quotas;
  if (counts.size() == allowed.size())
    std::transform(counts.begin(), counts.end(), allowed.begin(), std::back_inserter(quotas), used_of);
  return quotas;
}

std::vector<ReportedQuota> parse_used_of_limit(std::string_view text, std::size_t most) {
  std::vector<ReportedQuota> quotas;
  while (!text.empty() && quotas.size() < most) {
    auto value = take_element(text, ";");
    ReportedQuota quota;
    // A comment may contain "=".
    if (value.find('=') < value.find('/')) quota.name = take_element(value, "=");
    read_used_of_limit(trimmed(value), quota);
    quotas.push_back(std::move(quota));
  }
  return quotas;
}

void add_line(QuotaLines& lines, std::string_view QuotaText::*part, std::string_view value) {
  const auto has_room = [&](const QuotaText& line) { return (line.*part).empty(); };
  for (const auto line : lines_in(value)) {
    auto found = std::find_if(lines.begin(), lines.end(), has_room);
    if (found == lines.end() && lines.size() == most_lines) return;
    if (found == lines.end()) found = lines.insert(found, QuotaText());
    (*found).*part = line;
  }
}

std::vector<QuotaText> split_quotas(std::string_view value, std::size_t most) {
  const auto by_count = [](std::string_view a, std::string_view b) { return parse_count(a) < parse_count(b); };
  const auto lines = lines_in(value);
  if (lines.size() > 1) return {split_quota(*std::min_element(lines.begin(), lines.end(), by_count))};
  std::vector<QuotaText> quotas;
  while (!value.empty() && quotas.size() < most) quotas.push_back(split_quota(take_element(value, ",")));
  return quotas;
}

}}}  // namespace noun::wire
