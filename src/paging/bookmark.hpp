#pragma once
/// @file
/// Where a listing stands, as text that outlives the process: `noun1.` and base64url of a small JSON object.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>
#include <noun/paging.hpp>

#include "paging/page.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// A page, and what was delivered of its items.
struct Bookmark {
  /// In the text, secrets are not in its URL.
  PagePlace place = {};
  /// How many items of the page were delivered, from its first.
  std::size_t taken = 0;
  /// The hash of the path and query of the listing: a bookmark of another listing is refused.
  std::uint64_t listing = 0;
  /// Whether it was a guess that the server numbers its pages.
  bool guessing = false;
  /// How many items were received with the pages before, if that is known.
  std::optional<std::size_t> before = {};
  /// The last total that the server reported.
  std::optional<std::size_t> promised = {};
  /// If the listing knows its items by keys: the keys of the delivered items, those of duplicates, and the hash of the
  /// key's pointer (0 in bookmarks of earlier versions).
  std::vector<std::uint64_t> keys = {};
  std::vector<std::uint64_t> again = {};
  std::uint32_t key = 0;
  /// The hash of how the listing is paged; 0 in bookmarks of earlier versions.
  std::uint32_t paging = 0;
};

/// Whether a listing with this paging and body can be resumed there; otherwise it would begin at its first page again.
bool fits(const PagePlace& place, const Paging& paging, const std::string& body);

/// @{
/// Hashes that are the same in every process and build; those of 32 bits are never 0.
std::uint64_t stable_hash(std::string_view text) noexcept;
std::uint64_t fingerprint_of_listing(std::string_view path, const Query& query, std::string_view body) noexcept;
std::uint32_t fingerprint_of_paging(const Paging& paging) noexcept;
std::uint32_t fingerprint_of_key(std::string_view pointer) noexcept;
/// @}

std::string write_bookmark(const Bookmark& bookmark);
/// Nothing for text that is not a bookmark, or of an unknown version.
std::optional<Bookmark> read_bookmark(std::string_view text);

}}}  // namespace noun::detail
