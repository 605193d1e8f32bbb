#pragma once
/// @file
/// What a listing is made with.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <noun/http.hpp>
#include <noun/limits.hpp>

#include "paging/bookmark.hpp"
#include "paging/pager.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace detail {

struct ListingSettings {
  Paging paging = {};
  Limits limits = {};
  /// Where pages may come from: the client's origin and the trusted ones.
  std::vector<wire::UrlOrigin> origins = {};
  /// The first page; its URL of one of the origins.
  PagePlace first = {};
  /// Where to resume instead; its URL complete. It fits the paging and the body.
  std::optional<Bookmark> resume = {};
  /// Fields whose secrets the URL to resume has.
  Headers resume_sent = {};
  /// Random, for the digests of keys.
  wire::HashSeed seed = {};
  /// @{
  /// Of the ListOptions.
  std::string body = {};
  std::string key = {};
  std::size_t prefetch = 0;
  std::optional<std::size_t> max_items = {};
  /// @}
};

}}}  // namespace noun::detail
