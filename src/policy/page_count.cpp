#include "policy/page_count.hpp"

#include <algorithm>
#include <cstdint>

#include "wire/integer.hpp"
#include "wire/link.hpp"

namespace noun::inline v0 {
namespace {

std::optional<std::int64_t> count_in(std::optional<std::string_view> text) noexcept {
  const auto count = text ? wire::read_integer<std::int64_t>(*text) : std::nullopt;
  return count && *count >= 0 ? count : std::nullopt;
}

std::optional<std::size_t> at_least_none(std::int64_t pages) {
  return static_cast<std::size_t>(std::max<std::int64_t>(pages, 0));
}

}  // namespace

std::optional<std::size_t> pages_behind(const PageSeen& page, std::string_view url, const PagingConvention& convention,
                                        std::size_t largest_page) {
  const auto written = parameter_of(url, convention.page_parameter);
  const auto number = written ? count_in(written) : std::optional<std::int64_t>(convention.first_page);
  if (!number) return std::nullopt;
  if (const auto last = wire::find_link(page.headers, "last", page.url))
    if (const auto last_number = count_in(parameter_of(*last, convention.page_parameter)))
      return at_least_none(*last_number - *number);
  if (convention.total_header.empty() || page.items == 0) return std::nullopt;
  const auto total = count_in(page.headers.get(convention.total_header));
  if (!total || *number < convention.first_page) return std::nullopt;
  const auto asked = count_in(parameter_of(url, convention.size_parameter));
  const auto here = static_cast<std::int64_t>(std::max(page.items, largest_page));
  // A service may give fewer than were asked for, and the last page has fewer.
  const auto size = asked && *asked > 0 ? std::min(*asked, here) : here;
  const auto pages = *total / size + (*total % size == 0 ? 0 : 1);
  return at_least_none(pages - (*number - convention.first_page) - 1);
}

}  // namespace noun::inline v0
