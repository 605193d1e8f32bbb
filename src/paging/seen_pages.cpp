#include "paging/seen_pages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace noun { inline namespace v0 { namespace detail {

bool all_differ(std::span<const std::string_view> items) {
  std::vector<std::string_view> sorted(items.begin(), items.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted.size() > 1 && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

bool SeenPages::repeats(const PageSeen& page) {
  // As many items may have been added in front of a page as it has, so that it looks the same.
  const bool has_grown = reported_ && reported_->exact && total_ && reported_->items >= *total_ &&
                         reported_->items - *total_ >= page.items;
  const bool is_same = std::exchange(last_fingerprint_, page.fingerprint) == page.fingerprint;
  return pages_ > 1 && page.items > 0 && is_same && !has_grown;
}

void SeenPages::add(const PageSeen& page, bool is_unnumbered) {
  if (is_first() && is_unnumbered) unnumbered_first_ = page.fingerprint;
  received_ += page.items;
  if (page.items > 0) last_size_ = page.items;
  sizes_.largest = std::max(sizes_.largest, page.items);
  sizes_.smallest = std::min(sizes_.smallest, page.items);
  sizes_.is_resumed = pages_ == 1 && !from_the_first_;
  const bool is_exact = reported_ && reported_->exact;
  const auto before = std::exchange(total_, is_exact ? std::optional(reported_->items) : std::nullopt);
  list_changed_ = list_changed_ || (before && total_ && before != total_);
  if (!page.texts.empty()) {
    overlap_ = overlap_ || (pages_ == 2 && starts_with_last(page) && all_differ(page.texts));
    last_item_ = std::hash<std::string_view>()(page.texts.back());
  }
  // A response without items takes nothing back.
  const auto range = content_range_of(page.response);
  if (page.items > 0 || (range && range->total)) length_ = range ? range->total : std::nullopt;
}

}}}  // namespace noun::detail
