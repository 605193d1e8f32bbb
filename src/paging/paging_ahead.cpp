// Pages further ahead than the next one, where their numbers can be counted up.
#include <algorithm>
#include <limits>

#include "paging/page_reading.hpp"
#include "paging/paging.hpp"
#include "wire/integer.hpp"
#include "wire/link.hpp"

namespace noun { inline namespace v0 {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto most_pages = static_cast<std::uint64_t>(largest / 2);

std::int64_t capped(std::uint64_t count) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, static_cast<std::uint64_t>(largest)));
}

}  // namespace

std::optional<PagePlace> Pager::ahead(std::size_t pages) const {
  if (!outlook_) return std::nullopt;
  const auto& [first, step, end, is_sure] = *outlook_;
  if (first >= end || pages > static_cast<std::uint64_t>(end - 1 - first) / static_cast<std::uint64_t>(step))
    return std::nullopt;
  const auto number = first + static_cast<std::int64_t>(pages) * step;
  auto place = at_number(number);
  auto* there = std::get_if<PagePlace>(&place);
  return there != nullptr ? std::optional(std::move(*there)) : std::nullopt;
}

/// What can be counted up from `next`; nothing for what is not counted, and while it is a guess that two pages differ.
std::optional<Pager::Outlook> Pager::outlook_behind(const PageSeen& page, const PagePlace& next) const {
  if (guessing_ && pages_ < 2) return std::nullopt;
  if (convention_.style == PagingStyle::offset) {
    const auto offset = number_at(next);
    const auto total = total_told(page.response, convention_);
    if (!offset || !total || largest_page_ == 0) return std::nullopt;
    return Outlook{*offset, capped(largest_page_), capped(total->items)};
  }
  if (!has_page_numbers(convention_.style)) return std::nullopt;
  const auto written = wire::parameter_of(next.url, convention_.page_parameter);
  const auto number = written ? wire::read_integer<std::int64_t>(*written) : std::nullopt;
  const auto last = number && *number >= convention_.first_page ? last_number_told(page, next) : std::nullopt;
  if (!last || last->number == largest) return std::nullopt;
  return Outlook{*number, 1, last->number + 1, last->is_sure};
}

/// The number of the last page, by a link to it that differs from the next one in its number alone, by a count of
/// pages, or by one of items.
std::optional<Pager::LastNumber> Pager::last_number_told(const PageSeen& page, const PagePlace& next) const {
  if (auto link = wire::find_link(page.response.headers, "last", page.response.url)) {
    link->resize(std::min(link->find('#'), link->size()));
    const auto written = wire::parameter_of(*link, convention_.page_parameter);
    const auto number = written ? wire::read_integer<std::int64_t>(*written) : std::nullopt;
    if (number && wire::with_parameter(next.url, convention_.page_parameter, *written) == *link)
      return LastNumber{*number};
  }
  const auto pages = page_count_told(page.response, convention_);
  if (!pages && convention_.style == PagingStyle::page_number) return last_number_by_total(page);
  if (!pages || *pages > most_pages) return std::nullopt;
  return LastNumber{convention_.first_page + static_cast<std::int64_t>(*pages) - 1};
}

/// A total may count items that the listing does not show, and a bookmark's page may be the short last one. So pages of
/// one size are taken to be full, as a service may give fewer items than were asked for; and it is sure only where they
/// were as full as asked.
std::optional<Pager::LastNumber> Pager::last_number_by_total(const PageSeen& page) const {
  const auto total = total_told(page.response, convention_);
  const bool is_resumed = pages_ == 1 && !at_first_page_;
  const auto asked = size_asked();
  if (!total || largest_page_ == 0 || (is_resumed && !asked)) return std::nullopt;
  const bool of_one_size = smallest_page_ == largest_page_ && !is_resumed;
  const auto full = of_one_size ? largest_page_ : std::max<std::uint64_t>(largest_page_, asked.value_or(0));
  const auto pages = total->items / full + (total->items % full == 0 ? 0 : 1);
  if (pages > most_pages) return std::nullopt;
  const bool as_asked = asked == smallest_page_ && asked == largest_page_;
  return LastNumber{convention_.first_page + static_cast<std::int64_t>(pages) - 1, as_asked};
}

}}  // namespace noun
