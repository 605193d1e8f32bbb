#include "paging/styles.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"
#include "wire/printable.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

Refuse contradiction(std::string what) { return {Errc::protocol, std::move(what), report_to_owner}; }

std::optional<std::int64_t> read_number(std::string_view text) {
  const auto number = wire::read_integer<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

Refuse cannot_count(std::string_view what) {
  return {Errc::refused, fmt::format("the {} is not a number that can be increased", what),
          "check ListOptions::query and ClientOptions::dialect.paging.style"};
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> number, std::int64_t step) {
  if (!number || *number > std::numeric_limits<std::int64_t>::max() - step) return std::nullopt;
  return *number + step;
}

/// A total may be stale or capped, and a page may be shorter than requested: by default only an empty page is the end.
bool counted_out(const PageContext& context) {
  return total_reached(context) || context.page.items == 0 || is_short(context);
}

Refuse missing_next() {
  return {Errc::protocol, "the response reports more pages, but not where they are",
          "check ClientOptions::dialect.paging.style and ClientOptions::dialect.paging.end.more_pointer"};
}

Refuse misplaced(const NextValue& next) {
  constexpr std::size_t shown = 60;
  const auto what = next.json.front() == '{'   ? "an object"
                    : next.json.front() == '[' ? "an array"
                                               : wire::printable_or_size(next.json, shown);
  return {Errc::protocol, fmt::format("the response has {} at {}, not the URL of the next page", what, next.place),
          "check ClientOptions::dialect.paging.style.from"};
}

/// Cursor and NextUrl: `follow` the value, if there is one.
template <class Follow>
NextStep follow_value(const PageContext& context, const TextList& from, std::string_view header, NextKind kind,
                      Follow follow) {
  auto next = next_value(context.page.response, from, header, kind);
  if (next.kind == NextValue::Kind::unreadable)
    return contradiction("the value for the next page in the response cannot be read");
  if (next.kind == NextValue::Kind::misplaced) return misplaced(next);
  if (next.kind != NextValue::Kind::value) return context.more == More::yes ? NextStep(missing_next()) : LastPage{};
  if (context.more == More::unknown && (total_reached(context) || is_short(context))) return LastPage{};
  return follow(std::move(next));
}

/// If the server does not know the total, it may name a range after the last item.
std::optional<Refuse> wrong_span(const PageContext& context, wire::ItemSpan has, bool is_counted) {
  const auto requested = wire::read_item_range(context.place.range);
  if (requested && requested->first != has.first)
    return contradiction(
        fmt::format("the response starts at item {}, but item {} was requested", has.first, requested->first));
  const bool is_beyond = context.page.items == 0 && !is_counted;
  if (has.last - has.first + 1 != context.page.items && !is_beyond)
    return contradiction(fmt::format("the Content-Range says items {} to {}, but the response has {}", has.first,
                                     has.last, context.page.items));
  return std::nullopt;
}

}  // namespace

// What several styles ask.

bool names_position(std::string_view parameter, const Paging& paging) {
  static constexpr std::array<std::string_view, 12> positions = {
      "page", "offset", "start", "skip", "after", "before", "from", "cursor", "token", "marker", "next", "continu"};
  static constexpr std::array<std::string_view, 6> sizes = {"size",    "limit",   "per_page",
                                                            "perpage", "pagelen", "length"};
  if (parameter == paging.size_parameter) return false;
  if (parameter == parameter_of(paging.style).name) return true;
  const auto name = wire::lowered(parameter);
  const auto has_one_of = [&](std::span<const std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto word) { return name.find(word) != std::string::npos; });
  };
  return has_one_of(positions) && !has_one_of(sizes);
}

std::optional<std::uint64_t> page_size_requested(const PageContext& context) {
  const auto& name = context.paging.size_parameter;
  if (name.empty()) return std::nullopt;
  if (const auto size = wire::parameter_of(context.place.url, name)) return wire::read_integer<std::uint64_t>(*size);
  const auto size = context.body.empty() ? std::nullopt : wire::json_scalar_at(context.body, "/" + name);
  return size ? wire::read_integer<std::uint64_t>(*size) : std::nullopt;
}

bool total_reached(const PageContext& context) {
  const auto& total = context.total;
  return context.paging.end.total && context.received && total && total->exact && total->items == *context.received;
}

bool is_short(const PageContext& context) {
  if (!context.paging.end.short_page) return false;
  if (context.page.items == 0) return true;
  if (context.total && context.received && *context.received < context.total->items) return false;
  const auto requested = page_size_requested(context);
  return requested && context.page.items < *requested;
}

Parameter parameter_of(const paging::Style& style) {
  return std::visit(
      [](const auto& s) -> Parameter {
        if constexpr (requires { s.into_body; })
          return {s.parameter, s.into_body};
        else if constexpr (requires { s.parameter; })
          return {s.parameter, {}};
        else if constexpr (requires { s.page_parameter; })
          return {s.page_parameter, {}};
        else
          return {};
      },
      style);
}

// Page numbers and offsets: counted up until a page is empty, or until the response reports the end.

std::optional<paging::PageNumber> numbers_of(const paging::Style& style) {
  if (const auto* number = std::get_if<paging::PageNumber>(&style)) return *number;
  if (const auto* automatic = std::get_if<paging::Automatic>(&style))
    return paging::PageNumber{.parameter = automatic->page_parameter};
  if (std::holds_alternative<paging::LinkHeader>(style)) return paging::PageNumber{};
  return std::nullopt;
}

std::optional<std::int64_t> number_at(const paging::PageNumber& style, const PagePlace& place) {
  const auto written = wire::parameter_of(place.url, style.parameter);
  return written ? read_number(*written) : style.first;
}

NextStep at_number(const paging::PageNumber& style, const PagePlace& place, std::int64_t number) {
  auto next = place;
  next.url = wire::with_parameter(place.url, style.parameter, std::to_string(number));
  return next;
}

NextStep next_page(const paging::PageNumber& style, const PageContext& context) {
  const auto& response = context.page.response;
  const auto next = next_value(response, style.next, style.next_header, NextKind::number);
  if (next.kind == NextValue::Kind::unreadable)
    return contradiction("the number of the next page in the response cannot be read");
  if (next.kind == NextValue::Kind::end && context.more != More::yes) return LastPage{};
  if (next.kind == NextValue::Kind::value) {
    constexpr auto advice = "check next_header and next in ClientOptions::dialect.paging.style";
    const auto number = wire::read_integer<std::int64_t>(next.text);
    if (!number) return Refuse{Errc::protocol, "the next page in the response is not a number", advice};
    if (*number < style.first)
      return Refuse{
          Errc::protocol,
          fmt::format("the response names page {} as the next one, but the first page is {}", *number, style.first),
          "check first, next_header and next in ClientOptions::dialect.paging.style"};
    return at_number(style, context.place, *number);
  }
  const auto number = number_at(style, context.place);
  if (context.more != More::yes) {
    const auto count = page_count_of(response, context.paging.totals);
    const auto before = number ? *number - style.first : 0;
    const bool is_last = count && before >= 0 ? static_cast<std::uint64_t>(before) + 1 >= *count : counted_out(context);
    if (is_last) return LastPage{};
  }
  const auto following = sum(number, 1);
  if (!following) return cannot_count("page parameter");
  return at_number(style, context.place, *following);
}

std::optional<std::int64_t> number_at(const paging::Offset& style, const PagePlace& place, const std::string& body) {
  if (!style.into_body.empty() && !body.empty()) {
    if (!place.cursor.empty()) return read_number(place.cursor);
    const auto written = wire::json_scalar_at(body, style.into_body);
    return written ? read_number(*written) : style.first;
  }
  const auto written = wire::parameter_of(place.url, style.parameter);
  return written ? read_number(*written) : style.first;
}

NextStep at_number(const paging::Offset& style, const PagePlace& place, const std::string& body, std::int64_t number) {
  const auto text = std::to_string(number);
  return with_cursor(place, body, style.parameter, style.into_body, text, text);
}

NextStep next_page(const paging::Offset& style, const PageContext& context) {
  if (context.more == More::unknown && counted_out(context)) return LastPage{};
  if (context.page.items == 0)
    return contradiction("the response reports more pages, but has no items to advance the offset by");
  const auto offset = sum(number_at(style, context.place, context.body), static_cast<std::int64_t>(context.page.items));
  if (!offset) return cannot_count("offset");
  return at_number(style, context.place, context.body, *offset);
}

// Links, cursors, URLs, and the key of the last item: the response says what is next.

NextStep next_page(const paging::LinkHeader&, const PageContext& context) {
  const auto& response = context.page.response;
  if (auto next = wire::find_link(response.headers, "next", response.url)) return PagePlace{.url = *std::move(next)};
  if (wire::is_unreadable_link(response.headers))
    return contradiction("the Link field cannot be parsed, so the next page is unknown");
  if (context.more == More::yes) return missing_next();
  return LastPage{};
}

NextStep next_page(const paging::Cursor& style, const PageContext& context) {
  return follow_value(context, style.from, style.from_header, NextKind::cursor, [&](NextValue next) {
    return with_cursor(context.place, context.body, style.parameter, style.into_body, next.text, std::move(next.json));
  });
}

NextStep next_page(const paging::NextUrl& style, const PageContext& context) {
  return follow_value(context, style.from, style.from_header, NextKind::url, [&](const NextValue& next) {
    return PagePlace{.url = wire::resolve_written(context.page.response.url, wire::without_expressions(next.text))};
  });
}

NextStep next_page(const paging::LastItem& style, const PageContext& context) {
  if (context.page.items == 0) {
    if (context.more == More::unknown) return LastPage{};
    return contradiction("the response reports more pages, but has no item to continue after");
  }
  if (context.more == More::unknown && (total_reached(context) || is_short(context))) return LastPage{};
  if (auto after = place_after(style, context.page.last_item, context.place, context.body)) return *std::move(after);
  return Refuse{Errc::protocol,
                fmt::format("the last item of the page has no key at {}, so the next page is unknown", style.key),
                "check ClientOptions::dialect.paging.style.key"};
}

std::optional<NextStep> place_after(const paging::LastItem& style, std::string_view item, const PagePlace& place,
                                    const std::string& body) {
  auto key = value_at(item, style.key, NextKind::cursor);
  if (key.kind != NextValue::Kind::value) return std::nullopt;
  return with_cursor(place, body, style.parameter, style.into_body, key.text, std::move(key.json));
}

NextStep with_cursor(const PagePlace& place, const std::string& body, const std::string& parameter,
                     const std::string& into_body, std::string_view text, std::string json) {
  auto next = place;
  const bool in_body = !into_body.empty() && (!body.empty() || parameter.empty());
  if (!in_body) {
    next.url = wire::with_parameter(place.url, parameter, text);
    return next;
  }
  if (body.empty())
    return Refuse{Errc::invalid_argument, "the next cursor goes into the request body, but the listing has none",
                  "set ListOptions::body, at least to {}"};
  if (!wire::with_json_at(body, into_body, json))
    return Refuse{Errc::invalid_argument, "the next cursor cannot be put into the request body",
                  "check ListOptions::body and ClientOptions::dialect.paging.style.into_body"};
  next.cursor = std::move(json);
  return next;
}

// Parts of a list that the request field Range asks for.

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
    return contradiction("the response is partial (206), but has no Content-Range");
  if (has_field && !has)
    return contradiction("the Content-Range field cannot be parsed, so the next page is unknown");
  if (has && has->span) return wrong_span(context, *has->span, has->total.has_value());
  if (context.page.items == 0 || first_requested(context.place) == 0) return std::nullopt;
  return contradiction(fmt::format(
      "items from {} on were requested, but the response does not say which it has: it may be the whole list",
      first_requested(context.place)));
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
    return contradiction(
        fmt::format("the server reported {} items, but returned none from item {} on", *context.length, end));
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
