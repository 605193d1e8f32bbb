// Pages further ahead than the next one, where their numbers can be counted up.
#include <algorithm>
#include <limits>

#include "policy/page_reading.hpp"
#include "policy/paging.hpp"
#include "wire/integer.hpp"
#include "wire/link.hpp"

namespace noun::inline v0 {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

std::int64_t capped(std::uint64_t count) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, static_cast<std::uint64_t>(largest)));
}

}  // namespace

std::optional<PagePlace> Pager::ahead(std::size_t pages) const {
  if (!outlook_) return std::nullopt;
  const auto& [first, step, end] = *outlook_;
  if (first >= end || pages > static_cast<std::uint64_t>(end - 1 - first) / static_cast<std::uint64_t>(step))
    return std::nullopt;
  const auto number = first + static_cast<std::int64_t>(pages) * step;
  auto place =
      convention_.style == PagingStyle::offset
          ? at_number(number)
          : PagePlace{.url = wire::with_parameter(place_.url, convention_.page_parameter, std::to_string(number)),
                      .cursor = place_.cursor,
                      .range = place_.range};
  auto* there = std::get_if<PagePlace>(&place);
  return there != nullptr ? std::optional(std::move(*there)) : std::nullopt;
}

/// What can be counted up from `next`; nothing for what is not counted, and while it is a guess that two pages differ.
std::optional<Pager::Outlook> Pager::outlook_behind(const PageSeen& page, const PagePlace& next) const {
  if (guessing_ && pages_ < 2) return std::nullopt;
  if (convention_.style == PagingStyle::offset) {
    const auto offset = number_at(next);
    const auto total = total_told(page.response, convention_);
    if (!offset || *offset < 0 || !total || largest_page_ == 0) return std::nullopt;
    return Outlook{*offset, capped(largest_page_), capped(total->items)};
  }
  const bool is_numbered = convention_.style == PagingStyle::page_number ||
                           convention_.style == PagingStyle::link_header || convention_.style == PagingStyle::automatic;
  if (!is_numbered) return std::nullopt;
  const auto written = wire::parameter_of(next.url, convention_.page_parameter);
  const auto number = written ? wire::read_integer<std::int64_t>(*written) : std::nullopt;
  const auto last = number && *number >= convention_.first_page ? last_number_told(page, next) : std::nullopt;
  if (!last || *last == largest) return std::nullopt;
  return Outlook{*number, 1, *last + 1};
}

/// The number of the last page, by a link to it that differs from the next one in its number alone, by a count of
/// pages, or by one of items.
std::optional<std::int64_t> Pager::last_number_told(const PageSeen& page, const PagePlace& next) const {
  if (auto link = wire::find_link(page.response.headers, "last", page.response.url)) {
    link->resize(std::min(link->find('#'), link->size()));
    const auto written = wire::parameter_of(*link, convention_.page_parameter);
    const auto number = written ? wire::read_integer<std::int64_t>(*written) : std::nullopt;
    if (number && wire::with_parameter(next.url, convention_.page_parameter, *written) == *link) return number;
  }
  std::optional<std::uint64_t> pages = page_count_told(page.response, convention_);
  const bool is_counted = convention_.style == PagingStyle::page_number;
  if (const auto total = total_told(page.response, convention_); !pages && is_counted && total && largest_page_ > 0)
    pages = total->items / largest_page_ + (total->items % largest_page_ == 0 ? 0 : 1);
  if (!pages || *pages > static_cast<std::uint64_t>(largest / 2)) return std::nullopt;
  return convention_.first_page + static_cast<std::int64_t>(*pages) - 1;
}

}  // namespace noun::inline v0
