#include "paging/listing_machine.hpp"

#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "paging/counts.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

PagerStart start_of(const ListingSettings& settings) {
  if (!settings.resume) return {};
  const auto& place = settings.resume->place;
  // The page size may be left out when it is resumed.
  const auto& name = settings.paging.size_parameter;
  const auto size = wire::parameter_of(place.url, name);
  const auto& first = settings.first;
  const bool same_url = place.url == (size ? wire::with_parameter(first.url, name, *size) : first.url);
  return {.is_first = same_url && place.cursor.empty() && place.range == first.range,
          .guessed_first = settings.resume->guessed_first};
}

const PagePlace& begin_of(const ListingSettings& settings) {
  return settings.resume ? settings.resume->place : settings.first;
}

}  // namespace

ListingMachine::ListingMachine(ListingSettings settings)
    : settings_(std::move(settings)),
      pager_(settings_.paging, settings_.limits, begin_of(settings_), settings_.body, settings_.origins,
             start_of(settings_)),
      fetches_(settings_.limits.body, settings_.prefetch),
      next_(begin_of(settings_)),
      position_(settings_) {
  if (settings_.resume) tally_.total = settings_.resume->promised;
}

ListingStep ListingMachine::next() {
  if (!ready_.empty()) return deliver();
  if (error_) return Fail{*std::exchange(error_, std::nullopt)};
  if (const auto* refuse = std::get_if<Refuse>(&next_)) return Fail{*refuse};
  const auto* place = std::get_if<PagePlace>(&next_);
  if (place == nullptr) return End{.is_short = tally_.total && tally_.items < *tally_.total};
  halted_ = false;
  if (fetches_.size() == 0) return fetch(*place, false);
  if (const auto* first = fetches_.resume_first()) return request(*first, 0);
  return Await{};
}

std::optional<Fetch> ListingMachine::read_ahead() {
  const auto* next = std::get_if<PagePlace>(&next_);
  if (halted_ || next == nullptr) return std::nullopt;
  std::size_t ready = 0;
  for (const auto& each : ready_) ready += each.fetched.bytes();
  if (!fetches_.has_room_ahead(ready_.size(), ready)) return std::nullopt;
  const auto& max_items = settings_.max_items;
  if (max_items && items_decided_ + fetches_.size() * largest_page_ >= *max_items) return std::nullopt;
  if (fetches_.size() == 0) return fetch(*next, true);
  auto place = decided_ == 0 ? std::nullopt : pager_.ahead(fetches_.size());
  return place ? std::optional(fetch(*std::move(place), true)) : std::nullopt;
}

Fetch ListingMachine::fetch(PagePlace place, bool ahead) {
  const auto before = fetches_.size();
  return request(fetches_.add(std::move(place), ahead), before);
}

/// @param before  the number of fetches before it.
Fetch ListingMachine::request(const PageFetches::Pending& pending, std::size_t before) const {
  Fetch fetch{.id = pending.id, .number = decided_ + before + 1, .request = pager_.request_for(pending.place)};
  if (pages_left_) {
    const auto left = static_cast<std::int64_t>(*pages_left_) - static_cast<std::int64_t>(before);
    fetch.demand = std::max<std::int64_t>(left, 1);
  }
  if (pending.ahead) fetch.largest = pending.reserved;
  return fetch;
}

/// Takes the pages that are there, in their order.
void ListingMachine::on_result(std::uint64_t id, PageFetches::Result result) {
  fetches_.on_result(id, std::move(result), ready_.empty());
  while (!error_) {
    auto first = fetches_.take_first();
    if (!first) return;
    if (auto* error = std::get_if<Error>(&*first->result))
      fail(first->place, std::move(*error));
    else
      decide(first->place, std::get<FetchedPage>(std::move(*first->result)));
    const auto* next = std::get_if<PagePlace>(&next_);
    if (next == nullptr || !fetches_.begins_at(*next)) fetches_.clear();
  }
}

void ListingMachine::decide(const PagePlace& place, FetchedPage page) {
  const PageSeen seen{.response = *page.response,
                      .items = page.items.size(),
                      .last_item = page.items.empty() ? std::string_view() : page.items.back(),
                      .texts = page.items,
                      .fingerprint = std::hash<std::string_view>()(page.text())};
  auto decision = pager_.decide(seen, page.strategy ? &*page.strategy : nullptr);
  // Items before the bookmark do not count for max_items.
  const auto before = decided_ == 0 && settings_.resume ? settings_.resume->taken : 0;
  items_decided_ += seen.items - std::min(before, seen.items);
  ++decided_;
  largest_page_ = std::max(largest_page_, seen.items);
  pages_left_ = left_for_consumer(decision.pages_left, seen.items);
  next_ = std::move(decision.next);
  ready_.push_back({.place = place,
                    .fetched = std::move(page),
                    .deliver = decision.deliver,
                    .guessed_first = pager_.guessed_first(),
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
    auto given = position_.move_to(ready.place, ready.fetched, settings_.paging);
    page.items = std::move(given.items);
    page.skip = given.skip;
    page.duplicates = given.duplicates;
  } else {
    position_.stay();
  }
  position_.passed(ready.guessed_first, std::move(ready.fetched.sent));
  ++tally_.pages;
  tally_.duplicates += page.duplicates;
  tally_.items = position_.items();
  if (ready.total) {
    const auto before = std::exchange(tally_.total, counted(*ready.total));
    if (before && before != tally_.total && !std::exchange(tally_.changed, true)) page.changed_total = before;
  }
  if (ready.deliver) count_empty(page.items.empty());
  return page;
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

}}}  // namespace noun::detail
