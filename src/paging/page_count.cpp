#include "paging/page_count.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "paging/page_reading.hpp"
#include "wire/integer.hpp"
#include "wire/link.hpp"

namespace noun { inline namespace v0 {
namespace {

std::optional<std::int64_t> count_in(std::optional<std::string_view> text) noexcept {
  const auto count = text ? wire::read_integer<std::int64_t>(*text) : std::nullopt;
  return count && *count >= 0 ? count : std::nullopt;
}

std::optional<std::size_t> at_least_none(std::int64_t pages) {
  return static_cast<std::size_t>(std::max<std::int64_t>(pages, 0));
}

std::int64_t pages_of(std::int64_t items, std::int64_t size) { return items / size + (items % size == 0 ? 0 : 1); }

/// Nothing for a count that no listing has.
std::optional<std::int64_t> plausible(std::optional<std::uint64_t> count) {
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max() / 2;
  return count && *count <= largest ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

std::optional<std::int64_t> total_of(const PageSeen& page, const PagingConvention& convention) {
  const auto total = total_told(page.response, convention);
  return total ? plausible(total->items) : std::nullopt;
}

/// Items on a page: a service may give fewer than were asked for, and the last page has fewer.
std::int64_t page_size(const PageSeen& page, std::string_view url, const PagingConvention& convention,
                       std::size_t largest_page) {
  const auto here = static_cast<std::int64_t>(std::max(page.items, largest_page));
  const auto asked = count_in(wire::parameter_of(url, convention.size_parameter));
  return asked && *asked > 0 ? std::min(*asked, here) : here;
}

/// The page's number; nothing where its URL does not tell, since only the first of numbered pages goes without one.
std::optional<std::int64_t> number_of(std::string_view url, const PagingConvention& convention) {
  if (const auto written = wire::parameter_of(url, convention.page_parameter)) return count_in(written);
  return has_page_numbers(convention.style) ? std::optional<std::int64_t>(convention.first_page) : std::nullopt;
}

/// By how many items come behind the page, where the page says how many come before it.
std::optional<std::size_t> behind_position(const PageSeen& page, std::string_view url,
                                           const PagingConvention& convention, std::size_t largest_page) {
  if (page.items == 0) return std::nullopt;
  std::optional<std::int64_t> left;
  if (convention.style == PagingStyle::range) left = plausible(items_behind_range(page.response));
  if (convention.style == PagingStyle::offset && !convention.cursor_parameter.empty()) {
    const auto written = wire::parameter_of(url, convention.cursor_parameter);
    const auto offset = written ? count_in(written) : std::optional<std::int64_t>(0);
    const auto total = total_of(page, convention);
    const auto here = static_cast<std::int64_t>(page.items);
    if (offset && total) left = *total > *offset ? std::max<std::int64_t>(*total - *offset - here, 0) : 0;
  }
  if (!left) return std::nullopt;
  return at_least_none(pages_of(*left, page_size(page, url, convention, largest_page)));
}

}  // namespace

std::optional<std::size_t> pages_behind(const PageSeen& page, std::string_view url, const PagingConvention& convention,
                                        std::size_t largest_page) {
  if (convention.style == PagingStyle::offset || convention.style == PagingStyle::range)
    return behind_position(page, url, convention, largest_page);
  const auto number = number_of(url, convention);
  if (!number) return std::nullopt;
  if (const auto last = wire::find_link(page.response.headers, "last", page.response.url))
    if (const auto last_number = count_in(wire::parameter_of(*last, convention.page_parameter)))
      return at_least_none(*last_number - *number);
  if (const auto pages = plausible(page_count_told(page.response, convention)))
    return at_least_none(*pages - 1 - (*number - convention.first_page));
  if (page.items == 0) return std::nullopt;
  const auto total = total_of(page, convention);
  if (!total || *number < convention.first_page) return std::nullopt;
  const auto pages = pages_of(*total, page_size(page, url, convention, largest_page));
  return at_least_none(pages - (*number - convention.first_page) - 1);
}

}}  // namespace noun
