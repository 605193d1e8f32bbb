#pragma once
/// @file
/// The position of a listing's consumer. Not for programs: noun::Listing is made of it.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <noun/detail/page_source.hpp>
#include <noun/json.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

template <class T>
class Page;

namespace detail {

/// The current page of a listing, and how far it was delivered. All iterators of a listing share it.
/// @threadsafety  used by one thread at a time, with all that share it; ListingTurn makes sure of that.
template <class T>
class ListingState {
 public:
  /// At the beginning of `source`.
  explicit ListingState(PageSource source) : source_(std::move(source)) {}

  /// Whether there is an element; fetches a page if needed.
  bool has_element() {
    while (to_skip_ > 0 && advance() && skip()) continue;
    to_skip_ = 0;
    return advance();
  }
  /// The current element, which counts as delivered from now on.
  Result<T>& take() {
    has_element();
    deliver();
    return *current_;
  }
  /// Steps over the element, without fetching the next.
  void step() noexcept {
    if (!current_) {
      ++to_skip_;
      return;
    }
    deliver();
    current_.reset();
  }
  /// Continues after the last delivered element. After a delivered error the page is fetched again; an item that does
  /// not decode is stepped over, since it never will.
  void begin() noexcept {
    source_.begin();
    ended_ = false;
    if (current_ && !delivered_) return;
    if (std::exchange(undecodable_, false)) ++index_;
    failed_ = false;
    current_.reset();
  }

  /// Whether there is a page or an error; fetches a page if needed.
  bool has_page() {
    while (!is_ready()) accept(source_.next());
    return current_ || (!failed_ && !is_full() && index_ < page_.items.size());
  }
  /// Whether has_page() fetches nothing.
  bool is_ready() {
    while (to_skip_ > 0) {
      if (!knows_next()) return false;
      if (!advance() || !skip()) break;
    }
    to_skip_ = 0;
    if (current_ && delivered_) current_.reset();
    return knows_next();
  }
  /// Takes what source() returned.
  void accept(Result<std::optional<RawPage>> page) {
    if (!page) return fail(std::move(page).error());
    ended_ = !*page;
    if (ended_) return;
    page_ = **std::move(page);
    index_ = std::min(page_.skip, page_.items.size());
  }
  /// The page, without the items that were delivered one by one. It counts as delivered.
  Result<Page<T>> take_page() {
    if (failed_) {
      deliver();
      return std::exchange(current_, std::nullopt)->error();
    }
    current_.reset();
    Page<T> page({}, page_.number, page_.response);
    auto at = index_;
    for (; at < page_.items.size() && !is_full(at - index_); ++at) {
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

  /// The pages.
  PageSource& source() noexcept { return source_; }
  /// Whether no other operation fetches; if so, the caller may, until release(). Safe to use from many threads.
  bool claim() noexcept { return !claimed_.exchange(true); }
  /// Ends the claim of an operation. An error that was not delivered is forgotten: its page is fetched again.
  void release() noexcept {
    if (failed_ && !delivered_) {
      failed_ = undecodable_ = false;
      current_.reset();
    }
    end_turn();
  }
  /// Ends the claim of an iterator.
  void end_turn() noexcept { claimed_ = false; }
  /// The element of a thread that may not use the listing now. Safe to use from many threads.
  Result<T>& busy_element() {
    const std::lock_guard lock(busy_mutex_);
    return busy_.insert_or_assign(std::this_thread::get_id(), PageSource::busy()).first->second;
  }

  /// The response of the current page; null before the first.
  const Response* response() const noexcept { return page_.response.get(); }
  /// As PageSource::plan().
  ListingPlan plan() const { return source_.plan(); }
  /// As PageSource::tally().
  ListingTally tally() const { return source_.tally(); }

  /// Steps that were made are taken as far as that needs no fetch.
  std::string bookmark() {
    while (to_skip_ > 0 && index_ < page_.items.size() && advance() && skip()) continue;
    return source_.bookmark(index_);
  }

 private:
  /// Whether max_items are reached with `more` items.
  bool is_full(std::size_t more = 0) const noexcept {
    return source_.max_items() && count_ + more >= *source_.max_items();
  }

  /// Whether the next element is here: an item, an error, or the end.
  bool knows_next() const noexcept {
    return current_ || failed_ || is_full() || index_ < page_.items.size() || ended_;
  }

  bool advance() {
    while (!knows_next()) accept(source_.next());
    if (current_) return true;
    if (failed_ || is_full() || index_ >= page_.items.size()) return false;
    auto value = decode(index_);
    if (value || is_passed_over(value.error())) {
      current_ = std::move(value);
      delivered_ = false;
      return true;
    }
    undecodable_ = value.error().code() != Errc::resource;
    fail(std::move(value).error());
    return true;
  }

  /// Steps over `current_`; false for an error, which must be seen.
  bool skip() noexcept {
    if (!*current_) return false;
    deliver();
    current_.reset();
    --to_skip_;
    return true;
  }

  Result<T> decode(std::size_t at) const {
    DecodeFault fault;
    if (auto value = decode_value<T>(page_.items[at], source_.limits(), fault)) return *std::move(value);
    return source_.item_error(page_, at, std::move(fault));
  }

  /// Whether the items after one with this error are delivered. Running out of memory is not the item's fault.
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
  std::size_t index_ = 0;  // of the next item of page_ to be delivered
  std::size_t count_ = 0;  // items delivered in all
  std::size_t to_skip_ = 0;
  std::optional<Result<T>> current_;
  bool delivered_ = false;
  bool failed_ = false;
  bool undecodable_ = false;  // the item at index_ does not decode
  bool ended_ = false;        // there are no more pages
  std::atomic<bool> claimed_ = false;
  std::mutex busy_mutex_;
  // Not thread_local: mingw-w64 frees such objects before it destroys them.
  std::map<std::thread::id, Result<T>> busy_;
};

/// One use of a listing by an iterator, unless another thread or an operation uses it at the time.
/// @threadsafety  safe, to make and destroy.
template <class T>
class ListingTurn {
 public:
  explicit ListingTurn(ListingState<T>& state) : state_(state.claim() ? &state : nullptr) {}
  ListingTurn(const ListingTurn&) = delete;
  ListingTurn& operator=(const ListingTurn&) = delete;
  ~ListingTurn() {
    if (state_ != nullptr) state_->end_turn();
  }
  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  ListingState<T>* state_;
};

}  // namespace detail

}}  // namespace noun
