#include "paging/listing_machine.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// From the first item to the last. What is around them, such as a time, does not make another page.
std::string_view text_of(const std::vector<std::string_view>& items) {
  if (items.empty()) return {};
  const auto* end = items.back().data() + items.back().size();
  return {items.front().data(), static_cast<std::size_t>(end - items.front().data())};
}

PagerStart start_of(const ListingSettings& settings) {
  if (!settings.resume) return PagerStart::first_page;
  if (settings.resume->guessing) return PagerStart::guessed;
  const auto& place = settings.resume->place;
  // The page size may be left out when it is resumed.
  const auto& name = settings.paging.size_parameter;
  const auto size = wire::parameter_of(place.url, name);
  const auto& first = settings.first;
  const bool same_url = place.url == (size ? wire::with_parameter(first.url, name, *size) : first.url);
  const bool is_first = same_url && place.cursor.empty() && place.range == first.range;
  return is_first ? PagerStart::first_page : PagerStart::elsewhere;
}

const PagePlace& begin_of(const ListingSettings& settings) {
  return settings.resume ? settings.resume->place : settings.first;
}

}  // namespace

ListingMachine::ListingMachine(ListingSettings settings)
    : settings_(std::move(settings)),
      pager_(settings_.paging, settings_.limits, begin_of(settings_), settings_.body, settings_.origins,
             start_of(settings_)),
      next_place_(begin_of(settings_)) {
  position_.guessing = pager_.guessing();
  if (!settings_.key.empty()) known_.emplace(settings_.key);
  if (!settings_.resume) return;
  const auto& bookmark = *settings_.resume;
  sent_before_ = settings_.resume_sent;
  resumed_at_ = bookmark.taken;
  items_before_ = bookmark.before.value_or(0);
  counts_all_ = bookmark.before.has_value();
  tally_.total = bookmark.promised;
  // Keys of another pointer cannot be compared; the position still counts.
  const bool same_key = bookmark.key == 0 || bookmark.key == fingerprint_of_key(settings_.key);
  if (known_ && same_key) known_->resume(bookmark.keys, bookmark.again);
}

ListingStep ListingMachine::next() {
  if (!ready_.empty()) return Deliver{deliver()};
  if (refused_) return Fail{*refused_};
  if (error_) return Fail{*std::exchange(error_, std::nullopt)};
  if (!next_place_) {
    const bool is_short = counts_all_ && tally_.total && tally_.items < *tally_.total;
    return End{is_short};
  }
  halted_ = false;
  if (!fetches_.empty()) return Await{};
  return fetch(*next_place_);
}

std::optional<Fetch> ListingMachine::read_ahead() {
  if (halted_ || refused_ || !next_place_ || ready_.size() + fetches_.size() >= settings_.prefetch) return std::nullopt;
  const auto& max_items = settings_.max_items;
  if (max_items && items_decided_ + fetches_.size() * largest_page_ >= *max_items) return std::nullopt;
  if (fetches_.empty()) return fetch(*next_place_);
  auto place = decided_ == 0 ? std::nullopt : pager_.ahead(fetches_.size());
  return place ? std::optional(fetch(*std::move(place))) : std::nullopt;
}

Fetch ListingMachine::fetch(PagePlace place) {
  Fetch fetch{.id = ++last_id_, .number = decided_ + fetches_.size() + 1, .request = pager_.request_for(place)};
  if (pages_left_) {
    const auto left = static_cast<std::int64_t>(*pages_left_) - static_cast<std::int64_t>(fetches_.size());
    fetch.demand = std::max<std::int64_t>(left, 1);
  }
  fetches_.push_back({.id = fetch.id, .place = std::move(place)});
  return fetch;
}

bool ListingMachine::is_wanted(std::uint64_t id) const noexcept {
  return std::any_of(fetches_.begin(), fetches_.end(), [&](const PendingFetch& each) { return each.id == id; });
}

void ListingMachine::on_page(std::uint64_t id, FetchedPage page) {
  for (auto& each : fetches_)
    if (each.id == id) each.result.emplace(std::move(page));
  process();
}

void ListingMachine::on_error(std::uint64_t id, Error error) {
  for (auto& each : fetches_)
    if (each.id == id) each.result.emplace(std::move(error));
  process();
}

/// Takes the pages that are there, in their order.
void ListingMachine::process() {
  while (!fetches_.empty() && fetches_.front().result && !error_ && !refused_) {
    auto first = std::move(fetches_.front());
    fetches_.pop_front();
    if (auto* error = std::get_if<Error>(&*first.result))
      fail(first.place, std::move(*error));
    else
      decide(first.place, std::get<FetchedPage>(std::move(*first.result)));
    const bool as_expected = next_place_ && !fetches_.empty() && fetches_.front().place == *next_place_;
    if (!as_expected) fetches_.clear();
  }
}

void ListingMachine::decide(const PagePlace& place, FetchedPage page) {
  const PageSeen seen{.response = *page.response,
                      .items = page.items.size(),
                      .last_item = page.items.empty() ? std::string_view() : page.items.back(),
                      .fingerprint = std::hash<std::string_view>{}(text_of(page.items))};
  auto decision = pager_.decide(seen, page.strategy ? &*page.strategy : nullptr);
  ++decided_;
  // Items before the bookmark do not count for max_items.
  items_decided_ += seen.items - (decided_ == 1 ? std::min(resumed_at_, seen.items) : 0);
  largest_page_ = std::max(largest_page_, seen.items);
  pages_left_ = left_for_consumer(decision.pages_left, seen.items);
  ReadyPage ready{.place = place,
                  .fetched = std::move(page),
                  .deliver = decision.deliver,
                  .guessing = pager_.guessing(),
                  .is_last = std::holds_alternative<LastPage>(decision.next),
                  .total = pager_.total()};
  if (auto* refuse = std::get_if<Refuse>(&decision.next)) ready.refused = std::move(*refuse);
  next_place_.reset();
  if (auto* next = std::get_if<PagePlace>(&decision.next)) next_place_ = std::move(*next);
  ready_.push_back(std::move(ready));
}

/// Pages that a consumer with max_items still needs.
std::optional<std::size_t> ListingMachine::left_for_consumer(std::optional<std::size_t> pages,
                                                             std::size_t items) const {
  if (!pages || !settings_.max_items || items == 0) return pages;
  const auto wanted = *settings_.max_items - std::min(*settings_.max_items, items_decided_);
  return std::min(*pages, wanted / items + (wanted % items == 0 ? 0 : 1));
}

void ListingMachine::fail(const PagePlace& place, Error error) {
  halted_ = true;
  if (auto meaning = decided_ > 0 ? pager_.on_status(error.status()) : std::nullopt) {
    next_place_.reset();
    pages_left_ = 0;
    if (auto* refuse = std::get_if<Refuse>(&*meaning)) refused_ = std::move(*refuse);
    return;
  }
  next_place_ = place;
  const auto& expired = settings_.paging.expired_statuses;
  const bool has_cursor = decided_ > 0 || settings_.resume;
  if (has_cursor && std::find(expired.begin(), expired.end(), error.status()) != expired.end()) {
    auto details = error.details();
    details.code = Errc::expired_cursor;
    details.what += ": the server no longer knows this page";
    details.advice = "start the listing again";
    error = Error(std::move(details));
  }
  error_ = std::move(error);
}

/// Moves the position to the first page that is ready. Until the position is exchanged, nothing has changed for a
/// bookmark.
DeliveredPage ListingMachine::deliver() {
  auto ready = std::move(ready_.front());
  ready_.pop_front();
  auto& fetched = ready.fetched;
  const bool at_open_end = fetched.items.empty() && ready.is_last && has_started();
  const bool stays = !ready.deliver || at_open_end;
  DeliveredPage page{.response = fetched.response,
                     .place = ready.place,
                     .sent = fetched.sent,
                     .call = fetched.call,
                     .repeated = !ready.deliver};
  auto tally = tally_;
  page.number = ++tally.pages;

  Position next;
  std::optional<KnownItems::Look> look;
  if (stays) {
    next = position_;
    next.stays = true;
    next.taken_before = next.items;
    next.skip = 0;
  } else {
    next.place = ready.place;
    next.sent = sent_before_;
    for (const auto& field : fetched.sent) next.sent.add(field.name, field.value);
    next.page_size = fetched.items.size();
    next.skipped = page.skip = resumed_at_;
    if (known_) {
      look = known_->look(fetched.items, resumed_at_);
      for (const auto at : look->left) page.items.push_back(fetched.items[at]);
      page.skip = 0;
      page.duplicates = look->duplicates;
      next.taken_before = look->before;
      next.left = look->left;
      tally.duplicates += look->duplicates;
    } else {
      page.items = fetched.items;
    }
    next.items = next.taken_before + page.items.size();
    next.skip = std::min(page.skip, page.items.size());
    if (std::holds_alternative<paging::LastItem>(settings_.paging.style)) {
      next.response = fetched.response;
      next.given = page.items;
      next.last_item = fetched.items.empty() ? std::string_view() : fetched.items.back();
    }
  }
  next.guessing = ready.guessing;
  if (look) known_->keep(*std::move(look));
  if (!stays) items_before_ += position_.items;
  if (!stays || has_started()) resumed_at_ = 0;
  position_ = std::move(next);
  sent_before_ = std::move(fetched.sent);

  tally.items = items_before_ + position_.items;
  if (ready.total) {
    const auto before = std::exchange(tally.total, static_cast<std::size_t>(*ready.total));
    if (before && before != tally.total && !std::exchange(tally.changed, true)) page.changed_total = before;
  }
  tally_ = tally;
  if (ready.deliver) emptied_ = page.items.empty() ? emptied_ + 1 : 0;
  if (ready.refused) refused_ = std::move(ready.refused);
  if (!refused_ && !ready.is_last && emptied_ > settings_.limits.empty_pages)
    refused_ = Refuse{Errc::refused,
                      fmt::format("{} pages in a row had no item, or only duplicates", emptied_),
                      "check ListOptions::key and ClientOptions::dialect.paging, or raise "
                      "ClientOptions::limits.empty_pages"};
  return page;
}

std::optional<std::size_t> ListingMachine::pages_to_fetch() const noexcept {
  if (!pages_left_) return std::nullopt;
  return *pages_left_ - std::min(*pages_left_, fetches_.size());
}

std::size_t ListingMachine::index_on_page(std::size_t index) const noexcept {
  const auto& left = position_.left;
  return left && index < left->size() ? (*left)[index] : index;
}

/// How many items of the page, as received, a bookmark leaves out.
std::size_t ListingMachine::taken_of_page(std::size_t taken) const noexcept {
  if (!has_started()) return resumed_at_;
  if (position_.stays) return position_.page_size;
  const auto& left = position_.left;
  if (!left) return taken;
  // Duplicates after the last item are left out, too.
  if (taken >= left->size()) return position_.page_size;
  return taken == 0 ? position_.skipped : (*left)[taken - 1] + 1;
}

/// The item that a bookmark can begin after; empty for none.
std::string_view ListingMachine::last_taken(std::size_t taken) const noexcept {
  if (!position_.response) return {};
  if (position_.stays || taken >= position_.given.size()) return position_.last_item;
  return taken == 0 ? std::string_view() : position_.given[taken - 1];
}

Bookmark ListingMachine::bookmark(std::size_t taken) const {
  const auto delivered = position_.taken_before + taken;
  Bookmark bookmark{.place = has_started() ? position_.place : begin_of(settings_),
                    .taken = taken_of_page(taken),
                    .guessing = position_.guessing,
                    .before = counts_all_ ? std::optional(items_before_) : std::nullopt,
                    .promised = tally_.total,
                    .paging = fingerprint_of_paging(settings_.paging)};
  const auto item = last_taken(taken);
  const auto* by_last_item = std::get_if<paging::LastItem>(&settings_.paging.style);
  auto after = item.empty() || by_last_item == nullptr
                   ? std::nullopt
                   : place_after(*by_last_item, item, position_.place, settings_.body);
  if (after) {
    bookmark.place = *std::move(after);
    bookmark.taken = 0;
    if (bookmark.before) *bookmark.before += delivered;
  } else if (known_) {
    // Before its first page, a resumed listing has all keys of its bookmark.
    bookmark.keys = known_->delivered(has_started() ? delivered : std::numeric_limits<std::size_t>::max());
    bookmark.again = known_->again();
    bookmark.key = fingerprint_of_key(settings_.key);
  }
  return bookmark;
}

}}}  // namespace noun::detail
