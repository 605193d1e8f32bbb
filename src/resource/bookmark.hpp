#pragma once
/// @file
/// Where a listing stands, as text that outlives the process: `noun1.` and base64url of a small JSON object.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/dialect.hpp>
#include <noun/headers.hpp>

#include "call/redaction.hpp"

namespace noun { inline namespace v0 {

/// A PagePlace that outlives the process.
struct BookmarkedPlace {
  /// Its URL as withhold() wrote it.
  std::string page = {};
  std::string cursor = {};
  std::string range = {};
};

/// A page, and what was delivered of its items.
struct Bookmark {
  BookmarkedPlace place;
  /// How many of the first ones, as the page came.
  std::size_t taken = 0;
  /// Of the path and query that the listing was made with: another listing's bookmark is refused by it.
  std::uint64_t listing = 0;
  /// Whether the listing was on its guess that the pages are numbered.
  bool guessing = false;
  /// How many items came with the pages before, where that is known.
  std::optional<std::size_t> before = {};
  /// How many the service counted last, if it did.
  std::optional<std::size_t> promised = {};
  /// Of the items that were delivered, where the listing knows its items by keys; of those that were left out, since
  /// they came with a page before; and by which key (fingerprint_of_key()), 0 in bookmarks of before, which did not
  /// say.
  std::vector<std::uint64_t> keys = {};
  std::vector<std::uint64_t> again = {};
  std::uint32_t key = 0;
  /// Of how the listing is paged (fingerprint_of_paging()); 0 in bookmarks of before, which did not say.
  std::uint32_t paging = 0;
};

/// Whether a listing that is paged so and has this body can go on there; otherwise it would begin at its first page
/// again.
bool fits(const BookmarkedPlace& place, const PagingConvention& paging, std::string_view body);

/// The same in every process and build.
std::uint64_t stable_hash(std::string_view text) noexcept;

/// The listing's mark in a bookmark: the same in every process and build.
std::uint64_t fingerprint_of_listing(std::string_view path, const Query& query, std::string_view body) noexcept;

/// A convention's mark in a bookmark: of what says where a page is. Never 0; the same in every process and build.
std::uint32_t fingerprint_of_paging(const PagingConvention& paging) noexcept;

/// The mark of the key by which a listing knows its items. Never 0; the same in every process and build.
std::uint32_t fingerprint_of_key(std::string_view pointer) noexcept;

/// A page's URL without what may be secret in it: parameters that are those of the caller's own query; and what is a
/// secret by its value, as the whole of a parameter of any name, or of a segment of the path: of a hidden header, or of
/// a query parameter whose name says that it is one. Parts of longer values stay: by chance they may look like a
/// secret. In ASCII.
/// @param own_url  the listing's; segments of its path are no secrets.
std::string withhold(std::string_view url, const Query& query, const std::vector<HeaderSecret>& secrets,
                     std::string_view own_url);
/// The URL again, with the values of today.
/// @param secrets  asked for only where the URL needs one.
/// @returns        nothing where a value is lacking.
std::optional<std::string> restore(std::string_view page, const Query& query,
                                   const std::function<std::vector<HeaderSecret>()>& secrets);

std::string write_bookmark(const Bookmark& bookmark);
/// Nothing for what is no bookmark, or one of a version that is not known.
std::optional<Bookmark> read_bookmark(std::string_view text);

}}  // namespace noun
