#include "paging/listing_position.hpp"

#include <variant>

#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {

wire::Digest KnownItems::key_of(std::string_view item) {
  const auto key = wire::json_at(item, pointer_);
  return hash_.of(key && *key != "null" ? *key : item);
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

ListingPosition::ListingPosition(const ListingSettings& settings) {
  const auto& resume = settings.resume;
  const bool has_keys = resume && resume->key != wire::Digest();
  if (!settings.key.empty()) known_.emplace(settings.key, has_keys ? resume->seed : settings.seed);
  if (!resume) return;
  sent_before_ = settings.resume_sent;
  resumed_at_ = resume->taken;
  items_before_ = resume->before;
  // Keys of another pointer cannot be compared; the position still counts.
  if (known_ && resume->key == known_->digest_of_pointer()) known_->resume(resume->keys, resume->again);
}

ListingPosition::Given ListingPosition::move_to(const PagePlace& place, const FetchedPage& page,
                                                const Paging& paging) {
  const auto& received = page.items;
  Page next{.place = place, .sent = sent_before_, .page_size = received.size(), .resumed_at = resumed_at_};
  for (const auto& field : page.sent) next.sent.add(field.name, field.value);
  Given given;
  if (known_) {
    next.keyed = known_->add(received, resumed_at_);
    for (const auto at : next.keyed->left) given.items.push_back(received[at]);
    given.duplicates = next.keyed->duplicates;
  } else {
    given.items = received;
  }
  next.items = given.items.size();
  given.skip = next.skip();
  if (std::holds_alternative<paging::LastItem>(paging.style)) {
    next.response = page.response;
    next.given = given.items;
    next.last_item = received.empty() ? std::string_view() : received.back();
  }
  items_before_ += page_.all_items();
  resumed_at_ = 0;
  page_ = std::move(next);
  return given;
}

/// Where paging::LastItem can begin: after the item that was taken last.
std::optional<PagePlace> ListingPosition::place_after_item(const ListingSettings& settings, std::size_t taken) const {
  const auto* style = std::get_if<paging::LastItem>(&settings.paging.style);
  const auto& given = page_.given;
  if (style == nullptr || (taken == 0 && !given.empty())) return std::nullopt;
  const auto item = taken < given.size() ? given[taken - 1] : page_.last_item;
  auto after = item.empty() ? std::nullopt : place_after(*style, item, page_.place, settings.body);
  auto* place = after ? std::get_if<PagePlace>(&*after) : nullptr;
  return place != nullptr ? std::optional(std::move(*place)) : std::nullopt;
}

Bookmark ListingPosition::bookmark(const ListingSettings& settings, std::size_t taken,
                                   std::optional<std::size_t> total) const {
  if (!has_started() && settings.resume) return *settings.resume;
  const auto& keyed = page_.keyed;
  if (page_.stays) taken = page_.items;
  const auto delivered = (keyed ? keyed->before : 0) + taken;
  Bookmark bookmark{.place = has_started() ? page_.place : settings.first,
                    .taken = taken,
                    .paging = fingerprint_of_paging(settings.paging),
                    .guessed_first = page_.guessed_first,
                    .before = items_before_,
                    .promised = total};
  if (auto after = place_after_item(settings, taken)) {
    bookmark.place = *std::move(after);
    bookmark.taken = 0;
    bookmark.before += delivered;
    return bookmark;
  }
  if (!keyed) return bookmark;
  // Duplicates after the last item are left out, too.
  const bool is_all = taken >= keyed->left.size();
  bookmark.taken = is_all ? page_.page_size : taken == 0 ? page_.resumed_at : keyed->left[taken - 1] + 1;
  bookmark.seed = known_->seed();
  bookmark.key = known_->digest_of_pointer();
  bookmark.keys.assign(keyed->keys.begin(), keyed->keys.begin() + static_cast<std::ptrdiff_t>(delivered));
  bookmark.again = keyed->again;
  return bookmark;
}

}}}  // namespace noun::detail
