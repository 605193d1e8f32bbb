#pragma once
/// @file
/// One listing as a state machine: pages come in, in any order, and exactly one step goes out. It owns the order of the
/// pages, reading ahead, cycles, totals, keys and the position of the bookmark. It sends nothing and calls nobody.

#include <algorithm>
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

/// A page as it was received.
struct FetchedPage {
  std::shared_ptr<const Response> response = {};
  /// Views into the response's body, or into a text that lives as long as the response.
  std::vector<std::string_view> items = {};
  /// The fields of its request, credentials included: reports hide them.
  Headers sent = {};
  /// The number of its call in events.
  std::uint64_t call = 0;
  /// What a PageStrategy returned for it.
  std::optional<StrategyResult> strategy = {};
  /// The time from the start of its call to the end.
  Duration took = {};
};

/// @{
/// The steps. Fetch: start this request; its result goes to on_page() or on_error(). Await: a page is needed that is
/// being fetched. Deliver: the next page. End: all pages were delivered. Fail: the listing stops here.
struct Fetch {
  std::uint64_t id = 0;
  std::size_t number = 0;  ///< of the page, from 1
  paging::PageRequest request = {};
  /// Requests that this listing still has to send, this one included; 0 if it is not known.
  std::int64_t demand = 0;
  /// The most bytes of the body, if the page is fetched ahead; a larger one is `too_large`.
  std::optional<std::size_t> largest = {};
};
struct Await {};
struct Deliver {
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
  void on_error(std::uint64_t id, Error error) { on_result(id, std::move(error)); }
  /// @}
  /// Whether the fetch may still be delivered; otherwise it can be stopped.
  bool is_wanted(std::uint64_t id) const noexcept;
  /// Forgets the fetches that are in flight: next() fetches their pages again.
  void drop_fetches() noexcept { fetches_.clear(); }

  /// Where a consumer stands that took `taken` items of the page delivered last.
  Bookmark bookmark(std::size_t taken) const;
  /// As Deliver::skip of the page delivered last, at most its number of items.
  std::size_t skip() const noexcept { return position_.stays ? 0 : std::min(position_.skip(), position_.items); }
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
  /// The time of the fastest fetch so far; nothing before the first page.
  std::optional<Duration> pace() const noexcept { return pace_; }
  /// The URL of the next page to be requested; nothing if there is none.
  std::optional<std::string> next_url() const;

 private:
  using Fetched = std::variant<FetchedPage, Error>;
  struct PendingFetch {
    std::uint64_t id;
    PagePlace place;
    /// Of the budget, until there is a result.
    std::size_t reserved = 0;
    bool ahead = false;
    /// The page was larger than what was reserved for it: it is fetched again when it is needed.
    bool postponed = false;
    std::optional<Fetched> result = {};

    std::size_t bytes() const noexcept;
  };
  /// A page in order, waiting for its consumer.
  struct ReadyPage {
    PagePlace place;
    FetchedPage fetched;
    bool deliver = true;
    bool guessing = false;
    bool is_last = false;
    std::optional<std::uint64_t> total = {};
  };
  /// Where a bookmark stands: the page of the last item delivered.
  struct Position {
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
    /// The page after it has nothing new: all of this page is delivered, and items will be added here.
    bool stays = false;

    std::size_t skip() const noexcept { return keyed ? 0 : resumed_at; }
    std::size_t all_items() const noexcept { return items + (keyed ? keyed->before : 0); }
  };

  Fetch fetch(PagePlace place, bool ahead);
  Fetch request(PendingFetch& pending, std::size_t before);
  std::size_t share() const noexcept;
  bool has_room_ahead() const noexcept;
  bool postpone(PendingFetch& pending, const Fetched& result) noexcept;
  void on_result(std::uint64_t id, Fetched result);
  void decide(const PagePlace& place, FetchedPage page);
  void fail(const PagePlace& place, Error error);
  Deliver deliver();
  void move_to(const ReadyPage& ready, Deliver& page);
  void count_empty(bool is_empty);
  std::optional<std::size_t> left_for_consumer(std::optional<std::size_t> pages, std::size_t items) const;
  std::optional<PagePlace> place_after_item(std::size_t taken) const;

  ListingSettings settings_;
  Pager pager_;
  std::deque<PendingFetch> fetches_;
  std::deque<ReadyPage> ready_;
  /// What follows the pages in `ready_`: the first page that is not decided on, the end, or a refusal. The last two are
  /// permanent.
  NextStep next_;
  std::optional<std::size_t> pages_left_;  // after the last page decided on
  std::optional<Duration> pace_;
  std::optional<Error> error_;
  bool halted_ = false;  // nothing is fetched ahead until the consumer wants more
  std::uint64_t last_id_ = 0;
  std::size_t decided_ = 0;
  std::size_t items_decided_ = 0;
  std::size_t largest_page_ = 0;   // in items
  std::size_t largest_bytes_ = 0;  // of a page

  Position position_;
  Headers sent_before_;  // by the request of the page given last
  std::size_t resumed_at_ = 0;
  std::optional<KnownItems> known_;
  ListingTally tally_;
  std::size_t items_before_ = 0;  // of the pages before the position
  std::size_t emptied_ = 0;       // pages in a row without an item to deliver
};

}}}  // namespace noun::detail
