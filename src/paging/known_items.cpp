#include "paging/known_items.hpp"

#include <algorithm>

#include "paging/bookmark.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

std::uint64_t KnownItems::key_of(std::string_view item) const {
  const auto key = wire::json_at(item, pointer_);
  return stable_hash(key && *key != "null" ? *key : item);
}

void KnownItems::resume(std::vector<std::uint64_t> delivered, std::vector<std::uint64_t> again) {
  known_.insert(again.begin(), again.end());
  page_ = std::move(delivered);
  again_ = std::move(again);
}

KnownItems::Look KnownItems::look(const std::vector<std::string_view>& items, std::size_t skip) const {
  Look look;
  if (!begun_) look.keys = page_;
  const auto skipped = look.keys.empty() ? std::min(begun_ ? 0 : skip, items.size()) : 0;
  for (std::size_t at = 0; at < skipped; ++at) look.keys.push_back(key_of(items[at]));
  look.before = look.keys.size();
  look.fresh.insert(look.keys.begin(), look.keys.end());
  const auto delivered = skipped == 0 ? look.fresh : std::unordered_set<std::uint64_t>();
  for (auto at = skipped; at < items.size(); ++at) {
    const auto key = key_of(items[at]);
    if (delivered.contains(key)) continue;
    const bool is_known = known_.contains(key);
    if (is_known) look.again.push_back(key);
    if (is_known || !look.fresh.insert(key).second) {
      ++look.duplicates;
      continue;
    }
    look.keys.push_back(key);
    look.left.push_back(at);
  }
  return look;
}

void KnownItems::keep(Look look) {
  known_.merge(look.fresh);
  page_ = std::move(look.keys);
  again_ = std::move(look.again);
  begun_ = true;
}

std::vector<std::uint64_t> KnownItems::delivered(std::size_t count) const {
  return {page_.begin(), page_.begin() + static_cast<std::ptrdiff_t>(std::min(count, page_.size()))};
}

}}}  // namespace noun::detail
