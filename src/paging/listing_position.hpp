#pragma once
/// @file
/// Where the consumer of a listing stands, and the bookmark of it: the page of the last item delivered.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "paging/known_items.hpp"
#include "paging/listing_settings.hpp"
#include "paging/page_fetches.hpp"

namespace noun { inline namespace v0 { namespace detail {

class ListingPosition {
 public:
  explicit ListingPosition(const ListingSettings& settings);

  /// What of a page is delivered.
  struct Given {
    std::vector<std::string_view> items = {};  ///< without duplicates
    std::size_t skip = 0;                      ///< how many of them were delivered before the bookmark
    std::size_t duplicates = 0;
  };
  /// Moves to the next page. If it throws, nothing has changed for a bookmark.
  Given move_to(const PagePlace& place, const FetchedPage& page, const Paging& paging);
  /// The page delivered has nothing new: all of the page before is delivered, and items will be added there.
  void stay() noexcept;
  /// A page was delivered, whether it has a position or not.
  /// @param sent  the fields of its request.
  void passed(bool guessing, Headers sent) noexcept;

  /// @param taken  items of the page delivered last.
  /// @param total  as reported.
  Bookmark bookmark(const ListingSettings& settings, std::size_t taken, std::optional<std::size_t> total) const;
  std::size_t skip() const noexcept { return page_.stays ? 0 : std::min(page_.skip(), page_.items); }
  /// The fields of the request of the page, and of the request whose response led there.
  const Headers& headers() const noexcept { return page_.sent; }
  bool has_started() const noexcept { return !page_.place.url.empty(); }
  /// The index on the page, as received, of an item.
  std::size_t index_on_page(std::size_t index) const noexcept;
  /// All that were delivered, before the bookmark too.
  std::size_t items() const noexcept { return items_before_ + page_.all_items(); }

 private:
  struct Page {
    PagePlace place = {};
    Headers sent = {};
    bool guessing = false;
    /// Items on the page as received; those given to the consumer; and those delivered before the listing was resumed,
    /// by the bookmark's count.
    std::size_t page_size = 0;
    std::size_t items = 0;
    std::size_t resumed_at = 0;
    /// The page without known items, if the listing knows its items by keys.
    std::optional<KeyedPage> keyed = {};
    /// For paging::LastItem, where a bookmark can begin after an item: the items given, and the last one received.
    std::shared_ptr<const Response> response = {};
    std::vector<std::string_view> given = {};
    std::string_view last_item = {};
    bool stays = false;

    std::size_t skip() const noexcept { return keyed ? 0 : resumed_at; }
    std::size_t all_items() const noexcept { return items + (keyed ? keyed->before : 0); }
  };

  std::optional<PagePlace> place_after_item(const ListingSettings& settings, std::size_t taken) const;

  Page page_;
  Headers sent_before_;  // by the request of the page given last
  std::size_t resumed_at_ = 0;
  std::optional<KnownItems> known_;
  std::size_t items_before_ = 0;  // of the pages before
};

}}}  // namespace noun::detail
