// The styles of paging: from a page to what comes behind it. Whether it may be asked for is decided in paging.cpp.
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "paging/page_reading.hpp"
#include "paging/paging.hpp"
#include "vocabulary/error_text.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/json_scan.hpp"
#include "wire/link.hpp"

namespace noun { inline namespace v0 {
namespace {

Refuse no_way_on() {
  return {Errc::protocol,
          "the answer says that there is more, but not where",
          "check dialect.paging.next_pointers, next_header and more_pointer"};
}

Refuse unreadable_next() {
  return {Errc::protocol, "what the answer gives as its next page is not readable text",
          "tell the service's owner"};
}

bool goes_into_body(const PagingConvention& convention, std::string_view body) noexcept {
  return !convention.cursor_pointer.empty() && (!body.empty() || convention.cursor_parameter.empty());
}

/// What an item is known by, as a text and as JSON.
struct ItemKey {
  std::string text;
  std::string json;
};

std::optional<ItemKey> key_of(std::string_view item, std::string_view pointer) {
  const auto json = wire::json_at(item, pointer);
  if (!json || *json == "null") return std::nullopt;
  if (json->front() != '"') return ItemKey{std::string(*json), std::string(*json)};
  auto text = wire::json_text_at(item, pointer);
  if (!text || text->empty()) return std::nullopt;
  return ItemKey{*std::move(text), std::string(*json)};
}

}  // namespace

Pager::Step Pager::step_behind(const PageSeen& page) {
  switch (convention_.style) {
    case PagingStyle::automatic:
    case PagingStyle::link_header: return by_link(page);
    case PagingStyle::page_number:
    case PagingStyle::offset: return by_number(page);
    case PagingStyle::cursor:
    case PagingStyle::next_url: return by_told(page);
    case PagingStyle::last_item: return by_last_item(page);
    case PagingStyle::range: return by_range(page);
    case PagingStyle::custom: break;
  }
  return by_strategy(page);
}

Pager::Step Pager::by_link(const PageSeen& page) {
  const auto more = more_told(page.response, convention_);
  if (more == MoreTold::end) return LastPage{};
  const auto& headers = page.response.headers;
  if (auto next = wire::find_link(headers, "next", page.response.url)) return PagePlace{.url = *std::move(next)};
  if (wire::is_unreadable_link(headers))
    return Refuse{Errc::protocol,
                  "the Link field cannot be read, so that it is not known whether there is another page",
                  "tell the service's owner"};
  const bool may_guess = convention_.style == PagingStyle::automatic && at_first_page_ && pages_ == 1;
  if (!may_guess || !may_be_numbered(page)) {
    if (more == MoreTold::more) return no_way_on();
    return LastPage{};
  }
  convention_.style = PagingStyle::page_number;
  guessing_ = true;
  return by_number(page);
}

/// A first page that names no other may still have a successor if it is full, or if the service counts more items.
bool Pager::may_be_numbered(const PageSeen& page) const {
  if (page.items == 0 || page.response.headers.contains("Link")) return false;
  const auto total = total_told(page.response, convention_);
  if (total && total->items > page.items) return true;
  const auto asked = size_asked();
  return asked && page.items >= *asked;
}

/// Pages and offsets. The service's own end comes first; without one only a page without items is the end: a total may
/// be stale or capped, and a page may be shorter than was asked.
Pager::Step Pager::by_number(const PageSeen& page) {
  const auto more = more_told(page.response, convention_);
  if (more == MoreTold::end) return LastPage{};
  const auto told = next_told(page.response, convention_);
  if (told.kind == NextTold::Kind::unreadable) return unreadable_next();
  if (told.kind == NextTold::Kind::end && more != MoreTold::more) return LastPage{};
  if (told.kind == NextTold::Kind::value) {
    const auto number = wire::read_integer<std::int64_t>(told.text);
    if (!number)
      return Refuse{Errc::protocol,
                    "what the answer gives as its next page is no number",
                    "check dialect.paging.next_header, next_pointers and style"};
    if (auto fault = before_the_first(*number)) return *std::move(fault);
    return at_number(*number);
  }
  if (counted_out(page, more)) return LastPage{};
  const bool by_offset = convention_.style == PagingStyle::offset;
  const auto number = number_at(place_);
  const auto step = by_offset ? static_cast<std::int64_t>(page.items) : 1;
  if (!number || *number > std::numeric_limits<std::int64_t>::max() - step)
    return Refuse{Errc::refused, fmt::format("the {} is not a number that can be counted up",
                                             by_offset ? "offset" : "page parameter")};
  if (step == 0)
    return Refuse{Errc::protocol,
                  "the answer says that there is more, but has no items to count the offset "
                  "up by",
                  "tell the service's owner"};
  return at_number(*number + step);
}

/// What is wrong with such a number of a page, or such an offset, given by the service.
std::optional<Refuse> Pager::before_the_first(std::int64_t number) const {
  const bool by_offset = convention_.style == PagingStyle::offset;
  const int first = by_offset ? 0 : convention_.first_page;
  if (number >= first) return std::nullopt;
  return Refuse{Errc::protocol,
                fmt::format("what the answer gives as its next {0} is {1}, and {0}s begin at {2}",
                            by_offset ? "offset" : "page", number, first),
                fmt::format("check dialect.paging.{}next_header and next_pointers", by_offset ? "" : "first_page, ")};
}

/// Whether nothing comes behind a page of a listing that is counted up.
bool Pager::counted_out(const PageSeen& page, MoreTold more) const {
  if (more == MoreTold::more) return false;
  if (const auto count = page_count_told(page.response, convention_);
      count && convention_.style == PagingStyle::page_number) {
    const auto number = number_at(place_);
    const auto behind_first = number ? *number - convention_.first_page : 0;
    if (behind_first >= 0) return static_cast<std::uint64_t>(behind_first) + 1 >= *count;
  }
  return enough_came(page) || page.items == 0 || is_short(page);
}

/// How many items the service has given with this page and those before it; nothing where the first was not seen.
std::optional<std::uint64_t> Pager::came_so_far(const PageSeen& page) const {
  if (convention_.style == PagingStyle::offset) {
    const auto offset = number_at(place_);
    return offset ? std::optional(static_cast<std::uint64_t>(*offset) + page.items) : std::nullopt;
  }
  return at_first_page_ ? std::optional(received_) : std::nullopt;
}

/// A total that less came than is believed is one that more came than is not.
bool Pager::enough_came(const PageSeen& page) const {
  if (!convention_.total_is_end || !promised_) return false;
  return came_so_far(page) == *promised_;
}

bool Pager::is_short(const PageSeen& page) const {
  if (!convention_.short_page_is_last) return false;
  const auto came = came_so_far(page);
  const auto total = total_told(page.response, convention_);
  if (page.items > 0 && total && came && *came < total->items) return false;
  const auto asked = size_asked();
  return page.items == 0 || (asked && page.items < *asked);
}

/// How many items the requests ask for: in their URL, or in their body under the same name.
std::optional<std::uint64_t> Pager::size_asked() const {
  const auto& name = convention_.size_parameter;
  if (name.empty()) return std::nullopt;
  if (const auto asked = wire::parameter_of(place_.url, name)) return wire::read_integer<std::uint64_t>(*asked);
  const auto asked = body_.empty() ? std::nullopt : text_or_number_at(body_, "/" + name);
  return asked ? wire::read_integer<std::uint64_t>(*asked) : std::nullopt;
}

bool Pager::into_body() const noexcept { return goes_into_body(convention_, body_); }

/// The page or the offset that is asked for there; nothing where it is no number, or a negative one.
std::optional<std::int64_t> Pager::number_at(const PagePlace& place) const {
  const auto read = [](std::string_view text) -> std::optional<std::int64_t> {
    const auto number = wire::read_integer<std::int64_t>(text);
    return number && *number >= 0 ? number : std::nullopt;
  };
  const bool by_offset = convention_.style == PagingStyle::offset;
  if (by_offset && into_body()) {
    if (!place.cursor.empty()) return read(place.cursor);
    const auto written = text_or_number_at(body_, convention_.cursor_pointer);
    return written ? read(*written) : 0;
  }
  const auto written =
      wire::parameter_of(place.url, by_offset ? convention_.cursor_parameter : convention_.page_parameter);
  return written ? read(*written) : by_offset ? 0 : convention_.first_page;
}

Pager::Step Pager::at_number(std::int64_t number) const {
  const auto text = std::to_string(number);
  if (convention_.style == PagingStyle::offset) return with_cursor(text, text);
  return PagePlace{.url = wire::with_parameter(place_.url, convention_.page_parameter, text),
                   .cursor = place_.cursor,
                   .range = place_.range};
}

/// This place with another cursor: as text in the query, or as JSON in the body.
Pager::Step Pager::with_cursor(std::string_view text, std::string json) const {
  PagePlace next = place_;
  if (into_body()) {
    if (body_.empty())
      return Refuse{Errc::invalid_argument,
                    "the next cursor goes into the body of the request, and the listing has none",
                    "give ListOptions::body, {} at the least"};
    if (!wire::with_json_at(body_, convention_.cursor_pointer, json))
      return Refuse{Errc::invalid_argument,
                    "the next cursor does not go into the body of the request",
                    "check the body, and dialect.paging.cursor_pointer"};
    next.cursor = std::move(json);
  } else {
    next.url = wire::with_parameter(place_.url, convention_.cursor_parameter, text);
  }
  return next;
}

/// Cursors and URLs: the answer says what comes next.
Pager::Step Pager::by_told(const PageSeen& page) const {
  const auto more = more_told(page.response, convention_);
  if (more == MoreTold::end) return LastPage{};
  const auto told = next_told(page.response, convention_);
  if (told.kind == NextTold::Kind::unreadable) return unreadable_next();
  if (told.kind != NextTold::Kind::value) {
    if (more == MoreTold::more) return no_way_on();
    return LastPage{};
  }
  if (more == MoreTold::nothing && (enough_came(page) || is_short(page))) return LastPage{};
  if (convention_.style == PagingStyle::cursor) return with_cursor(told.text, told.json);
  return PagePlace{.url = wire::resolve_reference(page.response.url, told.text)};
}

/// The next page begins behind the last item of this one.
Pager::Step Pager::by_last_item(const PageSeen& page) const {
  const auto more = more_told(page.response, convention_);
  if (more == MoreTold::end) return LastPage{};
  if (more == MoreTold::more && page.items == 0)
    return Refuse{Errc::protocol,
                  "the answer says that there is more, but has no item that the next page could begin "
                  "behind",
                  "tell the service's owner"};
  if (page.items == 0) return LastPage{};
  if (more == MoreTold::nothing && (enough_came(page) || is_short(page))) return LastPage{};
  auto key = key_of(page.last_item, convention_.key_pointer);
  if (!key)
    return Refuse{Errc::protocol,
                  fmt::format("the last item of the page has no key at {}, so that it is not known where the next page "
                              "begins",
                              convention_.key_pointer),
                  "check dialect.paging.key_pointer"};
  return with_cursor(key->text, std::move(key->json));
}

std::optional<PagePlace> place_behind(std::string_view item, const PagePlace& page, const PagingConvention& convention,
                                      std::string_view body) {
  if (convention.style != PagingStyle::last_item) return std::nullopt;
  auto key = key_of(item, convention.key_pointer);
  if (!key) return std::nullopt;
  PagePlace behind = page;
  if (goes_into_body(convention, body))
    behind.cursor = std::move(key->json);
  else
    behind.url = wire::with_parameter(page.url, convention.cursor_parameter, key->text);
  return behind;
}

Pager::Step Pager::by_strategy(const PageSeen& page) const {
  if (!convention_.strategy)
    return Refuse{Errc::invalid_argument, "the dialect has no paging strategy",
                  "give it one (dialect.paging.strategy)"};
  constexpr auto advice = "fix dialect.paging.strategy";
  try {
    const PageAnswer answer{.response = page.response, .items = page.items, .last_item = page.last_item};
    auto next = convention_.strategy(request_for(place_), answer);
    if (!next)
      return Refuse{next.error().code(), fmt::format("the paging strategy failed: {}", what_of(next.error())),
                    next.error().advice()};
    if (!*next) return LastPage{};
    auto& request = **next;
    return PagePlace{.url = wire::resolve_reference(page.response.url, request.url),
                     .cursor = std::move(request.body),
                     .range = std::move(request.range)};
  } catch (const std::exception& exception) {
    return Refuse{Errc::refused, fmt::format("the paging strategy threw: {}", exception.what()), advice};
  } catch (...) {
    return Refuse{Errc::refused, "the paging strategy threw", advice};
  }
}

}}  // namespace noun
