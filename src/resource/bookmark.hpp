#pragma once
/// @file
/// Where a listing stands, as text that outlives the process: `noun1.` and base64url of a small JSON object.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What a page's URL may hold and a bookmark must not: left out of it when it is written, and put back when it is read.
struct Withheld {
  /// The caller's own query, whose values may be secrets.
  const Query& query;
  /// The secrets in the credentials, longest first; asked for only where the URL needs them.
  std::function<std::vector<std::string>()> secrets = {};
};

/// The bookmark as text, without what is withheld.
std::string write_bookmark(const Bookmark& bookmark, const Withheld& withheld);
/// Nothing for what is no bookmark, or one of a version that is not known; without a page where a value is lacking that
/// the page needs.
std::optional<Bookmark> read_bookmark(std::string_view text, const Withheld& withheld);

}  // namespace noun::inline v0
