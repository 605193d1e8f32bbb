#include "paging/counts.hpp"

#include <algorithm>
#include <limits>

#include "wire/integer.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

using Count = std::optional<std::int64_t>;
using Trust = Outlook::Trust;

/// Nothing for a count that no list has.
Count plausible(std::optional<std::uint64_t> count) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2);
  return count && *count <= most ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

std::int64_t pages_for(std::int64_t items, std::int64_t size) { return items / size + (items % size == 0 ? 0 : 1); }

/// The pages from item `first` on.
std::optional<Outlook> by_items(Count first, std::optional<std::uint64_t> total, const PageSizes& sizes, Trust trust) {
  const auto end = plausible(total);
  if (!first || !end || sizes.largest == 0) return std::nullopt;
  return Outlook{*first, static_cast<std::int64_t>(sizes.largest), *end, trust};
}

/// The number of pages by a total, which may count items that the list does not show. Pages of one size are taken to be
/// full.
Count pages_by_total(const PageContext& context, const PageSizes& sizes) {
  const auto items = context.total ? plausible(context.total->items) : std::nullopt;
  const auto requested = plausible(page_size_requested(context));
  if (!items || sizes.largest == 0 || (sizes.is_resumed && !requested)) return std::nullopt;
  const bool of_one_size = sizes.smallest == sizes.largest && !sizes.is_resumed;
  const auto largest = static_cast<std::int64_t>(sizes.largest);
  return pages_for(*items, of_one_size ? largest : std::max(largest, requested.value_or(0)));
}

/// By a link to the last page, by a count of pages, or of items.
std::optional<Outlook> by_numbers(const paging::PageNumber& numbers, const paging::Style& style,
                                  const PageContext& context, const PagePlace& next, const PageSizes& sizes) {
  const auto first = number_at(numbers, next);
  const bool has_number = first && *first >= numbers.first && wire::parameter_of(next.url, numbers.parameter);
  if (!has_number) return std::nullopt;
  const auto& response = context.page.response;
  if (auto link = wire::find_link(response.headers, "last", response.url)) {
    link->resize(std::min(link->find('#'), link->size()));
    const auto written = wire::parameter_of(*link, numbers.parameter);
    const auto last = written ? wire::read_integer<std::int64_t>(*written) : std::nullopt;
    const bool is_same_list = written && wire::with_parameter(next.url, numbers.parameter, *written) == *link;
    if (last && *last >= 0 && *last < std::numeric_limits<std::int64_t>::max())
      return Outlook{*first, 1, *last + 1, is_same_list ? Trust::reported : Trust::hint};
  }
  if (const auto pages = plausible(page_count_of(response, context.paging.totals)))
    return Outlook{*first, 1, numbers.first + *pages, Trust::reported};
  const auto pages = pages_by_total(context, sizes);
  if (!pages) return std::nullopt;
  // The count is sure only if the pages were as full as requested.
  const auto requested = page_size_requested(context);
  const bool were_full = requested == sizes.smallest && requested == sizes.largest;
  const bool is_numbered = std::holds_alternative<paging::PageNumber>(style);
  const auto trust = !is_numbered ? Trust::hint : were_full ? Trust::reported : Trust::estimate;
  return Outlook{*first, 1, numbers.first + *pages, trust};
}

}  // namespace

std::size_t Outlook::pages() const noexcept {
  return first < end ? counted(static_cast<std::uint64_t>(pages_for(end - first, step))) : 0;
}

std::optional<Outlook> outlook_of(const paging::Style& style, const PageContext& context, const PagePlace& next,
                                  const PageSizes& sizes) {
  const auto& response = context.page.response;
  if (const auto* by_offset = std::get_if<paging::Offset>(&style)) {
    const auto items = context.total ? std::optional(context.total->items) : std::nullopt;
    return by_items(number_at(*by_offset, next, context.body), items, sizes, Trust::estimate);
  }
  if (std::holds_alternative<paging::ItemRange>(style)) {
    const auto range = content_range_of(response);
    if (!range || !range->span) return std::nullopt;
    const auto last = plausible(range->span->last);
    return by_items(last ? Count(*last + 1) : std::nullopt, range->total, sizes, Trust::hint);
  }
  auto numbers = numbers_of(style);
  // A next URL may have a page number too.
  if (std::holds_alternative<paging::NextUrl>(style)) numbers = paging::PageNumber{};
  return numbers ? by_numbers(*numbers, style, context, next, sizes) : std::nullopt;
}

std::optional<PagePlace> place_in(const Outlook& outlook, std::size_t pages, const paging::Style& style,
                                  const PagePlace& next, const std::string& body) {
  if (outlook.trust == Trust::hint || pages >= outlook.pages()) return std::nullopt;
  const auto number = outlook.first + static_cast<std::int64_t>(pages) * outlook.step;
  const auto* by_offset = std::get_if<paging::Offset>(&style);
  const auto numbers = numbers_of(style);
  if (by_offset == nullptr && !numbers) return std::nullopt;
  auto there = by_offset ? at_number(*by_offset, next, body, number) : at_number(*numbers, next, number);
  auto* found = std::get_if<PagePlace>(&there);
  return found != nullptr ? std::optional(std::move(*found)) : std::nullopt;
}

}}}  // namespace noun::detail
