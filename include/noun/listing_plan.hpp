#pragma once
/// @file
/// How far a listing is, and how long the rest takes: Listing::tally() and Listing::plan().

#include <cstddef>
#include <optional>

#include <noun/time.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 {

/// What is left of a listing, and how long it takes under the current quota. An estimate: others may use the quota too,
/// and collections change while they are read.
struct ListingPlan {
  /// Pages that are not requested yet; nothing if no response has said how many there are.
  std::optional<std::size_t> pages = {};
  /// How often the quota must reset for them; 0 if they fit into what remains. Nothing if the pages or the quota are
  /// unknown.
  std::optional<std::size_t> windows = {};
  /// From now until the last page is received, at the pace of the fastest page so far.
  std::optional<Duration> estimate = {};
  /// The same as a time of day.
  std::optional<WallTime> finish = {};
};

/// What a listing has received so far.
struct ListingTally {
  std::size_t pages = 0;  ///< pages read by this listing
  /// Items of these pages and of those before its bookmark, without duplicates.
  std::size_t items = 0;
  std::size_t duplicates = 0;  ///< items left out, since their key (ListOptions::key) was delivered before
  /// The total that the server reported last; nothing if it reported none. It may be out of date, or include items that
  /// the list omits.
  std::optional<std::size_t> total = {};
  /// Whether the total changed while the listing was read: with numbered pages, items may then be missing.
  bool changed = false;
};

}}  // namespace noun
