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
  const auto& place = settings.resume->place;
  // The page size may be left out when it is resumed.
  const auto& name = settings.paging.size_parameter;
  const auto size = wire::parameter_of(place.url, name);
  const auto& first = settings.first;
  const bool same_url = place.url == (size ? wire::with_parameter(first.url, name, *size) : first.url);
  const bool is_first = same_url && place.cursor.empty() && place.range == first.range;
  if (settings.resume->guessing) return is_first ? PagerStart::guessed_first_page : PagerStart::guessed;
  return is_first ? PagerStart::first_page : PagerStart::elsewhere;
}

std::size_t bytes_of(const FetchedPage& page) noexcept {
  const auto items = text_of(page.items);
  const auto& body = page.response->body;
  const bool is_own_text = !items.empty() && (items.data() < body.data() || items.data() >= body.data() + body.size());
  return body.size() + page.items.size() * sizeof(page.items.front()) + (is_own_text ? items.size() : 0);
}

const PagePlace& begin_of(const ListingSettings& settings) {
  return settings.resume ? settings.resume->place : settings.first;
}

}  // namespace

ListingMachine::ListingMachine(ListingSettings settings)
    : settings_(std::move(settings)),
      pager_(settings_.paging, settings_.limits, begin_of(settings_), settings_.body, settings_.origins,
             start_of(settings_)),
      next_(begin_of(settings_)) {
  const bool has_keys = settings_.resume && settings_.resume->key != wire::Digest();
  if (!settings_.key.empty()) known_.emplace(settings_.key, has_keys ? settings_.resume->seed : settings_.seed);
  if (!settings_.resume) return;
  const auto& bookmark = *settings_.resume;
  sent_before_ = settings_.resume_sent;
  resumed_at_ = bookmark.taken;
  items_before_ = bookmark.before;
  tally_.total = bookmark.promised;
  // Keys of another pointer cannot be compared; the position still counts.
  if (known_ && bookmark.key == known_->digest_of_pointer()) known_->resume(bookmark.keys, bookmark.again);
}

ListingStep ListingMachine::next() {
  if (!ready_.empty()) return deliver();
  if (error_) return Fail{*std::exchange(error_, std::nullopt)};
  if (const auto* refuse = std::get_if<Refuse>(&next_)) return Fail{*refuse};
  const auto* place = std::get_if<PagePlace>(&next_);
  if (place == nullptr) return End{.is_short = tally_.total && tally_.items < *tally_.total};
  halted_ = false;
  if (fetches_.empty()) return fetch(*place, false);
  auto& first = fetches_.front();
  if (!std::exchange(first.postponed, false)) return Await{};
  first.ahead = false;
  return request(first, 0);
}

std::optional<Fetch> ListingMachine::read_ahead() {
  const auto* next = std::get_if<PagePlace>(&next_);
  if (halted_ || next == nullptr || !has_room_ahead()) return std::nullopt;
  const auto& max_items = settings_.max_items;
  if (max_items && items_decided_ + fetches_.size() * largest_page_ >= *max_items) return std::nullopt;
  if (fetches_.empty()) return fetch(*next, true);
  auto place = decided_ == 0 ? std::nullopt : pager_.ahead(fetches_.size());
  return place ? std::optional(fetch(*std::move(place), true)) : std::nullopt;
}

Fetch ListingMachine::fetch(PagePlace place, bool ahead) {
  fetches_.push_back({.id = 0, .place = std::move(place), .ahead = ahead});
  return request(fetches_.back(), fetches_.size() - 1);
}

/// @param before  the number of fetches before it.
Fetch ListingMachine::request(PendingFetch& pending, std::size_t before) {
  pending.id = ++last_id_;
  pending.reserved = share();
  Fetch fetch{.id = pending.id, .number = decided_ + before + 1, .request = pager_.request_for(pending.place)};
  if (pages_left_) {
    const auto left = static_cast<std::int64_t>(*pages_left_) - static_cast<std::int64_t>(before);
    fetch.demand = std::max<std::int64_t>(left, 1);
  }
  if (pending.ahead) fetch.largest = pending.reserved;
  return fetch;
}

std::size_t ListingMachine::PendingFetch::bytes() const noexcept {
  const auto* page = result ? std::get_if<FetchedPage>(&*result) : nullptr;
  return page != nullptr ? bytes_of(*page) : reserved;
}

/// What a page that is fetched ahead may take of the budget, which is Limits::body for all of them together.
std::size_t ListingMachine::share() const noexcept {
  const auto budget = settings_.limits.body;
  return std::min(budget, std::max(budget / std::max<std::size_t>(settings_.prefetch, 1), 2 * largest_bytes_));
}

bool ListingMachine::has_room_ahead() const noexcept {
  if (ready_.size() + fetches_.size() >= settings_.prefetch) return false;
  std::size_t taken = share();
  for (const auto& each : ready_) taken += bytes_of(each.fetched);
  for (const auto& each : fetches_) taken += each.bytes();
  return taken <= settings_.limits.body;
}

/// Drops a page fetched ahead that is larger than its share. The next one to be delivered is kept.
bool ListingMachine::postpone(PendingFetch& pending, const Fetched& result) noexcept {
  if (!pending.ahead) return false;
  const auto* page = std::get_if<FetchedPage>(&result);
  const bool is_next = ready_.empty() && &pending == &fetches_.front();
  if (page != nullptr ? is_next || bytes_of(*page) <= pending.reserved
                      : std::get<Error>(result).code() != Errc::too_large)
    return false;
  largest_bytes_ = std::max(largest_bytes_, page != nullptr ? bytes_of(*page) : pending.reserved);
  pending = {.id = 0, .place = std::move(pending.place), .postponed = true};
  return true;
}

bool ListingMachine::is_wanted(std::uint64_t id) const noexcept {
  return std::any_of(fetches_.begin(), fetches_.end(), [&](const PendingFetch& each) { return each.id == id; });
}

void ListingMachine::on_page(std::uint64_t id, FetchedPage page) {
  pace_ = std::min(pace_.value_or(Duration::max()), page.took);
  on_result(id, std::move(page));
}

/// Takes the pages that are there, in their order.
void ListingMachine::on_result(std::uint64_t id, Fetched result) {
  for (auto& each : fetches_)
    if (each.id == id && !postpone(each, result)) each.result = std::move(result);
  while (!fetches_.empty() && fetches_.front().result && !error_) {
    auto first = std::move(fetches_.front());
    fetches_.pop_front();
    if (auto* error = std::get_if<Error>(&*first.result))
      fail(first.place, std::move(*error));
    else
      decide(first.place, std::get<FetchedPage>(std::move(*first.result)));
    const auto* next = std::get_if<PagePlace>(&next_);
    const bool as_expected = next != nullptr && !fetches_.empty() && fetches_.front().place == *next;
    if (!as_expected) fetches_.clear();
  }
}

void ListingMachine::decide(const PagePlace& place, FetchedPage page) {
  const PageSeen seen{.response = *page.response,
                      .items = page.items.size(),
                      .last_item = page.items.empty() ? std::string_view() : page.items.back(),
                      .texts = page.items,
                      .fingerprint = std::hash<std::string_view>()(text_of(page.items))};
  auto decision = pager_.decide(seen, page.strategy ? &*page.strategy : nullptr);
  ++decided_;
  // Items before the bookmark do not count for max_items.
  items_decided_ += seen.items - (decided_ == 1 ? std::min(resumed_at_, seen.items) : 0);
  largest_page_ = std::max(largest_page_, seen.items);
  largest_bytes_ = std::max(largest_bytes_, bytes_of(page));
  pages_left_ = left_for_consumer(decision.pages_left, seen.items);
  next_ = std::move(decision.next);
  ready_.push_back({.place = place,
                    .fetched = std::move(page),
                    .deliver = decision.deliver,
                    .guessing = pager_.guessing(),
                    .is_last = std::holds_alternative<LastPage>(next_),
                    .total = pager_.total()});
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
  if (auto end = decided_ > 0 ? pager_.on_status(error.status()) : std::nullopt) {
    next_ = *std::move(end);
    pages_left_ = 0;
    return;
  }
  next_ = place;
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

Deliver ListingMachine::deliver() {
  auto ready = std::move(ready_.front());
  ready_.pop_front();
  Deliver page{.response = ready.fetched.response,
               .number = tally_.pages + 1,
               .place = ready.place,
               .sent = ready.fetched.sent,
               .call = ready.fetched.call,
               .repeated = !ready.deliver};
  const bool at_open_end = ready.fetched.items.empty() && ready.is_last && has_started();
  if (ready.deliver && !at_open_end) {
    move_to(ready, page);
  } else {
    position_.stays = true;
    if (has_started()) resumed_at_ = 0;
  }
  position_.guessing = ready.guessing;
  sent_before_ = std::move(ready.fetched.sent);
  ++tally_.pages;
  tally_.duplicates += page.duplicates;
  tally_.items = items_before_ + position_.all_items();
  if (ready.total) {
    const auto before = std::exchange(tally_.total, static_cast<std::size_t>(*ready.total));
    if (before && before != tally_.total && !std::exchange(tally_.changed, true)) page.changed_total = before;
  }
  if (ready.deliver) count_empty(page.items.empty());
  return page;
}

/// Until the position is exchanged, nothing has changed for a bookmark.
void ListingMachine::move_to(const ReadyPage& ready, Deliver& page) {
  const auto& received = ready.fetched.items;
  Position next{
      .place = ready.place, .sent = sent_before_, .page_size = received.size(), .resumed_at = resumed_at_};
  for (const auto& field : ready.fetched.sent) next.sent.add(field.name, field.value);
  if (known_) {
    next.keyed = known_->add(received, resumed_at_);
    for (const auto at : next.keyed->left) page.items.push_back(received[at]);
    page.duplicates = next.keyed->duplicates;
  } else {
    page.items = received;
  }
  next.items = page.items.size();
  page.skip = next.skip();
  if (std::holds_alternative<paging::LastItem>(settings_.paging.style)) {
    next.response = ready.fetched.response;
    next.given = page.items;
    next.last_item = received.empty() ? std::string_view() : received.back();
  }
  items_before_ += position_.all_items();
  resumed_at_ = 0;
  position_ = std::move(next);
}

/// Neither empty pages nor duplicates go on for ever.
void ListingMachine::count_empty(bool is_empty) {
  emptied_ = is_empty ? emptied_ + 1 : 0;
  const bool ends_here = ready_.empty() && !std::holds_alternative<PagePlace>(next_);
  if (emptied_ <= settings_.limits.empty_pages || ends_here) return;
  next_ = Refuse{Errc::refused,
                 fmt::format("{} pages in a row had no item, or only duplicates", emptied_),
                 "check ListOptions::key and ClientOptions::dialect.paging, or raise "
                 "ClientOptions::limits.empty_pages"};
  ready_.clear();
  fetches_.clear();
  error_.reset();
  pages_left_ = 0;
}

std::optional<std::size_t> ListingMachine::pages_to_fetch() const noexcept {
  if (!pages_left_) return std::nullopt;
  const auto requested =
      std::count_if(fetches_.begin(), fetches_.end(), [](const PendingFetch& each) { return !each.postponed; });
  return *pages_left_ - std::min(*pages_left_, static_cast<std::size_t>(requested));
}

std::optional<std::string> ListingMachine::next_url() const {
  const auto* place = std::get_if<PagePlace>(&next_);
  return place != nullptr ? std::optional(place->url) : std::nullopt;
}

std::size_t ListingMachine::index_on_page(std::size_t index) const noexcept {
  const auto& keyed = position_.keyed;
  return keyed && index < keyed->left.size() ? keyed->left[index] : index;
}

/// Where paging::LastItem can begin: after the item that was taken last.
std::optional<PagePlace> ListingMachine::place_after_item(std::size_t taken) const {
  const auto* style = std::get_if<paging::LastItem>(&settings_.paging.style);
  const auto& given = position_.given;
  if (style == nullptr || (taken == 0 && !given.empty())) return std::nullopt;
  const auto item = taken < given.size() ? given[taken - 1] : position_.last_item;
  auto after = item.empty() ? std::nullopt : place_after(*style, item, position_.place, settings_.body);
  auto* place = after ? std::get_if<PagePlace>(&*after) : nullptr;
  return place != nullptr ? std::optional(std::move(*place)) : std::nullopt;
}

Bookmark ListingMachine::bookmark(std::size_t taken) const {
  if (!has_started() && settings_.resume) return *settings_.resume;
  const auto& keyed = position_.keyed;
  if (position_.stays) taken = position_.items;
  const auto delivered = (keyed ? keyed->before : 0) + taken;
  Bookmark bookmark{.place = has_started() ? position_.place : settings_.first,
                    .taken = taken,
                    .paging = fingerprint_of_paging(settings_.paging),
                    .guessing = position_.guessing,
                    .before = items_before_,
                    .promised = tally_.total};
  if (auto after = place_after_item(taken)) {
    bookmark.place = *std::move(after);
    bookmark.taken = 0;
    bookmark.before += delivered;
    return bookmark;
  }
  if (!keyed) return bookmark;
  // Duplicates after the last item are left out, too.
  const bool is_all = taken >= keyed->left.size();
  bookmark.taken = is_all ? position_.page_size : taken == 0 ? position_.resumed_at : keyed->left[taken - 1] + 1;
  bookmark.seed = known_->seed();
  bookmark.key = known_->digest_of_pointer();
  bookmark.keys.assign(keyed->keys.begin(), keyed->keys.begin() + static_cast<std::ptrdiff_t>(delivered));
  bookmark.again = keyed->again;
  return bookmark;
}

}}}  // namespace noun::detail
