#pragma once
/// @file
/// The position of a listing's consumer. Not for programs: noun::Listing is made of it.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <noun/detail/page_source.hpp>
#include <noun/json.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

template <class T>
class Page;

namespace detail {

/// The current page of a listing, and how far it was delivered. All iterators of a listing share it.
/// @threadsafety  used by one thread at a time, with all that share it.
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
    if (current_ && !delivered_) return;
    if (std::exchange(undecodable_, false)) ++index_;
    failed_ = false;
    current_.reset();
  }

  /// Whether there is a page or an error; fetches a page if needed.
  bool has_page() {
    if (to_skip_ > 0) has_element();
    if (current_ && delivered_) current_.reset();
    if (current_) return true;
    if (failed_ || is_full()) return false;
    return index_ < page_.items.size() || fetch_items() || current_.has_value();
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

  bool advance() {
    if (current_) return true;
    if (failed_ || is_full()) return false;
    if (index_ >= page_.items.size() && !fetch_items()) return current_.has_value();
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

  /// Moves to the next page that has an item; false at the end, and with an error in `current_`.
  bool fetch_items() {
    if (is_full()) return false;
    for (;;) {
      auto page = source_.next();
      if (!page) return fail(std::move(page).error()), false;
      if (!*page) return false;
      page_ = **std::move(page);
      index_ = std::min(page_.skip, page_.items.size());
      if (index_ < page_.items.size()) return true;
    }
  }

  Result<T> decode(std::size_t at) const {
    DecodeFault fault;
    if (auto value = decode_value<T>(page_.items[at], source_.json_depth(), fault)) return *std::move(value);
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
};

}  // namespace detail

}}  // namespace noun
