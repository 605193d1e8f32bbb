#include "resource/standing.hpp"

#include <utility>

namespace noun { inline namespace v0 {

bool Standing::stays_at(const FedPage& fed) const noexcept {
  const bool ended = fed.items.empty() && !fed.next && !fed.refused;
  return !fed.deliver || (ended && has_begun());
}

RawPage Standing::take_on(const FedPage& fed, const std::optional<KnownItems::Look>& look, bool keeps) {
  stays = stays_at(fed);
  sent_headers = fed.sent;
  guessing = fed.guessing;
  pages_left = fed.pages_left;
  next_url = fed.next ? std::optional(fed.next->url) : std::nullopt;
  skip = std::exchange(resumed_at, 0);
  RawPage page{.response = fed.response, .items = {}, .number = ++tally.pages};
  if (stays) {
    taken_before = page_items;
    if (!has_begun()) resumed_at = std::exchange(skip, 0);
  } else {
    items_before += page_items;
    page_place = fed.place;
    page_size = fed.items.size();
    began_at = skip;
    left.reset();
    taken_before = 0;
    if (look) {
      taken_before = look->before;
      tally.duplicates += look->again.size();
      skip = 0;
      for (const auto at : look->left) page.items.push_back(fed.items[at]);
      left = look->left;
    } else {
      page.items = fed.items;
    }
    page_items = taken_before + page.items.size();
    if (keeps) {
      kept_page = page;
      kept_last = fed.items.empty() ? std::string_view() : fed.items.back();
    }
  }
  if (fed.deliver) emptied = page.items.empty() ? emptied + 1 : 0;
  tally.items = items_before + page_items;
  if (fed.promised) {
    const auto before = std::exchange(tally.promised, static_cast<std::size_t>(*fed.promised));
    if (before && before != tally.promised) tally.changed = true;
  }
  return page;
}

std::size_t Standing::position(std::size_t taken) const noexcept {
  if (!has_begun()) return resumed_at;
  if (stays) return page_size;
  if (!left) return taken;
  // What was left out behind the last one came before, too.
  if (taken >= left->size()) return page_size;
  return taken == 0 ? began_at : (*left)[taken - 1] + 1;
}

std::string_view Standing::last_taken(std::size_t taken) const noexcept {
  if (!kept_page) return {};
  if (stays || taken >= kept_page->items.size()) return kept_last;
  return taken == 0 ? std::string_view() : kept_page->items[taken - 1];
}

std::size_t Standing::place_of(std::size_t index) const noexcept {
  return left && index < left->size() ? (*left)[index] : index;
}

}}  // namespace noun
