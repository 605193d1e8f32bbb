#include "paging/known_items.hpp"

#include <algorithm>

#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

wire::Digest KnownItems::key_of(std::string_view item) {
  const auto key = wire::json_at(item, pointer_);
  return hash_.of(key && *key != "null" ? *key : item);
}

void KnownItems::resume(std::vector<wire::Digest> delivered, const std::vector<wire::Digest>& again) {
  known_.insert(again.begin(), again.end());
  resumed_ = std::move(delivered);
}

KeyedPage KnownItems::add(const std::vector<std::string_view>& items, std::size_t skip) {
  KeyedPage page;
  const auto resumed = std::exchange(resumed_, std::nullopt);
  const auto skipped = resumed ? 0 : std::min(skip, items.size());
  if (resumed) page.keys = *resumed;
  for (std::size_t at = 0; at < skipped; ++at) page.keys.push_back(key_of(items[at]));
  page.before = page.keys.size();
  KeySet here(page.keys.begin(), page.keys.end());
  const auto delivered = resumed ? here : KeySet();
  for (auto at = skipped; at < items.size(); ++at) {
    const auto key = key_of(items[at]);
    if (delivered.contains(key)) continue;
    const bool is_known = known_.contains(key);
    if (is_known) page.again.push_back(key);
    if (is_known || !here.insert(key).second) {
      ++page.duplicates;
      continue;
    }
    page.keys.push_back(key);
    page.left.push_back(at);
  }
  known_.merge(here);
  return page;
}

}}}  // namespace noun::detail
