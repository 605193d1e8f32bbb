#include "paging/counts.hpp"

#include <algorithm>
#include <limits>

#include "wire/integer.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

using Count = std::optional<std::int64_t>;

constexpr auto largest_number = std::numeric_limits<std::int64_t>::max();

/// Nothing for a count that no list has.
Count plausible(std::optional<std::uint64_t> count) {
  constexpr auto most = static_cast<std::uint64_t>(largest_number / 2);
  return count && *count <= most ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

Count number_in(const std::optional<std::string_view>& text) {
  return text ? wire::read_integer<std::int64_t>(*text) : std::nullopt;
}

std::int64_t pages_for(std::int64_t items, std::int64_t size) { return items / size + (items % size == 0 ? 0 : 1); }

Count total_items(const PageContext& context) {
  const auto total = total_of(context.page.response, context.paging);
  return total ? plausible(total->items) : std::nullopt;
}

/// Items on a full page: the server may return fewer than requested, and the last page has fewer.
std::int64_t full_page(const PageContext& context, std::size_t largest) {
  const auto here = static_cast<std::int64_t>(std::max(context.page.items, largest));
  const auto requested = plausible(page_size_requested(context));
  return requested && *requested > 0 ? std::min(*requested, here) : here;
}

/// By how many items come after the page, if the page says how many come before it.
std::optional<std::size_t> pages_after_position(const paging::Style& style, const PageContext& context,
                                                std::size_t largest) {
  if (context.page.items == 0) return std::nullopt;
  const auto here = static_cast<std::int64_t>(context.page.items);
  Count left;
  if (const auto* by_offset = std::get_if<paging::Offset>(&style)) {
    const auto offset = number_at(*by_offset, context.place, context.body);
    const auto total = total_items(context);
    if (offset && total) left = *total > *offset ? *total - *offset - here : 0;
  } else if (const auto range = content_range_of(context.page.response); range && range->span) {
    const auto total = plausible(range->total);
    const auto end = plausible(range->span->last);
    if (total && end) left = *total - *end - 1;
  }
  if (!left) return std::nullopt;
  return static_cast<std::size_t>(pages_for(std::max<std::int64_t>(*left, 0), full_page(context, largest)));
}

struct LastNumber {
  std::int64_t number = 0;
  bool is_sure = true;
};

/// A total may count items that the list does not show. Pages of one size are taken to be full, and the count is sure
/// only if they were as full as requested.
std::optional<LastNumber> last_by_total(const paging::PageNumber& style, const PageContext& context,
                                        const PageSizes& sizes) {
  const auto total = total_of(context.page.response, context.paging);
  const auto requested = page_size_requested(context);
  if (!total || sizes.largest == 0 || (sizes.is_resumed && !requested)) return std::nullopt;
  const bool of_one_size = sizes.smallest == sizes.largest && !sizes.is_resumed;
  const auto full = of_one_size ? sizes.largest : std::max<std::uint64_t>(sizes.largest, requested.value_or(0));
  const auto pages = plausible(total->items / full + (total->items % full == 0 ? 0 : 1));
  if (!pages) return std::nullopt;
  return LastNumber{style.first + *pages - 1, requested == sizes.smallest && requested == sizes.largest};
}

/// By a link to the last page that differs from the next one in its number alone, by a count of pages, or of items.
std::optional<LastNumber> last_number(const paging::PageNumber& numbers, const paging::Style& style,
                                      const PageContext& context, const PagePlace& next, const PageSizes& sizes) {
  const auto& response = context.page.response;
  if (auto link = wire::find_link(response.headers, "last", response.url)) {
    link->resize(std::min(link->find('#'), link->size()));
    const auto written = wire::parameter_of(*link, numbers.parameter);
    const auto number = number_in(written);
    if (number && wire::with_parameter(next.url, numbers.parameter, *written) == *link) return LastNumber{*number};
  }
  const auto count = page_count_of(response, context.paging.totals);
  if (!count && std::holds_alternative<paging::PageNumber>(style)) return last_by_total(numbers, context, sizes);
  const auto pages = plausible(count);
  return pages ? std::optional(LastNumber{numbers.first + *pages - 1}) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> pages_left(const paging::Style& style, const PageContext& context, std::size_t largest) {
  if (std::holds_alternative<paging::Offset>(style) || std::holds_alternative<paging::ItemRange>(style))
    return pages_after_position(style, context, largest);
  auto numbers = numbers_of(style);
  // A next URL may have a page number too.
  const bool is_by_url = std::holds_alternative<paging::NextUrl>(style);
  if (is_by_url && wire::parameter_of(context.place.url, "page")) numbers = paging::PageNumber{};
  const auto number = numbers ? number_at(*numbers, context.place) : std::nullopt;
  if (!number) return std::nullopt;
  const auto at_least_none = [](std::int64_t pages) {
    return static_cast<std::size_t>(std::max<std::int64_t>(pages, 0));
  };
  const auto& response = context.page.response;
  if (const auto last = wire::find_link(response.headers, "last", response.url))
    if (const auto last_page = number_in(wire::parameter_of(*last, numbers->parameter)); last_page && *last_page >= 0)
      return at_least_none(*last_page - *number);
  const auto before = *number - numbers->first;
  if (const auto pages = plausible(page_count_of(response, context.paging.totals)))
    return at_least_none(*pages - 1 - before);
  const auto total = context.page.items > 0 ? total_items(context) : std::nullopt;
  if (!total || before < 0) return std::nullopt;
  return at_least_none(pages_for(*total, full_page(context, largest)) - before - 1);
}

std::optional<Outlook> outlook_of(const paging::Style& style, const PageContext& context, const PagePlace& next,
                                  const PageSizes& sizes) {
  if (const auto* by_offset = std::get_if<paging::Offset>(&style)) {
    const auto offset = number_at(*by_offset, next, context.body);
    const auto total = total_of(context.page.response, context.paging);
    if (!offset || !total || sizes.largest == 0) return std::nullopt;
    const auto end = std::min<std::uint64_t>(total->items, static_cast<std::uint64_t>(largest_number));
    return Outlook{*offset, static_cast<std::int64_t>(sizes.largest), static_cast<std::int64_t>(end)};
  }
  const auto numbers = numbers_of(style);
  if (!numbers) return std::nullopt;
  const auto number = number_in(wire::parameter_of(next.url, numbers->parameter));
  if (!number || *number < numbers->first) return std::nullopt;
  const auto last = last_number(*numbers, style, context, next, sizes);
  if (!last || last->number == largest_number) return std::nullopt;
  return Outlook{*number, 1, last->number + 1, last->is_sure};
}

std::optional<PagePlace> place_in(const Outlook& outlook, std::size_t pages, const paging::Style& style,
                                  const PagePlace& place, const std::string& body) {
  const auto& [first, step, end, is_sure] = outlook;
  if (first >= end || pages > static_cast<std::uint64_t>(end - 1 - first) / static_cast<std::uint64_t>(step))
    return std::nullopt;
  const auto number = first + static_cast<std::int64_t>(pages) * step;
  const auto* by_offset = std::get_if<paging::Offset>(&style);
  const auto numbers = numbers_of(style);
  if (by_offset == nullptr && !numbers) return std::nullopt;
  auto there = by_offset ? at_number(*by_offset, place, body, number) : at_number(*numbers, place, number);
  auto* found = std::get_if<PagePlace>(&there);
  return found != nullptr ? std::optional(std::move(*found)) : std::nullopt;
}

}}}  // namespace noun::detail
