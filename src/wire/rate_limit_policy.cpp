#include "wire/rate_limit_policy.hpp"

#include <algorithm>
#include <chrono>

#include "wire/structured_field.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// Whether `value` is absent or an integer of at least `least`.
bool is_count(const BareItem* value, std::int64_t least) noexcept {
  return value == nullptr || (value->kind == BareKind::integer && value->number >= least);
}

std::optional<std::int64_t> count_of(const BareItem* value) noexcept {
  return value == nullptr ? std::nullopt : std::optional(value->number);
}

/// A number of seconds as a duration, clamped to Duration::max().
std::optional<Duration> seconds_of(const BareItem* value) noexcept {
  if (value == nullptr) return std::nullopt;
  constexpr auto most = std::chrono::duration_cast<std::chrono::seconds>(Duration::max()).count();
  return std::chrono::seconds(std::min<std::int64_t>(value->number, most));
}

bool is_name(const BareItem& value) noexcept { return value.kind == BareKind::string || value.kind == BareKind::token; }

/// The parameter by its name, or else by the one that it has after revision 11; null if there is none.
const BareItem* first_of(const StructuredItem& item, std::string_view name, std::string_view later) noexcept {
  const auto* const found = item.parameter(name);
  return found == nullptr ? item.parameter(later) : found;
}

/// @returns  whether the parameter `pk` is absent or a byte sequence, which is stored in `partition`.
bool read_partition(const StructuredItem& item, std::string& partition) {
  const auto* const key = item.parameter("pk");
  if (key == nullptr) return true;
  partition = key->text;
  return key->kind == BareKind::bytes;
}

std::optional<ReportedLimit> limit_of(const StructuredMember& member) {
  const auto* const item = std::get_if<StructuredItem>(&member);
  if (item == nullptr || !is_name(item->value)) return std::nullopt;
  ReportedLimit limit{.name = item->value.text};
  const auto* const remaining = first_of(*item, "r", "a");
  const auto* const resets_in = first_of(*item, "t", "w");
  const auto* const cost = item->parameter("c");
  if (!is_count(remaining, 0) || !is_count(resets_in, 0) || !is_count(cost, 0) ||
      !read_partition(*item, limit.partition))
    return std::nullopt;
  limit.remaining = count_of(remaining);
  limit.resets_in = seconds_of(resets_in);
  limit.cost = count_of(cost);
  return limit;
}

std::optional<ReportedLimit> limit_of(const StructuredDictionary& dictionary) {
  const auto at = [&](std::string_view key) -> const BareItem* {
    for (const auto& [name, member] : dictionary)
      if (const auto* const item = std::get_if<StructuredItem>(&member); item != nullptr && name == key)
        return &item->value;
    return nullptr;
  };
  const auto* const limit = at("limit");
  const auto* const remaining = at("remaining");
  const auto* const reset = at("reset");
  if (limit == nullptr || reset == nullptr) return std::nullopt;
  if (!is_count(limit, 0) || !is_count(remaining, 0) || !is_count(reset, 0)) return std::nullopt;
  return ReportedLimit{.limit = count_of(limit), .remaining = count_of(remaining), .resets_in = seconds_of(reset)};
}

std::optional<ReportedPolicy> policy_of(const StructuredMember& member) {
  const auto* const item = std::get_if<StructuredItem>(&member);
  if (item == nullptr) return std::nullopt;
  ReportedPolicy policy;
  const BareItem* quota = &item->value;
  if (is_name(item->value)) {
    policy.name = item->value.text;
    quota = item->parameter("q");
  }
  const auto* const window = item->parameter("w");
  if (quota == nullptr || !is_count(quota, 0) || !is_count(window, 1) || !read_partition(*item, policy.partition))
    return std::nullopt;
  policy.quota = quota->number;
  policy.window = seconds_of(window);
  if (const auto* const unit = item->parameter("qu"); unit != nullptr && is_name(*unit)) policy.unit = unit->text;
  return policy;
}

/// Converts all items; nothing if one of them is malformed.
template <class Value>
std::optional<std::vector<Value>> all_of(const StructuredList& list,
                                         std::optional<Value> (*read)(const StructuredMember&)) {
  std::vector<Value> values;
  for (const auto& member : list) {
    auto value = read(member);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace

std::optional<std::vector<ReportedLimit>> parse_rate_limit_field(const std::vector<std::string_view>& lines) {
  // Revision 07 has a dictionary instead of a list: `limit=100`.
  if (const auto list = parse_structured_list(lines)) return all_of<ReportedLimit>(*list, limit_of);
  const auto dictionary = parse_structured_dictionary(lines);
  if (!dictionary) return std::nullopt;
  auto limit = limit_of(*dictionary);
  if (!limit) return std::nullopt;
  return std::vector{*std::move(limit)};
}

std::optional<std::vector<ReportedPolicy>> parse_rate_limit_policy(const std::vector<std::string_view>& lines) {
  const auto list = parse_structured_list(lines);
  if (!list) return std::nullopt;
  return all_of<ReportedPolicy>(*list, policy_of);
}

}}}  // namespace noun::wire
