// Parts of a list that the request field Range asks for: whether a response is the part requested, and which is next.
#include <limits>

#include <fmt/format.h>

#include "paging/styles.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// If the server does not know the total, it may name a range after the last item.
std::optional<Refuse> wrong_span(const PageContext& context, wire::ItemSpan has, bool is_counted) {
  const auto requested = wire::read_item_range(context.place.range);
  if (requested && requested->first != has.first)
    return Refuse{Errc::protocol,
                  fmt::format("the response starts at item {}, but item {} was requested", has.first, requested->first),
                  report_to_owner};
  const bool is_beyond = context.page.items == 0 && !is_counted;
  if (has.last - has.first + 1 != context.page.items && !is_beyond)
    return Refuse{Errc::protocol,
                  fmt::format("the Content-Range says items {} to {}, but the response has {}", has.first, has.last,
                              context.page.items),
                  report_to_owner};
  return std::nullopt;
}

}  // namespace

std::uint64_t first_requested(const PagePlace& place) {
  const auto requested = wire::read_item_range(place.range);
  return requested ? requested->first : 0;
}

std::optional<Refuse> wrong_range(const paging::ItemRange& style, const PageContext& context) {
  if (!style.next_header.empty()) return std::nullopt;
  const auto& response = context.page.response;
  const bool has_field = response.headers.contains("Content-Range");
  const auto has = content_range_of(response);
  constexpr int partial_content = 206;
  if (!has_field && response.status == partial_content)
    return Refuse{Errc::protocol, "the response is partial (206), but has no Content-Range",
                  report_to_owner};
  if (has_field && !has)
    return Refuse{Errc::protocol,
                  "the Content-Range field cannot be parsed, so the next page is unknown",
                  report_to_owner};
  if (has && has->span) return wrong_span(context, *has->span, has->total.has_value());
  if (context.page.items == 0 || first_requested(context.place) == 0) return std::nullopt;
  return Refuse{
      Errc::protocol,
      fmt::format("items from {} on were requested, but the response does not say which it has: it may be the whole "
                  "list",
                  first_requested(context.place)),
      report_to_owner};
}

NextStep next_page(const paging::ItemRange& style, const PageContext& context) {
  PagePlace next = context.place;
  if (!style.next_header.empty()) {
    auto value = next_value(context.page.response, {}, style.next_header, NextKind::cursor);
    if (value.kind != NextValue::Kind::value) return LastPage{};
    next.range = std::move(value.text);
    return next;
  }
  const auto items = context.page.items;
  const auto has = content_range_of(context.page.response);
  if (!has || !has->span || items == 0) {
    const auto end = first_requested(context.place) + items;
    if (!context.length || *context.length <= end) return LastPage{};
    return Refuse{Errc::protocol,
                  fmt::format("the server reported {} items, but returned none from item {} on", *context.length, end),
                  report_to_owner};
  }
  const auto [first, last] = *has->span;
  if (has->total && last + 1 >= *has->total) return LastPage{};
  const auto requested = wire::read_item_range(context.place.range);
  const auto received = last - first + 1;
  const auto size = requested ? requested->last - requested->first + 1 : received;
  if (context.paging.end.short_page && !has->total && received < size) return LastPage{};
  const auto start = last + 1;
  if (start > std::numeric_limits<std::uint64_t>::max() - size) return LastPage{};
  const auto& range = context.place.range;
  const auto unit_end = range.find('=');
  const auto unit = unit_end == std::string::npos ? std::string() : range.substr(0, unit_end + 1);
  next.range = fmt::format("{}{}-{}", unit, start, start + size - 1);
  return next;
}

std::string first_range(const paging::Style& style, std::size_t page_size) {
  const auto* range = std::get_if<paging::ItemRange>(&style);
  if (range == nullptr || !range->next_header.empty() || page_size == 0) return {};
  return fmt::format("0-{}", page_size - 1);
}

}}}  // namespace noun::detail
