// page and per_page: which slice of a list they ask for, and the Link field that leads onwards.
#pragma once

#include <cstdint>
#include <string>

#include "atlas_target.hpp"

namespace atlas {

struct PageRequest {
  std::uint64_t page = 1;
  std::uint64_t per_page = 30;  ///< 1 to 100
  Parameters filters;           ///< every other parameter of the query, in order

  /// Index of the first member on the page; `total` when the page lies behind the end.
  std::uint64_t first(std::uint64_t total) const;

  /// Number of the last page; 1 for an empty list.
  std::uint64_t last_page(std::uint64_t total) const;
};

/// Reads `page` (from 1) and `per_page` (above 100 it counts as 100); of a repeated one, the first counts.
/// Throws Refusal 400 when one of them is no number from 1.
PageRequest parse_page_request(const Parameters& query);

/// The value of Link: first, prev, next and last, as far as they exist, with every filter kept.
/// @param list  the absolute URL of the list, without a query.
/// @source RFC 8288, section 3.
std::string link_text(const std::string& list, const PageRequest& request, std::uint64_t total);

}  // namespace atlas
