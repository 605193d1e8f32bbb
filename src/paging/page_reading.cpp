#include "paging/page_reading.hpp"

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 {
namespace {

bool is_number(std::string_view json) { return !json.empty() && (json.front() == '-' || wire::is_digit(json.front())); }

std::optional<std::uint64_t> parsed_count(std::optional<std::string_view> text) {
  return text ? wire::read_integer<std::uint64_t>(*text) : std::nullopt;
}

/// What one pointer leads to: `end` for a value that is none, `nothing` for no value at all.
NextTold next_at(const Response& answer, std::string_view pointer, PagingStyle style) {
  using Kind = NextTold::Kind;
  const auto json = wire::json_at(answer.body, pointer);
  if (!json) return {};
  if (json->front() == '"') {
    auto text = wire::json_text_at(answer.body, pointer);
    if (!text) return {.kind = Kind::unreadable};
    if (text->empty()) return {.kind = Kind::end};
    return {.kind = Kind::value, .text = *std::move(text), .json = std::string(*json)};
  }
  if (*json == "null" || *json == "false") return {.kind = Kind::end};
  const bool counts = style == PagingStyle::cursor || (is_number(*json) && style != PagingStyle::next_url);
  if (!counts) return {};
  return {.kind = Kind::value, .text = std::string(*json), .json = std::string(*json)};
}

std::optional<TotalTold> total_in_header(const Response& answer, const PagingConvention& convention) {
  if (convention.style == PagingStyle::range)
    if (const auto range = content_range_of(answer); range && range->total) return TotalTold{*range->total};
  if (convention.total_header.empty()) return std::nullopt;
  const auto count = parsed_count(answer.headers.get(convention.total_header));
  return count ? std::optional(TotalTold{*count}) : std::nullopt;
}

/// Elasticsearch counts up to a bound: `{"value": 10000, "relation": "gte"}`.
std::optional<TotalTold> total_in_body(const Response& answer, const PagingConvention& convention) {
  std::string pointer = convention.total_pointer;
  if (pointer.empty()) return std::nullopt;
  constexpr std::string_view value = "/value";
  auto parent = pointer.ends_with(value) ? pointer.substr(0, pointer.size() - value.size()) : pointer;
  const auto relation = wire::json_text_at(answer.body, parent + "/relation");
  if (relation && !pointer.ends_with(value)) pointer += value;
  const auto count = parsed_count(text_or_number_at(answer.body, pointer));
  return count ? std::optional(TotalTold{*count, !relation || *relation == "eq"}) : std::nullopt;
}

}  // namespace

std::optional<std::string> text_or_number_at(std::string_view json, std::string_view pointer) {
  const auto value = wire::json_at(json, pointer);
  if (value && is_number(*value)) return std::string(*value);
  return value ? wire::json_text_at(json, pointer) : std::nullopt;
}

bool has_page_numbers(PagingStyle style) noexcept {
  return style == PagingStyle::automatic || style == PagingStyle::link_header || style == PagingStyle::page_number;
}

NextTold next_told(const Response& answer, const PagingConvention& convention) {
  using Kind = NextTold::Kind;
  if (!convention.next_header.empty()) {
    if (const auto field = answer.headers.get(convention.next_header)) {
      const std::string text(wire::trimmed(*field));
      if (text.empty()) return {.kind = Kind::end};
      return {.kind = Kind::value, .text = text, .json = wire::json_quoted(text)};
    }
  }
  NextTold told;
  for (const auto& pointer : convention.next_pointers) {
    auto here = next_at(answer, pointer, convention.style);
    if (here.kind == Kind::value || here.kind == Kind::unreadable) return here;
    if (here.kind == Kind::end) told.kind = Kind::end;
  }
  return told;
}

MoreTold more_told(const Response& answer, const PagingConvention& convention) {
  if (convention.more_pointer.empty()) return MoreTold::nothing;
  const auto json = wire::json_at(answer.body, convention.more_pointer);
  if (!json || (*json != "true" && *json != "false")) return MoreTold::nothing;
  return (*json == "true") == convention.more_value ? MoreTold::more : MoreTold::end;
}

std::optional<TotalTold> total_told(const Response& answer, const PagingConvention& convention) {
  const auto total = total_in_header(answer, convention);
  return total ? total : total_in_body(answer, convention);
}

std::optional<wire::ContentRange> content_range_of(const Response& answer) {
  const auto field = answer.headers.get("Content-Range");
  return field ? wire::read_content_range(*field) : std::nullopt;
}

std::optional<std::uint64_t> items_behind_range(const Response& answer) {
  const auto range = content_range_of(answer);
  if (!range || !range->span || !range->total) return std::nullopt;
  const auto end = range->span->last + 1;
  return *range->total > end ? *range->total - end : 0;
}

std::optional<std::uint64_t> page_count_told(const Response& answer, const PagingConvention& convention) {
  if (!convention.page_count_header.empty())
    if (const auto count = parsed_count(answer.headers.get(convention.page_count_header))) return count;
  if (convention.page_count_pointer.empty()) return std::nullopt;
  return parsed_count(text_or_number_at(answer.body, convention.page_count_pointer));
}

}}  // namespace noun
