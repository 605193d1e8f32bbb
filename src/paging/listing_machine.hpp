#pragma once
/// @file
/// One listing as a state machine: pages come in, in any order, and exactly one step goes out. It owns the order of the
/// pages, reading ahead, cycles, totals, keys and the position of the bookmark. It sends nothing and calls nobody.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/limits.hpp>
#include <noun/listing_plan.hpp>

#include "paging/bookmark.hpp"
#include "paging/known_items.hpp"
#include "paging/pager.hpp"

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
  /// @{
  /// Of the ListOptions.
  std::string body = {};
  std::string key = {};
  std::size_t prefetch = 0;
  std::optional<std::size_t> max_items = {};
  /// @}
};

/// A page as it was received.
struct FetchedPage {
  std::shared_ptr<const Response> response = {};
  /// Views into the response's body.
  std::vector<std::string_view> items = {};
  /// The fields of its request, credentials included: reports hide them.
  Headers sent = {};
  /// The number of its call in events.
  std::uint64_t call = 0;
  /// What a PageStrategy returned for it.
  std::optional<StrategyResult> strategy = {};
};

/// A page as it is delivered.
struct DeliveredPage {
  std::shared_ptr<const Response> response = {};
  /// Without duplicates.
  std::vector<std::string_view> items = {};
  /// How many of the items were delivered before the bookmark.
  std::size_t skip = 0;
  /// From 1, counted by this listing.
  std::size_t number = 0;
  PagePlace place = {};
  Headers sent = {};
  std::uint64_t call = 0;
  /// Items that were left out, since their keys were delivered before.
  std::size_t duplicates = 0;
  /// Its items are those of the page before; none is delivered.
  bool repeated = false;
  /// The total before, if this page is the first that changes it.
  std::optional<std::size_t> changed_total = {};
};

/// @{
/// The steps. Fetch: start this request, then tell on_page() or on_error(). Await: a page that is being fetched is
/// needed. Deliver: the next page. End: all pages were delivered. Fail: the listing stops here.
struct Fetch {
  std::uint64_t id = 0;
  std::size_t number = 0;  ///< of the page, from 1
  paging::PageRequest request = {};
  /// Requests that this listing still has to send, this one included; 0 if it is not known.
  std::int64_t demand = 0;
};
struct Await {};
struct Deliver {
  DeliveredPage page;
};
struct End {
  bool is_short = false;  ///< fewer items were received than the total reports
};
struct Fail {
  /// An Error of a fetch: next() fetches the page again. A Refuse is permanent, and about the page delivered last.
  std::variant<Error, Refuse> why;
};
/// @}
using ListingStep = std::variant<Fetch, Await, Deliver, End, Fail>;

/// Used by one thread at a time. If a member throws (memory), the listing must not go on; bookmark() stays valid.
class ListingMachine {
 public:
  explicit ListingMachine(ListingSettings settings);

  /// The step for a consumer that needs the next page.
  ListingStep next();
  /// The next page to fetch ahead, if there is one: as long as pages are wanted, it is called again.
  std::optional<Fetch> read_ahead();
  /// @{
  /// The result of a fetch; one that is not wanted any more is ignored.
  void on_page(std::uint64_t id, FetchedPage page);
  void on_error(std::uint64_t id, Error error);
  /// @}
  /// Whether the fetch may still be delivered; otherwise it can be stopped.
  bool is_wanted(std::uint64_t id) const noexcept;
  /// Forgets the fetches that are in flight: next() fetches their pages again.
  void drop_fetches() noexcept { fetches_.clear(); }

  /// Where a consumer stands that took `taken` items of the page delivered last.
  Bookmark bookmark(std::size_t taken) const;
  /// As DeliveredPage::skip of the page delivered last, at most its number of items.
  std::size_t skip() const noexcept { return position_.skip; }
  /// The fields of the request of the page where a bookmark stands, and of the request whose response led there: the
  /// page's URL may have secrets of both.
  const Headers& bookmark_headers() const noexcept { return position_.sent; }
  /// Whether a page was delivered at which a bookmark stands.
  bool has_started() const noexcept { return !position_.place.url.empty(); }
  /// The index on its page, as received, of an item of the page delivered last.
  std::size_t index_on_page(std::size_t index) const noexcept;
  const ListingTally& tally() const noexcept { return tally_; }
  /// Pages that are neither received nor requested; nothing if it is not known.
  std::optional<std::size_t> pages_to_fetch() const noexcept;
  /// The URL of the next page to be requested; null if there is none.
  const std::string* next_url() const noexcept { return next_place_ ? &next_place_->url : nullptr; }

 private:
  struct PendingFetch {
    std::uint64_t id;
    PagePlace place;
    std::optional<std::variant<FetchedPage, Error>> result = {};
  };
  /// A page in order, waiting for its consumer.
  struct ReadyPage {
    PagePlace place;
    FetchedPage fetched;
    bool deliver = true;
    bool guessing = false;
    bool is_last = false;
    std::optional<Refuse> refused = {};
    std::optional<std::uint64_t> total = {};
  };
  /// Where a bookmark stands: the page of the last item delivered.
  struct Position {
    PagePlace place = {};
    Headers sent = {};
    bool guessing = false;
    /// Items on the page as received; how many of them are delivered or can be; and how many of these were delivered
    /// before the page given last.
    std::size_t page_size = 0;
    std::size_t items = 0;
    std::size_t taken_before = 0;
    /// The page given last has nothing new: a bookmark stays at the page before, where items will be added.
    bool stays = false;
    /// The indices of the items that were given, if not all were; and how many were skipped for the first one.
    std::optional<std::vector<std::size_t>> left = {};
    std::size_t skipped = 0;
    /// How many of the items given were delivered before the bookmark.
    std::size_t skip = 0;
    /// For paging::LastItem, where a bookmark can begin after an item: the items given, and the last one received.
    std::shared_ptr<const Response> response = {};
    std::vector<std::string_view> given = {};
    std::string_view last_item = {};
  };

  Fetch fetch(PagePlace place);
  void process();
  void decide(const PagePlace& place, FetchedPage page);
  void fail(const PagePlace& place, Error error);
  DeliveredPage deliver();
  std::optional<std::size_t> left_for_consumer(std::optional<std::size_t> pages, std::size_t items) const;
  std::size_t taken_of_page(std::size_t taken) const noexcept;
  std::string_view last_taken(std::size_t taken) const noexcept;

  ListingSettings settings_;
  Pager pager_;
  std::optional<PagePlace> next_place_;  // of the first page that is not decided on
  std::deque<PendingFetch> fetches_;
  std::deque<ReadyPage> ready_;
  std::optional<std::size_t> pages_left_;  // after the last page decided on
  std::optional<Error> error_;
  std::optional<Refuse> refused_;
  bool halted_ = false;  // nothing is fetched ahead until the consumer wants more
  std::uint64_t last_id_ = 0;
  std::size_t decided_ = 0;
  std::size_t items_decided_ = 0;
  std::size_t largest_page_ = 0;

  Position position_;
  Headers sent_before_;  // by the request of the page given last
  std::size_t resumed_at_ = 0;
  std::optional<KnownItems> known_;
  ListingTally tally_;
  std::size_t items_before_ = 0;  // of the pages before the position
  bool counts_all_ = true;        // the items before the bookmark are known
  std::size_t emptied_ = 0;       // pages in a row without an item to deliver
};

}}}  // namespace noun::detail
