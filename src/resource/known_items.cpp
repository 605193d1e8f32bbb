#include "resource/known_items.hpp"

#include <algorithm>

#include "resource/bookmark.hpp"
#include "wire/json_scan.hpp"

namespace noun::inline v0 {

std::uint64_t KnownItems::key_of(std::string_view item) const {
  const auto key = wire::json_at(item, pointer_);
  return stable_hash(key && *key != "null" ? *key : item);
}

std::size_t KnownItems::begin_page(std::vector<std::string_view>& items, std::size_t skip) {
  if (begun_) page_.clear();
  begun_ = true;
  if (page_.empty()) {
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(skip, items.size()));
    for (auto at = items.begin(); at != end; ++at) page_.push_back(key_of(*at));
    items.erase(items.begin(), end);
    known_.insert(page_.begin(), page_.end());
    return page_.size();
  }
  known_.insert(page_.begin(), page_.end());
  std::erase_if(
      items, [&](std::string_view item) { return std::find(page_.begin(), page_.end(), key_of(item)) != page_.end(); });
  return page_.size();
}

std::size_t KnownItems::leave_out(std::vector<std::string_view>& items) {
  return std::erase_if(items, [&](std::string_view item) {
    const auto key = key_of(item);
    if (!known_.insert(key).second) return true;
    page_.push_back(key);
    return false;
  });
}

std::vector<std::uint64_t> KnownItems::delivered(std::size_t count) const {
  return {page_.begin(), page_.begin() + static_cast<std::ptrdiff_t>(std::min(count, page_.size()))};
}

}  // namespace noun::inline v0
