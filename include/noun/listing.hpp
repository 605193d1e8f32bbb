#pragma once
/// @file
/// A collection, page by page and item by item, fetched as it is needed.
///
///     auto open = issues.list({.query = {{"state", "open"}}, .page_size = 100});
///     for (auto& issue : open) {
///       if (!issue) return report(issue.error());       // the last element: a listing never ends silently
///       use(*issue);
///     }
///     save(open.bookmark());                             // issues.list({.resume = bookmark}) resumes after it

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <noun/detail/listing_state.hpp>
#include <noun/listing_plan.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

namespace detail {
struct ListingAccess;
}

/// One page, decoded.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
template <class T>
class Page {
 public:
  /// Of decoded items; made by a listing.
  Page(std::vector<T> decoded, std::size_t page_number, std::shared_ptr<const Response> response)
      : items(std::move(decoded)), number(page_number), response_(std::move(response)) {}

  std::vector<T> items;  ///< in the server's order
  std::size_t number;    ///< from 1, counted by this listing
  /// With BadItems::deliver, the errors of items that do not decode; each names the item's index.
  std::vector<Error> faults = {};
  /// The page's response. Lives as long as the page.
  const Response* response() const noexcept { return response_.get(); }

 private:
  std::shared_ptr<const Response> response_;
};

/// The pages of a listing as a single-pass range of Result<Page<T>>.
/// @threadsafety  used by one thread at a time, with its listing.
template <class T>
class [[nodiscard]] Pages {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators of one listing are the same position.
  /// @threadsafety  used by one thread at a time, with its listing.
  class iterator {
   public:
    /// @{
    /// As std::iterator_traits requires.
    using value_type = Result<Page<T>>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    /// @}

    /// @{
    /// A default-constructed one may only be assigned to.
    iterator() = default;
    explicit iterator(Pages* pages) : pages_(pages) {}
    /// @}

    /// The page, or the error that ends the listing; it counts as delivered. Fetches it if that was not done.
    value_type& operator*() const { return pages_->take(); }
    /// As `*`.
    value_type* operator->() const { return &**this; }
    /// @{
    /// Steps to the next page; sends nothing.
    iterator& operator++() { return pages_->step(), *this; }
    void operator++(int) { ++*this; }
    /// @}
    /// Whether the listing is at its end; fetches a page if that is not known.
    bool operator==(std::default_sentinel_t) const { return !pages_->has_page(); }

   private:
    Pages* pages_ = nullptr;
  };

  /// Of a listing, whose position they share.
  explicit Pages(std::shared_ptr<detail::ListingState<T>> state) : state_(std::move(state)) {}

  /// Continues after the last delivered page or item.
  iterator begin() & {
    if (seen_ || was_busy_) current_.reset();
    was_busy_ = false;
    const detail::ListingTurn turn(*state_);
    if (turn)
      state_->begin();
    else
      fail_busy();
    return iterator(this);
  }
  /// Does not compile, and says why.
  template <class Self = Pages>
  iterator begin() && {
    static_assert(sizeof(Self) == 0, "noun: keep the pages in a variable: an iterator points into them");
    return iterator();
  }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Result<Page<T>>& take() {
    if (!current_) {
      const detail::ListingTurn turn(*state_);
      if (!turn || !find_page())
        fail_busy();
      else if (!current_)
        current_ = state_->take_page();
    }
    seen_ = true;
    return *current_;
  }
  bool has_page() {
    if (current_) return true;
    if (was_busy_) return false;
    const detail::ListingTurn turn(*state_);
    if (turn) return find_page();
    fail_busy();
    return true;
  }
  /// Another thread or an operation uses the listing: that is the last element.
  void fail_busy() {
    was_busy_ = true;
    seen_ = false;
    current_ = detail::PageSource::busy();
  }
  bool find_page() {
    for (; steps_ > 0 && !current_ && state_->has_page(); --steps_) {
      // An error that nobody saw is not stepped over.
      if (auto page = state_->take_page(); !page) {
        current_ = std::move(page);
        seen_ = false;
      }
    }
    steps_ = 0;
    return current_ || state_->has_page();
  }
  void step() noexcept {
    if (current_)
      current_.reset();
    else
      ++steps_;
  }

  std::shared_ptr<detail::ListingState<T>> state_;
  /// The page, or an error that must be seen.
  std::optional<Result<Page<T>>> current_;
  std::size_t steps_ = 0;
  bool seen_ = false;
  bool was_busy_ = false;
};

/// The items of a collection as a single-pass input range of Result<T>. An error is its last element.
///
/// Nothing is sent before begin(). `++` sends nothing; the comparison or `*` that needs the next item fetches its page.
/// An item counts as delivered when it is dereferenced or stepped over. Calling begin() again continues after the last
/// delivered item.
///
/// After an error, begin() fetches the page again; after an item that does not decode it continues with the next item
/// (a bookmark made at the error begins with the bad item). These errors are permanent, and begin() returns them again
/// without sending: `refused`, `incomplete`, `protocol` for a next link that cannot be read, `invalid_argument` for a
/// cursor that cannot be put into the body, and `resource` when memory ran out in the listing itself. The bookmark
/// stays valid.
///
/// Move-only; keeps its client alive; belongs to one thread at a time. An iterator that is used while another thread or
/// an op::next_page() uses the listing delivers the error `invalid_argument` as its last element, and takes no item.
/// What `*` returned must not be read on one thread while another steps on.
template <class T>
class [[nodiscard]] Listing {
 public:
  /// A single-pass input iterator (std::input_iterator); all iterators of one listing are the same position.
  /// @threadsafety  used by one thread at a time, with its listing.
  class iterator {
   public:
    /// @{
    /// As std::iterator_traits requires.
    using value_type = Result<T>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    /// @}

    /// @{
    /// A default-constructed one may only be assigned to.
    iterator() = default;
    explicit iterator(detail::ListingState<T>* state, bool is_busy = false) : state_(state), is_busy_(is_busy) {}
    /// @}

    /// The item, or the error that ends the listing; it counts as delivered. Fetches its page if that was not done.
    Result<T>& operator*() const {
      if (!is_busy_) {
        const detail::ListingTurn turn(*state_);
        if (turn && state_->has_element()) return state_->take();
        is_busy_ = true;
      }
      return state_->busy_element();
    }
    /// As `*`.
    Result<T>* operator->() const { return &**this; }
    /// @{
    /// Steps to the next item; sends nothing.
    iterator& operator++() {
      is_over_ = is_busy_;
      if (is_busy_) return *this;
      const detail::ListingTurn turn(*state_);
      is_busy_ = !turn;
      if (turn) state_->step();
      return *this;
    }
    void operator++(int) { ++*this; }
    /// @}
    /// Whether the listing is at its end; fetches a page if that is not known.
    bool operator==(std::default_sentinel_t) const {
      if (is_busy_) return is_over_;
      const detail::ListingTurn turn(*state_);
      is_busy_ = !turn;
      return turn && !state_->has_element();
    }

   private:
    detail::ListingState<T>* state_ = nullptr;
    /// Whether the next element is the last: the error that another thread or an operation uses the listing.
    mutable bool is_busy_ = false;
    bool is_over_ = false;  // it was stepped over
  };

  /// Of these pages; made by Collection::list().
  explicit Listing(detail::PageSource source) : state_(std::make_shared<detail::ListingState<T>>(std::move(source))) {}
  /// @{
  /// Move-only.
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  Listing(Listing&&) noexcept = default;
  Listing& operator=(Listing&&) noexcept = default;
  ~Listing() = default;
  /// @}

  /// Continues after the last delivered item. The first call starts the listing, or resumes it at its bookmark.
  iterator begin() & {
    const detail::ListingTurn turn(*state_);
    if (turn) state_->begin();
    return iterator(state_.get(), !turn);
  }
  /// Does not compile, and says why.
  template <class Self = Listing>
  iterator begin() && {
    static_assert(sizeof(Self) == 0, "noun: keep the listing in a variable: an iterator points into it");
    return iterator();
  }
  /// Compares equal at the end.
  std::default_sentinel_t end() const noexcept { return {}; }

  /// The same items, page by page. Pages and items share one position, so both may be used in turn. Keeps the listing
  /// alive. If an item does not decode, the element is that error instead of the page, each time it is read; to get the
  /// other items, read them one by one or set BadItems::deliver.
  Pages<T> pages() { return Pages<T>(state_); }

  /// The response of the current page; null before the first page. Valid until the next page is fetched.
  const Response* response() const noexcept { return state_->response(); }

  /// The position after the last delivered item, as text for `ListOptions::resume` of the same listing, also in another
  /// process. An observer that calls it on `page_delivered` gets the position before that page.
  ///
  /// Secrets of six characters or more that a next link repeats as a whole parameter or path segment are left out:
  /// credentials, and values of hidden headers, of ClientOptions::query and of parameters such as `api_key`. So are the
  /// values of the listing's query. Resuming takes them from its own client and options. A cursor of the server and the
  /// body of a PageStrategy are stored as they are.
  std::string bookmark() const { return state_->bookmark(); }

  /// What is left, and how long it takes under the current quota; sends nothing. If that is longer than
  /// ListOptions::deadline allows, the next element is the error `deadline_exceeded`. The bookmark stays valid.
  ListingPlan plan() const { return state_->plan(); }
  /// What was received so far; sends nothing.
  ListingTally tally() const { return state_->tally(); }

 private:
  friend struct detail::ListingAccess;

  std::shared_ptr<detail::ListingState<T>> state_;
};

/// Access to a listing for op::next_page().
struct detail::ListingAccess {
  /// Its position.
  template <class T>
  static std::shared_ptr<ListingState<T>> state_of(const Listing<T>& listing) noexcept {
    return listing.state_;
  }
};

}}  // namespace noun
