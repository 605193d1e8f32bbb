#pragma once
/// @file
/// Where the pages of one listing may be: below the origins that it may visit, once each, and not too many.

#include <cstddef>
#include <optional>
#include <unordered_set>
#include <vector>

#include <noun/limits.hpp>

#include "decision/redirect.hpp"
#include "paging/page.hpp"
#include "wire/digest.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The refusal of a page that was read before.
Refuse leads_back();

class PageBounds {
 public:
  /// @param first    the first page to be requested; its URL of an allowed origin.
  /// @param allowed  where pages may come from.
  PageBounds(const Limits& limits, const PagePlace& first, std::vector<wire::UrlOrigin> allowed);

  /// Why this page must not be requested.
  /// @param pages  how many were received.
  std::optional<Refuse> fault_of(const PagePlace& place, std::size_t pages) const;
  /// Adds a page that is requested.
  void add(const PagePlace& place);

 private:
  std::vector<wire::UrlOrigin> allowed_;
  std::unordered_set<wire::Digest, wire::DigestHash> visited_;
  std::size_t most_pages_;
  bool secure_;
};

}}}  // namespace noun::detail
