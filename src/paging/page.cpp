#include "paging/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/printable.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

std::optional<std::uint64_t> count_in(std::optional<std::string_view> text) {
  return text ? wire::read_integer<std::uint64_t>(*text) : std::nullopt;
}

/// Elasticsearch counts up to a bound: `{"value": 10000, "relation": "gte"}`.
std::optional<Total> total_in_body(const Response& response, std::string pointer) {
  if (pointer.empty()) return std::nullopt;
  constexpr std::string_view value = "/value";
  const auto parent = pointer.ends_with(value) ? pointer.substr(0, pointer.size() - value.size()) : pointer;
  const auto relation = wire::json_text_at(response.body, parent + "/relation");
  if (relation && !pointer.ends_with(value)) pointer += value;
  const auto count = count_in(wire::json_scalar_at(response.body, pointer));
  return count ? std::optional(Total{*count, !relation || *relation == "eq"}) : std::nullopt;
}

}  // namespace

bool is_number(std::string_view json) { return !json.empty() && (json.front() == '-' || wire::is_digit(json.front())); }

NextValue value_of(std::string_view json, NextKind kind) {
  using Kind = NextValue::Kind;
  if (json.front() == '"') {
    auto text = wire::json_text_at(json, "");
    if (!text) return {.kind = Kind::unreadable};
    if (text->empty()) return {.kind = Kind::end};
    return {.kind = Kind::value, .text = *std::move(text), .json = std::string(json)};
  }
  if (json == "null" || json == "false") return {.kind = Kind::end};
  if (kind == NextKind::url) return {.kind = Kind::misplaced, .json = std::string(json)};
  if (kind == NextKind::number && !is_number(json)) return {};
  return {.kind = Kind::value, .text = std::string(json), .json = std::string(json)};
}

NextValue value_at(std::string_view body, std::string_view pointer, NextKind kind) {
  const auto json = wire::json_at(body, pointer);
  return json ? value_of(*json, kind) : NextValue();
}

NextValue next_value(const Response& response, const TextList& pointers, std::string_view header, NextKind kind) {
  using Kind = NextValue::Kind;
  if (!header.empty()) {
    if (const auto field = response.headers.get(header)) {
      const std::string text(wire::trimmed(*field));
      if (text.empty()) return {.kind = Kind::end};
      return {.kind = Kind::value, .text = text, .json = wire::json_quoted(text)};
    }
  }
  // `{"next": {"href": null}}` for the pointers /next and /next/href.
  const auto is_read_inside = [&](const std::string& pointer) {
    return std::any_of(pointers.begin(), pointers.end(), [&](const std::string& other) {
      return other.starts_with(pointer + "/") && wire::json_at(response.body, other);
    });
  };
  NextValue next;
  for (const auto& pointer : pointers) {
    auto here = value_at(response.body, pointer, kind);
    if (here.kind == Kind::value || here.kind == Kind::unreadable) return here;
    if (next.kind == Kind::misplaced || here.kind == Kind::absent) continue;
    if (here.kind == Kind::misplaced && is_read_inside(pointer)) continue;
    next = std::move(here);
    next.place = pointer;
  }
  return next;
}

More more_of(const Response& response, const paging::End& end) {
  if (end.more_pointer.empty()) return More::unknown;
  const auto json = wire::json_at(response.body, end.more_pointer);
  if (!json && end.absent_is_last) return More::no;
  if (!json || (*json != "true" && *json != "false")) return More::unknown;
  return (*json == "true") == end.more_value ? More::yes : More::no;
}

std::optional<std::string> failure_in(const Response& response, const Paging& paging) {
  constexpr std::size_t shown = 60;
  for (const auto& [pointer, value] : paging.failures) {
    const auto json = wire::json_at(response.body, pointer);
    if (!json) continue;
    const auto text = wire::json_text_at(response.body, pointer);
    const bool is_nothing = *json == "null" || *json == "false" || *json == "0" || *json == "\"\"" ||
                            (json->front() == '{' && wire::json_members(*json).empty()) ||
                            (json->front() == '[' && wire::json_elements(*json, "").elements.empty());
    if (value.empty() ? !is_nothing : (text ? *text == value : *json == value))
      return fmt::format("{} at {}", wire::printable_or_size(text ? *text : *json, shown), pointer);
  }
  return std::nullopt;
}

std::optional<Total> total_of(const Response& response, const Paging& paging) {
  if (std::holds_alternative<paging::ItemRange>(paging.style))
    if (const auto range = content_range_of(response); range && range->total) return Total{*range->total};
  const auto& header = paging.totals.items_header;
  if (const auto count = header.empty() ? std::nullopt : count_in(response.headers.get(header))) return Total{*count};
  return total_in_body(response, paging.totals.items_pointer);
}

std::optional<std::uint64_t> page_count_of(const Response& response, const paging::Totals& totals) {
  if (!totals.pages_header.empty())
    if (const auto count = count_in(response.headers.get(totals.pages_header))) return count;
  if (totals.pages_pointer.empty()) return std::nullopt;
  return count_in(wire::json_scalar_at(response.body, totals.pages_pointer));
}

std::optional<wire::ContentRange> content_range_of(const Response& response) {
  const auto field = response.headers.get("Content-Range");
  return field ? wire::read_content_range(*field) : std::nullopt;
}

}}}  // namespace noun::detail
