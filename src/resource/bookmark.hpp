#pragma once
/// @file
/// Where a listing stands, as text that outlives the process: `noun1.` and base64url of a small JSON object.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/headers.hpp>

namespace noun::inline v0 {

/// A page, and how many of its items were delivered.
struct Bookmark {
  std::string page_url;
  std::size_t taken = 0;
  /// Of the path and query that the listing was made with: another listing's bookmark is refused by it.
  std::uint64_t listing = 0;
  /// Whether the listing was on its guess that the pages are numbered.
  bool guessing = false;
};

/// The listing's mark in a bookmark: the same in every process and build.
std::uint64_t fingerprint_of_listing(std::string_view path, const Query& query) noexcept;

/// The bookmark as text. The caller's own query values (a secret, perhaps) are left out of the page's URL; read_bookmark
/// puts them back from the same query.
std::string write_bookmark(const Bookmark& bookmark, const Query& query);
/// Nothing for what is no bookmark, or one of a version that is not known; without a page where the query lacks a value
/// that the page needs.
std::optional<Bookmark> read_bookmark(std::string_view text, const Query& query);

}  // namespace noun::inline v0
