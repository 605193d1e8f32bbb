// Page numbers and offsets: counted up until a page is empty, or until the response reports the end.
#include <limits>

#include <fmt/format.h>

#include "paging/styles.hpp"
#include "wire/integer.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

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

}  // namespace

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
  const auto more = more_of(response, context.paging.end);
  if (more == More::no) return LastPage{};
  const auto next = next_value(response, style.next, style.next_header, NextKind::number);
  if (next.kind == NextValue::Kind::unreadable)
    return Refuse{Errc::protocol, "the number of the next page in the response cannot be read", report_to_owner};
  if (next.kind == NextValue::Kind::end && more != More::yes) return LastPage{};
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
  if (more != More::yes) {
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
    const auto written = text_or_number_at(body, style.into_body);
    return written ? read_number(*written) : 0;
  }
  const auto written = wire::parameter_of(place.url, style.parameter);
  return written ? read_number(*written) : 0;
}

NextStep at_number(const paging::Offset& style, const PagePlace& place, const std::string& body, std::int64_t number) {
  const auto text = std::to_string(number);
  return with_cursor(place, body, style.parameter, style.into_body, text, text);
}

NextStep next_page(const paging::Offset& style, const PageContext& context) {
  const auto more = more_of(context.page.response, context.paging.end);
  if (more == More::no || (more == More::unknown && counted_out(context))) return LastPage{};
  if (context.page.items == 0)
    return Refuse{Errc::protocol, "the response reports more pages, but has no items to advance the offset by",
                  report_to_owner};
  const auto offset = sum(number_at(style, context.place, context.body), static_cast<std::int64_t>(context.page.items));
  if (!offset) return cannot_count("offset");
  return at_number(style, context.place, context.body, *offset);
}

}}}  // namespace noun::detail
