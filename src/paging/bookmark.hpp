#pragma once
/// @file
/// Where a listing stands, as text that outlives the process: `noun1.` and base64url of a checksum and the fields.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/http.hpp>
#include <noun/paging.hpp>

#include "paging/page.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// A page, and what was delivered of its items.
struct Bookmark {
  /// In the text, secrets are not in its URL.
  PagePlace place = {};
  /// How many items of the page were delivered, from its first.
  std::size_t taken = 0;
  /// The hash of the path, query and body of the listing: a bookmark of another listing is refused.
  std::uint64_t listing = 0;
  /// The hash of how the listing is paged.
  std::uint64_t paging = 0;
  /// Whether it was a guess that the server numbers its pages.
  bool guessing = false;
  /// How many items were received with the pages before.
  std::size_t before = 0;
  /// The last total that the server reported.
  std::optional<std::size_t> promised = {};
  /// The hash of the key's pointer, if the listing knows its items by keys; otherwise 0.
  std::uint64_t key = 0;
  /// The keys of the items delivered, and those of duplicates.
  std::vector<std::uint64_t> keys = {};
  std::vector<std::uint64_t> again = {};
};

/// @{
/// Hashes that are the same in every process and build.
std::uint64_t stable_hash(std::string_view text) noexcept;
std::uint64_t fingerprint_of_listing(std::string_view path, const Query& query, std::string_view body) noexcept;
std::uint64_t fingerprint_of_paging(const Paging& paging) noexcept;
/// @}

std::string write_bookmark(const Bookmark& bookmark);
/// Nothing for text that write_bookmark() did not write, or that was changed. The checksum does not stop a forger.
std::optional<Bookmark> read_bookmark(std::string_view text);

/// Whether a listing with this paging and body can be resumed there; otherwise it would start at its first page.
bool fits(const PagePlace& place, const Paging& paging, const std::string& body);
/// Whether a bookmark may lead to the URL: below the client's base URL, or to a trusted origin; without dot segments.
/// @param origins  the client's origin, then the trusted ones.
bool may_resume_at(std::string_view url, std::string_view base_url, const std::vector<wire::UrlOrigin>& origins);

}}}  // namespace noun::detail
