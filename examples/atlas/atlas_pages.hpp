// Pagination by page and per_page, and the Link field.
#pragma once

#include <cstdint>
#include <string>

#include "atlas_target.hpp"

namespace atlas {

struct PageRequest {
  std::uint64_t page = 1;
  std::uint64_t per_page = 30;  ///< 1 to 100
  Parameters filters;           ///< all other query parameters, in order

  /// Index of the first member on the page; `total` if the page is after the last one.
  std::uint64_t first(std::uint64_t total) const;

  /// Number of the last page; 1 for an empty list.
  std::uint64_t last_page(std::uint64_t total) const;
};

/// Reads `page` (at least 1) and `per_page` (1 to 100; larger values count as 100). The first of repeated parameters
/// counts. Throws HttpError 400 if one of them is not a whole number of at least 1.
PageRequest parse_page_request(const Parameters& query);

/// The value of Link: first, prev, next and last, where they exist, with all filters.
/// @param list  the absolute URL of the list, without a query.
/// @source RFC 8288, section 3.
std::string link_text(const std::string& list, const PageRequest& request, std::uint64_t total);

}  // namespace atlas
