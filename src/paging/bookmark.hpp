#pragma once
/// @file
/// Where a listing stands, as sealed text (wire/sealed_text) under ClientOptions::bookmark_key: `noun1.` or `noun1s.`.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/http.hpp>
#include <noun/paging.hpp>

#include "paging/page.hpp"
#include "wire/digest.hpp"
#include "wire/sealed_text.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// A page, and what was delivered of its items.
struct Bookmark {
  /// In the text, secrets are not in its URL.
  PagePlace place = {};
  /// How many items of the page were delivered, from its first.
  std::size_t taken = 0;
  /// Of the path, query and body of the listing: a bookmark of another listing is refused.
  wire::Digest listing = {};
  /// Of how the listing is paged.
  wire::Digest paging = {};
  /// The number of the first page, if it was a guess that the server numbers its pages.
  std::optional<int> guessed_first = {};
  /// How many items were received with the pages before.
  std::size_t before = 0;
  /// The last total that the server reported.
  std::optional<std::size_t> promised = {};
  /// The seed of the following digests.
  wire::HashSeed seed = {};
  /// Of the key's pointer, if the listing knows its items by keys; otherwise zeros.
  wire::Digest key = {};
  /// The keys of the items delivered, and those of duplicates.
  std::vector<wire::Digest> keys = {};
  std::vector<wire::Digest> again = {};
};

/// @{
/// Digests that are the same in every process and build. With a key, that of a listing does not let guess its query.
wire::Digest fingerprint_of_listing(std::string_view path, const Query& query, std::string_view body,
                                    std::string_view key = {});
wire::Digest fingerprint_of_paging(const Paging& paging);
/// @}

/// @param key  ClientOptions::bookmark_key; empty for a checksum.
std::string write_bookmark(const Bookmark& bookmark, std::string_view key);

/// Reads a text that write_bookmark() wrote with the same key.
std::variant<Bookmark, wire::SealFault> read_bookmark(std::string_view text, std::string_view key);

/// Whether a listing with this paging and body can be resumed there; otherwise it would start at its first page.
bool fits(const PagePlace& place, const Paging& paging, const std::string& body);
/// Whether a bookmark may lead to the URL: below the client's base URL, or to a trusted origin; without dot segments,
/// also encoded ones, except in the path of the listing itself.
/// @param origins  the client's origin, then the trusted ones.
/// @param own_url  of the listing.
bool may_resume_at(std::string_view url, std::string_view base_url, const std::vector<wire::UrlOrigin>& origins,
                   std::string_view own_url);

}}}  // namespace noun::detail
