#pragma once
/// @file
/// Where a listing stands: at which page, what came so far, and what its bookmark is made of.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/error.hpp>
#include <noun/headers.hpp>
#include <noun/page_source.hpp>

#include "paging/paging.hpp"
#include "resource/bookmark.hpp"
#include "resource/known_items.hpp"
#include "resource/page_feed.hpp"

namespace noun { inline namespace v0 {

/// A plain value: a page is taken on in a copy, so that nothing is half done where memory runs out over it.
struct Standing {
  /// Goes on to a page; the marks of places are its caller's.
  /// @param look   what its items come to, where they are known by keys and the listing does not stay().
  /// @param keeps  whether a bookmark can begin behind an item.
  /// @returns      the page as it is given.
  RawPage take_on(const FedPage& fed, const std::optional<KnownItems::Look>& look, bool keeps);
  /// Whether a bookmark stays at the page where it stands when this one comes: the items are those of the page before,
  /// or nothing comes behind the last item's page, where items will be added.
  bool stays_at(const FedPage& fed) const noexcept;

  /// How many of the first items of the page, as it came, a bookmark leaves out.
  /// @param taken  how many a consumer took of the page given last.
  std::size_t position(std::size_t taken) const noexcept;
  /// The item that a bookmark begins behind, where that can be; empty for none.
  std::string_view last_taken(std::size_t taken) const noexcept;
  /// Where an item of the page given last was on it as it came.
  std::size_t place_of(std::size_t index) const noexcept;
  bool has_begun() const noexcept { return !page_place.url.empty(); }

  /// The fields of the last request, credentials included: what reports hide.
  Headers sent_headers = {};
  /// Where the page came from at which a bookmark stands, as it is and for the bookmark.
  PagePlace page_place = {};
  BookmarkedPlace page_mark = {};
  /// How many items it had as it came; how many of them are delivered or were given; and how many were delivered before
  /// the page given last, which is another one if the bookmark stays.
  std::size_t page_size = 0;
  std::size_t page_items = 0;
  std::size_t taken_before = 0;
  bool stays = false;
  /// Where on it the items are that were given, if not all were; and where its own bookmark stood.
  std::optional<std::vector<std::size_t>> left = {};
  std::size_t began_at = 0;
  /// The page itself and its last item, where a bookmark can begin behind an item instead.
  std::optional<RawPage> kept_page = {};
  std::string_view kept_last = {};

  std::optional<std::string> next_url = {};
  BookmarkedPlace next_mark = {};
  bool guessing = false;
  /// Why the next page is not asked for; comes after the items of the page before it.
  std::optional<Error> end_error = {};
  std::size_t resumed_at = 0;
  std::size_t skip = 0;
  /// Pages that are still to be asked for, if that is known.
  std::optional<std::size_t> pages_left = {};
  ListingTally tally = {};
  /// Items of the pages before the one at which a bookmark stands, and whether those before its own bookmark are among
  /// them.
  std::size_t items_before = 0;
  bool counts_all = true;
  /// Pages in a row of which nothing was left, whatever the reason.
  std::size_t emptied = 0;
};

}}  // namespace noun
