#pragma once
/// @file
/// Where the consumer of a listing stands, and the bookmark of it: the page of the last item delivered, and the items
/// by their keys (ListOptions::key), so that none is delivered twice.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <noun/http.hpp>
#include <noun/limits.hpp>

#include "paging/bookmark.hpp"
#include "paging/page_fetches.hpp"
#include "paging/pager.hpp"
#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// What a listing is made with.
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

/// A page without the items whose keys are known.
struct KeyedPage {
  /// The items to deliver: their indices on the page.
  std::vector<std::size_t> left = {};
  /// How many items of the page were delivered before its bookmark, whether or not it still has them.
  std::size_t before = 0;
  /// Items that are left out, since their key was delivered, or is on the page twice.
  std::size_t duplicates = 0;
  /// The keys of those that were delivered with another page.
  std::vector<wire::Digest> again = {};
  /// Of the items delivered before the bookmark, then of those in `left`.
  std::vector<wire::Digest> keys = {};
};

using KeySet = std::unordered_set<wire::Digest, wire::DigestHash>;

/// Knows keys by 128 bits of a hash with a random seed: who chooses keys cannot make any collide.
class KnownItems {
 public:
  /// @param pointer  where an item has its key; an item without one is known by all of its text.
  KnownItems(std::string pointer, const wire::HashSeed& seed) : pointer_(std::move(pointer)), hash_(seed) {}

  const wire::HashSeed& seed() const noexcept { return hash_.seed(); }
  /// Of the pointer: keys of another one, or with another seed, cannot be compared.
  wire::Digest digest_of_pointer() const { return wire::KeyedHash(seed()).of(pointer_); }
  /// Restores the keys of a bookmark: of the delivered items of its page, and of the duplicates on it.
  void resume(std::vector<wire::Digest> delivered, const std::vector<wire::Digest>& again) {
    known_.insert(again.begin(), again.end());
    resumed_ = std::move(delivered);
  }
  /// Compares the next page, and knows its items from now on.
  /// @param skip  how many of its first items were delivered before its bookmark, if that has no keys.
  KeyedPage add(const std::vector<std::string_view>& items, std::size_t skip);

 private:
  wire::Digest key_of(std::string_view item);

  std::string pointer_;
  wire::KeyedHash hash_;
  KeySet known_;
  std::optional<std::vector<wire::Digest>> resumed_;  // the keys of the bookmark, until its page is added
};

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
  void stay() noexcept {
    page_.stays = true;
    if (has_started()) resumed_at_ = 0;
  }
  /// A page was delivered, whether it has a position or not.
  /// @param guessed_first  Pager::guessed_first().
  /// @param sent           the fields of its request.
  void passed(std::optional<int> guessed_first, Headers sent) noexcept {
    page_.guessed_first = guessed_first;
    sent_before_ = std::move(sent);
  }

  /// @param taken  items of the page delivered last.
  /// @param total  as reported.
  Bookmark bookmark(const ListingSettings& settings, std::size_t taken, std::optional<std::size_t> total) const;
  std::size_t skip() const noexcept { return page_.stays ? 0 : std::min(page_.skip(), page_.items); }
  /// The fields of the request of the page, and of the request whose response led there.
  const Headers& headers() const noexcept { return page_.sent; }
  bool has_started() const noexcept { return !page_.place.url.empty(); }
  /// The index on the page, as received, of an item.
  std::size_t index_on_page(std::size_t index) const noexcept {
    const auto& keyed = page_.keyed;
    return keyed && index < keyed->left.size() ? keyed->left[index] : index;
  }
  /// All that were delivered, before the bookmark too.
  std::size_t items() const noexcept { return items_before_ + page_.all_items(); }

 private:
  struct Page {
    PagePlace place = {};
    Headers sent = {};
    std::optional<int> guessed_first = {};
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
