#pragma once
/// @file
/// One listing as a state machine: pages come in, in any order, and exactly one step goes out. It decides on the
/// pages in their order, reads ahead, and ends. It sends nothing and calls nobody.

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
#include <noun/listing_plan.hpp>

#include "paging/listing_position.hpp"
#include "paging/page_fetches.hpp"
#include "paging/pager.hpp"

namespace noun { inline namespace v0 { namespace detail {

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
  void on_page(std::uint64_t id, FetchedPage page) { on_result(id, std::move(page)); }
  void on_error(std::uint64_t id, Error error) { on_result(id, std::move(error)); }
  /// @}
  /// Whether the fetch may still be delivered; otherwise it can be stopped.
  bool is_wanted(std::uint64_t id) const noexcept { return fetches_.is_wanted(id); }
  /// Forgets the fetches that are in flight: next() fetches their pages again.
  void drop_fetches() noexcept { fetches_.clear(); }

  /// Where a consumer stands that took `taken` items of the page delivered last.
  Bookmark bookmark(std::size_t taken) const { return position_.bookmark(settings_, taken, tally_.total); }
  /// As Deliver::skip of the page delivered last, at most its number of items.
  std::size_t skip() const noexcept { return position_.skip(); }
  /// The fields of the request of the page where a bookmark stands, and of the request whose response led there: the
  /// page's URL may have secrets of both.
  const Headers& bookmark_headers() const noexcept { return position_.headers(); }
  /// Whether a page was delivered at which a bookmark stands.
  bool has_started() const noexcept { return position_.has_started(); }
  /// The index on its page, as received, of an item of the page delivered last.
  std::size_t index_on_page(std::size_t index) const noexcept { return position_.index_on_page(index); }
  const ListingTally& tally() const noexcept { return tally_; }
  /// Pages that are neither received nor requested; nothing if it is not known.
  std::optional<std::size_t> pages_to_fetch() const noexcept {
    if (!pages_left_) return std::nullopt;
    return *pages_left_ - std::min(*pages_left_, fetches_.requested());
  }
  /// The time of the fastest fetch so far; nothing before the first page.
  std::optional<Duration> pace() const noexcept { return fetches_.pace(); }
  /// The URL of the next page to be requested; nothing if there is none.
  std::optional<std::string> next_url() const {
    const auto* place = std::get_if<PagePlace>(&next_);
    return place != nullptr ? std::optional(place->url) : std::nullopt;
  }

 private:
  /// A page in order, waiting for its consumer.
  struct ReadyPage {
    PagePlace place;
    FetchedPage fetched;
    bool deliver = true;
    std::optional<int> guessed_first = {};
    bool is_last = false;
    std::optional<std::uint64_t> total = {};
  };
  Fetch fetch(PagePlace place, bool ahead);
  Fetch request(const PageFetches::Pending& pending, std::size_t before) const;
  void on_result(std::uint64_t id, PageFetches::Result result);
  void decide(const PagePlace& place, FetchedPage page);
  void fail(const PagePlace& place, Error error);
  Deliver deliver();
  void count_empty(bool is_empty);
  std::optional<std::size_t> left_for_consumer(std::optional<std::size_t> pages, std::size_t items) const;

  ListingSettings settings_;
  Pager pager_;
  PageFetches fetches_;
  std::deque<ReadyPage> ready_;
  /// What follows the pages in `ready_`: the first page that is not decided on, the end, or a refusal. The last two are
  /// permanent.
  NextStep next_;
  std::optional<std::size_t> pages_left_;  // after the last page decided on
  std::optional<Error> error_;
  bool halted_ = false;  // nothing is fetched ahead until the consumer wants more
  std::size_t decided_ = 0;
  std::size_t items_decided_ = 0;
  std::size_t largest_page_ = 0;  // in items
  ListingPosition position_;
  ListingTally tally_;
  std::size_t emptied_ = 0;  // pages in a row without an item to deliver
};

}}}  // namespace noun::detail
