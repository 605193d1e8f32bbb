// Page numbers and links.
#include "atlas_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "atlas_response.hpp"

namespace atlas {
namespace {

constexpr std::uint64_t largest_page = 100;

std::uint64_t parse_number(std::string_view name, std::string_view text) {
  std::uint64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value == 0) {
    throw HttpError{400, fmt::format("{} must be a whole number of at least 1, not '{}'", name, text)};
  }
  return value;
}

}  // namespace

std::uint64_t PageRequest::first(std::uint64_t total) const {
  // Compared before the multiplication, which could overflow.
  return page > last_page(total) ? total : (page - 1) * per_page;
}

std::uint64_t PageRequest::last_page(std::uint64_t total) const { return total == 0 ? 1 : (total - 1) / per_page + 1; }

PageRequest parse_page_request(const Parameters& query) {
  PageRequest request;
  bool seen_page = false;
  bool seen_size = false;
  for (const auto& [name, value] : query) {
    if (name == "page") {
      if (!std::exchange(seen_page, true)) request.page = parse_number(name, value);
    } else if (name == "per_page") {
      if (!std::exchange(seen_size, true)) {
        request.per_page = std::min(parse_number(name, value), largest_page);
      }
    } else {
      request.filters.emplace_back(name, value);
    }
  }
  return request;
}

std::string link_text(const std::string& list, const PageRequest& request, std::uint64_t total) {
  std::string query = "?";
  for (const auto& [name, value] : request.filters) {
    query += percent_encode(name) + "=" + percent_encode(value) + "&";
  }
  const auto link = [&](std::uint64_t page, std::string_view relation) {
    return fmt::format("<{}{}page={}&per_page={}>; rel=\"{}\"", list, query, page, request.per_page, relation);
  };
  const auto last = request.last_page(total);
  std::vector<std::string> links{link(1, "first")};
  if (request.page > 1) links.push_back(link(std::min(request.page - 1, last), "prev"));
  if (request.page < last) links.push_back(link(request.page + 1, "next"));
  links.push_back(link(last, "last"));
  return fmt::format("{}", fmt::join(links, ", "));
}

}  // namespace atlas
