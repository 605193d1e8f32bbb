#pragma once
/// @file
/// What the pages of one listing had so far: their counts, and whether they were the same.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <noun/paging.hpp>

#include "paging/counts.hpp"
#include "paging/page.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// Whether there are several items, and no two are equal.
bool all_differ(std::span<const std::string_view> items);

class SeenPages {
 public:
  /// @param from_the_first  whether the first page that is seen is the first one of the list.
  explicit SeenPages(bool from_the_first) noexcept : from_the_first_(from_the_first) {}

  /// Counts a page, before it is known whether it is delivered.
  void begin(const PageSeen& page, const Paging& paging) {
    ++pages_;
    more_ = more_of(page.response, paging.end);
    reported_ = total_of(page.response, paging);
  }
  /// Whether the page has the items of the page before. Called once for each page.
  bool repeats(const PageSeen& page);
  /// Adds a page that is delivered.
  /// @param is_unnumbered  whether it was requested without a number, though it may have one.
  void add(const PageSeen& page, bool is_unnumbered);
  /// Keeps a total that the paging does not name.
  void set_total(std::uint64_t total) noexcept { total_ = total; }

  /// What the last page reports.
  More more() const noexcept { return more_; }
  const std::optional<Total>& reported() const noexcept { return reported_; }
  /// How many pages there were.
  std::size_t pages() const noexcept { return pages_; }
  /// Whether there was one page, and it is the first one of the list.
  bool is_first() const noexcept { return pages_ == 1 && from_the_first_; }
  /// The number of items from the first one of the list on; nothing if that was not seen.
  std::optional<std::uint64_t> received() const {
    return from_the_first_ ? std::optional(received_) : std::nullopt;
  }
  const PageSizes& sizes() const noexcept { return sizes_; }
  /// The exact number of all items by the last response that has one.
  std::optional<std::uint64_t> total() const noexcept { return total_; }
  /// Whether the last page that has items has as many as the largest one.
  bool ends_full() const noexcept { return last_size_ == sizes_.largest; }
  /// The number of all items by the last Content-Range.
  std::optional<std::uint64_t> length() const noexcept { return length_; }
  /// Whether two pages reported different totals.
  bool list_changed() const noexcept { return list_changed_; }
  /// Whether the second page began with the last item of the first one. An item that was added in front looks the same.
  bool overlap() const noexcept { return overlap_; }
  /// Whether the page has the items of a first page that was requested without a number.
  bool is_unnumbered_first(const PageSeen& page) const noexcept {
    return page.items > 0 && page.fingerprint == unnumbered_first_;
  }

 private:
  /// Whether the page, which is not added yet, begins with the last item of the page before.
  bool starts_with_last(const PageSeen& page) const {
    return !page.texts.empty() && last_item_ == std::hash<std::string_view>()(page.texts.front());
  }

  std::size_t pages_ = 0;
  std::uint64_t received_ = 0;
  PageSizes sizes_ = {.smallest = std::numeric_limits<std::size_t>::max()};
  More more_ = More::unknown;
  std::optional<Total> reported_;
  std::optional<std::uint64_t> total_;
  std::optional<std::uint64_t> length_;
  std::optional<std::size_t> unnumbered_first_;
  std::optional<std::size_t> last_item_;  // a hash
  std::size_t last_size_ = 0;
  std::size_t last_fingerprint_ = 0;
  bool list_changed_ = false;
  bool overlap_ = false;
  bool from_the_first_;
};

}}}  // namespace noun::detail
