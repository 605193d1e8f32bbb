#include "paging/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/link.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

bool is_number(std::string_view json) { return !json.empty() && (json.front() == '-' || wire::is_digit(json.front())); }

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
  const auto count = count_in(text_or_number_at(response.body, pointer));
  return count ? std::optional(Total{*count, !relation || *relation == "eq"}) : std::nullopt;
}

/// Where APIs put the next cursor, URL or page number: the places of the presets in noun::paging, and their variants.
constexpr std::string_view next_places =
    "/next /next_page /nextPage /next_page_url /nextPageUrl /next_page_uri /next_url /nextUrl /next_cursor "
    "/nextCursor /next_token /nextToken /NextToken /nextPageToken /next_page_token /nextLink /@odata.nextLink "
    "/continuationToken /continuation_token /links/next /links/next/href /links/pages/next /_links/next "
    "/_links/next/href /paging/next /paging/next/after /pagination/next /pagination/next_page "
    "/pagination/nextPage /pagination/next_url /pagination/next_cursor /pagination/nextCursor /meta/next "
    "/meta/next_page /meta/next_token /meta/next_cursor /meta/nextCursor /meta/pagination/next /metadata/continue "
    "/response_metadata/next_cursor /next_page/offset";

/// Where they say `true` if there are more pages, and where they say `false`.
constexpr std::string_view more_if_true =
    "/has_more /hasMore /has_next /hasNext /has_next_page /hasNextPage /more /meta/has_more /meta/hasMore "
    "/meta/has_next_page /meta/hasNextPage /pagination/has_more /pagination/hasMore /pagination/has_next "
    "/pagination/hasNext /pageInfo/hasNextPage /page_info/has_next_page /is_truncated /IsTruncated";
constexpr std::string_view more_if_false = "/isLast /is_last /last";

constexpr std::string_view total_places =
    "/total /total_count /totalCount /total_items /totalItems /total_results /totalResults /total_size /totalSize "
    "/total_rows /totalElements /count /@odata.count /meta/total /meta/total_count /meta/totalCount "
    "/meta/pagination/total /pagination/total /pagination/total_count /pagination/total_items /page/totalElements /paging/total "
    "/result_info/total_count";

/// Calls `look` with each place, at the root of the body and beside the items, until it returns true.
template <class Look>
void each_place(std::string_view places, const Response& response, std::string_view items_pointer, Look look) {
  const auto start = response.body.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || response.body[start] != '{') return;
  const std::string beside(items_pointer.substr(0, std::min(items_pointer.rfind('/'), items_pointer.size())));
  for (const auto& base : {std::string(), beside}) {
    for (auto rest = places; !rest.empty();) {
      const auto place = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(place.size() + 1, rest.size()));
      if (look(base + std::string(place))) return;
    }
    if (beside.empty()) return;
  }
}

/// How a Dialect says where the next page is.
std::string option_for(std::string_view place, const NextValue& next) {
  const auto& text = next.text;
  const bool is_url = text.starts_with('/') || text.starts_with('?') || text.starts_with("http");
  const auto names = [&](std::string_view word) { return place.find(word) != std::string_view::npos; };
  const bool is_page = is_number(next.json) && !names("oken") && !names("ursor") && !names("ffset");
  if (is_url) return fmt::format("noun::paging::NextUrl{{.from = \"{}\"}}", place);
  if (is_page) return fmt::format("noun::paging::PageNumber{{.next = \"{}\"}}", place);
  return fmt::format("noun::paging::Cursor{{.parameter = \"…\", .from = \"{}\"}}", place);
}

}  // namespace

std::optional<std::string> text_or_number_at(std::string_view json, std::string_view pointer) {
  const auto value = wire::json_at(json, pointer);
  if (value && is_number(*value)) return std::string(*value);
  return value ? wire::json_text_at(json, pointer) : std::nullopt;
}

NextValue value_at(std::string_view body, std::string_view pointer, NextKind kind) {
  using Kind = NextValue::Kind;
  const auto json = wire::json_at(body, pointer);
  if (!json) return {};
  if (json->front() == '"') {
    auto text = wire::json_text_at(body, pointer);
    if (!text) return {.kind = Kind::unreadable};
    if (text->empty()) return {.kind = Kind::end};
    return {.kind = Kind::value, .text = *std::move(text), .json = std::string(*json)};
  }
  if (*json == "null" || *json == "false") return {.kind = Kind::end};
  const bool counts = kind == NextKind::cursor || (kind == NextKind::number && is_number(*json));
  if (!counts) return {};
  return {.kind = Kind::value, .text = std::string(*json), .json = std::string(*json)};
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
  NextValue next;
  for (const auto& pointer : pointers) {
    auto here = value_at(response.body, pointer, kind);
    if (here.kind == Kind::value || here.kind == Kind::unreadable) return here;
    if (here.kind == Kind::end) next.kind = Kind::end;
  }
  return next;
}

More more_of(const Response& response, const paging::End& end) {
  if (end.more_pointer.empty()) return More::unknown;
  const auto json = wire::json_at(response.body, end.more_pointer);
  if (!json || (*json != "true" && *json != "false")) return More::unknown;
  return (*json == "true") == end.more_value ? More::yes : More::no;
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
  return count_in(text_or_number_at(response.body, totals.pages_pointer));
}

std::optional<wire::ContentRange> content_range_of(const Response& response) {
  const auto field = response.headers.get("Content-Range");
  return field ? wire::read_content_range(*field) : std::nullopt;
}

std::optional<MoreHint> more_hint(const Response& response, std::string_view items_pointer) {
  std::optional<MoreHint> hint;
  bool is_last = false;
  for (const bool more : {true, false})
    each_place(more ? more_if_true : more_if_false, response, items_pointer, [&](const std::string& place) {
      const auto json = wire::json_at(response.body, place);
      if (json != "true" && json != "false") return false;
      is_last |= (*json == "true") != more;
      if (!is_last) hint = MoreHint{fmt::format("{} at {}", *json, place), "noun::paging::PageNumber{}"};
      return true;
    });
  if (is_last) return std::nullopt;
  constexpr int partial_content = 206;
  if (const auto range = content_range_of(response); response.status == partial_content && range && range->span &&
                                                     range->total && *range->total > range->span->last + 1)
    hint = MoreHint{fmt::format("a Content-Range of {} items", *range->total), "noun::paging::ItemRange{}"};
  each_place(next_places, response, items_pointer, [&](const std::string& place) {
    const auto json = wire::json_at(response.body, place);
    if (!json || *json == "0" || (json->front() != '"' && !is_number(*json))) return false;
    const auto next = value_at(response.body, place, NextKind::cursor);
    if (next.kind != NextValue::Kind::value) return false;
    hint = MoreHint{fmt::format("a value at {}", place), option_for(place, next)};
    return true;
  });
  if (hint) return hint;
  if (const auto fault = wire::fault_of_link(response.headers, "next", response.url))
    return MoreHint{fmt::format("a Link with rel=next that is not followed, since {}", *fault), {}};
  return std::nullopt;
}

std::optional<TotalHint> total_hint(const Response& response, std::string_view items_pointer) {
  std::optional<TotalHint> largest;
  each_place(total_places, response, items_pointer, [&](const std::string& place) {
    const auto json = wire::json_at(response.body, place);
    const auto count = json && is_number(*json) ? count_in(*json) : std::nullopt;
    if (count && (!largest || *count > largest->items)) largest = TotalHint{place, *count};
    return false;
  });
  return largest;
}

}}}  // namespace noun::detail
