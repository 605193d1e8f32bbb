#pragma once
/// @file
/// A collection, page by page and item by item, fetched as it is needed.
///
///     auto open = issues.list({.query = {{"state", "open"}}, .page_size = 100});
///     for (auto& issue : open) {
///       if (!issue) return report(issue.error());       // the last element: a listing never ends silently
///       use(*issue);
///     }
///     save(open.bookmark());                             // issues.list({.resume = bookmark}) goes on behind it

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <noun/codec.hpp>
#include <noun/listing_plan.hpp>
#include <noun/page_source.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

/// One page, decoded.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
template <class T>
class Page {
 public:
  /// Of decoded items; made by a listing.
  Page(std::vector<T> decoded, std::size_t page_number, std::shared_ptr<const Response> response)
      : items(std::move(decoded)), number(page_number), response_(std::move(response)) {}

  std::vector<T> items;  ///< in the service's order
  /// From 1, counted by this listing.
  std::size_t number;
  /// The items that did not decode, under BadItems::deliver: each names its place.
  std::vector<Error> faults = {};
  /// The page's answer. Lives as long as the page.
  const Response* response() const noexcept { return response_.get(); }

 private:
  std::shared_ptr<const Response> response_;
};

/// What the iterators of one listing share: the current page, and how far it was delivered.
/// @threadsafety  used by one thread at a time, with all that share it.
template <class T>
class ListingState {
 public:
  /// At the beginning of `source`.
  explicit ListingState(PageSource source) : source_(std::move(source)) {}

  /// Whether there is an element to look at; fetches a page if that needs one.
  bool settle() {
    while (to_skip_ > 0 && advance() && skip()) continue;
    to_skip_ = 0;
    return advance();
  }
  /// The element that settle() found; it counts as delivered from now on.
  Result<T>& take() {
    settle();
    deliver();
    return *current_;
  }
  /// Steps over the element, without looking for the next.
  void step() noexcept {
    if (!current_) {
      ++to_skip_;
      return;
    }
    deliver();
    current_.reset();
  }
  /// Goes on behind the last delivered element. What failed is tried again if its error was delivered, but for an item
  /// that does not decode: it would never do, and the items behind it are good.
  void begin() noexcept {
    if (current_ && !delivered_) return;
    if (std::exchange(undecodable_, false)) ++index_;
    failed_ = false;
    current_.reset();
  }

  /// Whether there is a page, or an error, to look at; fetches a page if that needs one.
  bool settle_page() {
    if (to_skip_ > 0) settle();
    if (current_ && delivered_) current_.reset();
    if (current_) return true;
    if (failed_ || spent()) return false;
    return index_ < page_.items.size() || fetch_items() || current_.has_value();
  }
  /// What settle_page() found: the page, less what was delivered of it item by item. It counts as delivered.
  Result<Page<T>> take_page() {
    if (failed_) {
      deliver();
      return std::exchange(current_, std::nullopt)->error();
    }
    current_.reset();
    Page<T> page({}, page_.number, page_.response);
    auto at = index_;
    for (; at < page_.items.size() && !spent(at - index_); ++at) {
      if (auto value = decode(at)) {
        page.items.push_back(*std::move(value));
      } else if (is_passed_over(value.error())) {
        page.faults.push_back(std::move(value).error());
      } else {
        failed_ = true;
        return std::move(value).error();
      }
    }
    count_ += at - index_;
    index_ = at;
    return {std::move(page), page_.response};
  }

  /// As PageSource::plan().
  ListingPlan plan() const { return source_.plan(); }
  /// As PageSource::tally().
  ListingTally tally() const { return source_.tally(); }

  /// Steps that are due are taken as far as that sends nothing.
  std::string bookmark() {
    while (to_skip_ > 0 && index_ < page_.items.size() && advance() && skip()) continue;
    return source_.bookmark(index_);
  }

 private:
  bool spent(std::size_t more = 0) const noexcept {
    return source_.max_items() && count_ + more >= *source_.max_items();
  }

  bool advance() {
    if (current_) return true;
    if (failed_ || spent()) return false;
    if (index_ >= page_.items.size() && !fetch_items()) return current_.has_value();
    auto value = decode(index_);
    const bool goes_on = !value && is_passed_over(value.error());
    undecodable_ = !value && !goes_on && value.error().code() != Errc::resource;
    if (value)
      current_.emplace(*std::move(value), page_.response, Lent{});
    else if (goes_on)
      current_.emplace(std::move(value).error());
    else
      fail(std::move(value).error());
    delivered_ = false;
    return true;
  }

  /// Steps over `current_`; false if it is an error, of which whoever stepped could not know.
  bool skip() noexcept {
    if (!*current_) return false;
    deliver();
    current_.reset();
    --to_skip_;
    return true;
  }

  /// Goes on to the next page that has an item; false at the end, and with an error in `current_`.
  bool fetch_items() {
    if (spent()) return false;
    for (;;) {
      auto page = source_.next();
      if (!page) return fail(std::move(page).error()), false;
      if (!*page) return false;
      page_ = **std::move(page);
      index_ = std::min(source_.skip(), page_.items.size());
      if (index_ < page_.items.size()) return true;
    }
  }

  Result<T> decode(std::size_t at) const {
    DecodeFault fault;
    if (auto value = decode_value<T>(page_.items[at], source_.json_depth(), fault)) return *std::move(value);
    return source_.item_error(page_, at, std::move(fault));
  }

  /// Whether the items behind one with this error are delivered. One that memory ran out over is no bad item.
  bool is_passed_over(const Error& error) const noexcept {
    return source_.bad_items() == BadItems::deliver && error.code() != Errc::resource;
  }

  void fail(Error error) {
    failed_ = true;
    delivered_ = false;
    current_.emplace(std::move(error));
  }

  void deliver() noexcept {
    if (std::exchange(delivered_, true) || failed_) return;
    ++index_;
    ++count_;
  }

  PageSource source_;
  RawPage page_;
  std::size_t index_ = 0;  // of the next item of page_ that was not delivered
  std::size_t count_ = 0;  // delivered in all
  std::size_t to_skip_ = 0;
  std::optional<Result<T>> current_;
  bool delivered_ = false;
  bool failed_ = false;
  bool undecodable_ = false;  // it failed at the item at index_
};

/// The pages of a listing as a single-pass range of Result<Page<T>>.
/// @threadsafety  used by one thread at a time, with its listing.
template <class T>
class Pages {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators of one listing are the same position.
  /// @threadsafety  used by one thread at a time, with its listing.
  class iterator {
   public:
    /// @{
    /// What std::iterator_traits asks for.
    using value_type = Result<Page<T>>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    /// @}

    /// @{
    /// A default-constructed one may only be assigned to.
    iterator() = default;
    explicit iterator(Pages* pages) : pages_(pages) {}
    /// @}

    /// The page, or the error that ends the listing; it counts as delivered. Fetches it if that is still to be done.
    value_type& operator*() const { return pages_->take(); }
    /// As `*`.
    value_type* operator->() const { return &**this; }
    /// @{
    /// Steps on; sends nothing.
    iterator& operator++() { return pages_->step(), *this; }
    void operator++(int) { ++*this; }
    /// @}
    /// Whether the listing is at its end; fetches a page if that is not known.
    bool operator==(std::default_sentinel_t) const { return !pages_->settle(); }

   private:
    Pages* pages_ = nullptr;
  };

  /// Of a listing, whose position they share.
  explicit Pages(std::shared_ptr<ListingState<T>> state) : state_(std::move(state)) {}

  /// Goes on behind the last delivered page or item.
  iterator begin() & {
    if (seen_) current_.reset();
    state_->begin();
    return iterator(this);
  }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Result<Page<T>>& take() {
    settle();
    if (!current_) current_ = state_->take_page();
    seen_ = true;
    return *current_;
  }
  bool settle() {
    for (; steps_ > 0 && !current_ && state_->settle_page(); --steps_) {
      // An error is not stepped over unseen.
      if (auto page = state_->take_page(); !page) {
        current_ = std::move(page);
        seen_ = false;
      }
    }
    steps_ = 0;
    return current_ || state_->settle_page();
  }
  void step() noexcept {
    if (current_)
      current_.reset();
    else
      ++steps_;
  }

  std::shared_ptr<ListingState<T>> state_;
  /// The page that was looked at, or an error that is to be.
  std::optional<Result<Page<T>>> current_;
  std::size_t steps_ = 0;
  bool seen_ = false;
};

/// The members of a collection as a single-pass input range of Result<T>. An error is its last element.
///
/// Nothing is sent before begin(). `++` sends nothing; the comparison or `*` that needs the next item fetches its page.
/// An item counts as delivered when it is dereferenced or stepped over. Calling begin() again goes on behind the last
/// delivered item; after an error it tries again, and after an item that did not decode it goes on behind that one (a
/// bookmark made at the error still begins with it). An error that forbids the next page is permanent (`refused`: its
/// link leads to another origin or back, or a limit is reached; or a link that cannot be read): begin() returns it
/// again and sends nothing. Only a listing that resumes the bookmark requests that page again. Where memory runs out
/// (`resource`, or std::bad_alloc), nothing is lost and begin() goes on. Move-only; keeps its client alive; belongs to
/// one thread at a time.
template <class T>
class Listing {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators of one listing are the same position.
  /// @threadsafety  used by one thread at a time, with its listing.
  class iterator {
   public:
    /// @{
    /// What std::iterator_traits asks for.
    using value_type = Result<T>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    /// @}

    /// @{
    /// A default-constructed one may only be assigned to.
    iterator() = default;
    explicit iterator(ListingState<T>* state) : state_(state) {}
    /// @}

    /// The member, or the error that ends the listing; it counts as delivered. Fetches its page if that is still to
    /// be done.
    Result<T>& operator*() const { return state_->take(); }
    /// As `*`.
    Result<T>* operator->() const { return &state_->take(); }
    /// @{
    /// Steps on; sends nothing.
    iterator& operator++() { return state_->step(), *this; }
    void operator++(int) { ++*this; }
    /// @}
    /// Whether the listing is at its end; fetches a page if that is not known.
    bool operator==(std::default_sentinel_t) const { return !state_->settle(); }

   private:
    ListingState<T>* state_ = nullptr;
  };

  /// Of these pages; made by Collection::list().
  explicit Listing(PageSource source) : state_(std::make_shared<ListingState<T>>(std::move(source))) {}
  /// @{
  /// Move-only.
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  Listing(Listing&&) noexcept = default;
  Listing& operator=(Listing&&) noexcept = default;
  ~Listing() = default;
  /// @}

  /// Goes on behind the last delivered item; the first begin() is where the listing, or its bookmark, begins.
  iterator begin() & { return state_->begin(), iterator(state_.get()); }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

  /// The same members page by page; may be mixed with item by item. Keeps the listing alive. A page with an item that
  /// does not decode is that item's error, again and again: item by item the others are delivered.
  Pages<T> pages() { return Pages<T>(state_); }

  /// Where the consumer stands: text to keep, and to give to `ListOptions::resume` of the same listing, also in another
  /// process. Made by the observer while it is told of a page, it is in front of that page.
  ///
  /// It has none of these, of six characters or more, that a service's link repeats as a whole parameter of any name or
  /// a segment of its path: credentials and other hidden headers, and values of the caller's query whose parameters are
  /// named as secrets are (`api_key`, `access_token`); nor any value of the query that a link repeats under its name.
  /// Resuming takes those of its own client and options. What a service puts into longer text of its own is in it as it
  /// came: a cursor that holds a secret, say, or a body that a PageStrategy names.
  std::string bookmark() const { return state_->bookmark(); }

  /// What is left, and how long it takes under the quota as it stands; sends nothing. With a `deadline` that cannot be
  /// met, the listing says so as soon as it knows: `deadline_exceeded` in place of the next page, with the bookmark
  /// behind what was delivered.
  ListingPlan plan() const { return state_->plan(); }
  /// What has come so far, and how many items the service promised. Sends nothing.
  ListingTally tally() const { return state_->tally(); }

 private:
  std::shared_ptr<ListingState<T>> state_;
};

}}  // namespace noun
