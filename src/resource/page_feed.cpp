#include "resource/page_feed.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "call/report.hpp"
#include "policy/page_count.hpp"
#include "resource/page_items.hpp"

namespace noun::inline v0 {
namespace {

/// What came of one request.
struct Arrival {
  std::optional<Error> error = {};
  std::shared_ptr<const Response> response = {};
  std::vector<std::string_view> items = {};
  Headers sent = {};
  Duration took = {};
};

/// A page that is being asked for.
struct Ask {
  PagePlace place;
  std::size_t number;
  CallRequest request;
  std::stop_source stop = {};
  std::optional<Arrival> arrival = {};
};
using Asks = std::vector<std::shared_ptr<Ask>>;

/// From the first item to the last: what is around them, as an instant or a number of the request, makes no other page.
std::string_view text_of(const std::vector<std::string_view>& items) {
  if (items.empty()) return {};
  const auto* end = items.back().data() + items.back().size();
  return {items.front().data(), static_cast<std::size_t>(end - items.front().data())};
}

Error out_of_memory() {
  return Error(Errc::resource, "memory ran out while a page was read; ask for smaller ones", Sent::answered);
}

}  // namespace

struct PageFeed::State : std::enable_shared_from_this<PageFeed::State> {
  State(ClientCore& client, Pager first_pager, PagePlace first, FeedOptions feed_options)
      : core(client), options(std::move(feed_options)), pager(std::move(first_pager)), next_place(std::move(first)) {}

  std::shared_ptr<Ask> ask_for(PagePlace place, std::size_t number) const;
  Arrival ask_now(const Ask& ask);
  Arrival read(const Ask& ask, Done done, const Call& call) const;
  void start(const Asks& more);
  void start(const std::shared_ptr<Ask>& ask);
  void arrived(const std::shared_ptr<Ask>& ask, Arrival arrival);
  void settle(std::unique_lock<std::mutex>& lock);
  FedPage judge(Ask& ask);
  void fail(std::optional<Error> why);
  std::optional<Error> failure(Error failed) const;
  void drop_ahead();
  void stop_all();
  Asks fill(bool needed);
  bool enough_ahead() const;
  Result<std::optional<FedPage>> next_now();
  Result<std::optional<FedPage>> next_ahead();
  Result<std::optional<FedPage>> take(std::unique_lock<std::mutex>& lock);
  bool has_news() const noexcept { return !ready.empty() || error || ended; }

  ClientCore& core;
  const FeedOptions options;
  /// Whoever settles has it for himself, without the lock; and so with what is counted.
  Pager pager;
  std::size_t items_given = 0;
  std::size_t largest_page = 0;

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<PagePlace> next_place;  // of the first page that is not decided on
  std::deque<std::shared_ptr<Ask>> asks;
  std::deque<FedPage> ready;
  std::optional<Error> error;
  std::optional<std::size_t> pages_left;
  std::optional<Duration> pace;
  std::size_t decided = 0;
  bool settling = false;
  bool ended = false;
  bool halted = false;  // nothing is asked for until the consumer has seen why, and wants more
  bool broken_off = false;
  /// Hands the caller's wish to stop on to what is in flight.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

/// @param number  of the page, from 1.
std::shared_ptr<Ask> PageFeed::State::ask_for(PagePlace place, std::size_t number) const {
  auto request = options.request;
  auto page = pager.request_for(place);
  const auto origin = wire::origin_of(page.url);
  if (!origin) throw std::bad_alloc();  // it has been one before
  request.origin = *origin;
  request.url = std::move(page.url);
  if (request.has_body) request.body = std::move(page.body);
  if (!page.range.empty()) request.headers.set("Range", page.range);
  const auto before_it = static_cast<std::int64_t>(number - decided - 1);
  if (pages_left) request.demand = std::max<std::int64_t>(static_cast<std::int64_t>(*pages_left) - before_it, 1);
  return std::make_shared<Ask>(Ask{.place = std::move(place), .number = number, .request = std::move(request)});
}

Arrival PageFeed::State::ask_now(const Ask& ask) {
  Arrival arrival;
  PageItems reader{.convention = core.environment.dialect.paging, .page = ask.number, .items = {}};
  auto& clock = *core.surroundings.clock;
  const auto began = clock.now().steady;
  auto done = core.run(ask.request, {&reader, &PageItems::read}, options.stop, &arrival.sent);
  arrival.took = clock.now().steady - began;
  if (!done) arrival.error = std::move(done).error();
  arrival.response = std::move(done).response();
  arrival.items = std::move(reader.items);
  return arrival;
}

void PageFeed::State::start(const Asks& more) {
  for (const auto& ask : more) try {
      start(ask);
    } catch (const std::exception& exception) {
      arrived(ask, {.error = Error(Errc::resource, fmt::format("a page could not be read ahead: {}; set prefetch to 0",
                                                               exception.what()))});
    }
}

void PageFeed::State::start(const std::shared_ptr<Ask>& ask) {
  if (options.stop.stop_requested()) ask->stop.request_stop();
  const auto began = core.surroundings.clock->now().steady;
  core.start(ask->request, ask->stop.get_token(), [self = shared_from_this(), ask, began](Done done, const Call& call) {
    Arrival arrival;
    try {
      arrival = self->read(*ask, std::move(done), call);
    } catch (...) {
      arrival.error = out_of_memory();
    }
    arrival.took = self->core.surroundings.clock->now().steady - began;
    self->arrived(ask, std::move(arrival));
  });
}

Arrival PageFeed::State::read(const Ask& ask, Done done, const Call& call) const {
  Arrival arrival{.error = std::move(done.error), .response = std::move(done.response), .sent = call.headers()};
  PageItems reader{.convention = core.environment.dialect.paging, .page = ask.number, .items = {}};
  DecodeFault fault;
  if (!arrival.error && !PageItems::read(&reader, *arrival.response, core.environment.limits.json_depth, fault))
    arrival.error = call.error_for(ClientCore::finding_of(std::move(fault), arrival.response));
  arrival.items = std::move(reader.items);
  return arrival;
}

void PageFeed::State::arrived(const std::shared_ptr<Ask>& ask, Arrival arrival) {
  std::unique_lock lock(mutex);
  if (broken_off) return;
  ask->arrival = std::move(arrival);
  settle(lock);
  const auto more = fill(false);
  changed.notify_all();
  lock.unlock();
  start(more);
}

/// Decides on the pages that have arrived, in their order. A strategy of the caller's is called without the lock.
void PageFeed::State::settle(std::unique_lock<std::mutex>& lock) {
  if (settling) return;
  settling = true;
  while (!asks.empty() && asks.front()->arrival && !error && !ended) {
    const auto ask = asks.front();
    asks.pop_front();
    auto& arrival = *ask->arrival;
    pace = std::min(pace.value_or(Duration::max()), arrival.took);
    if (arrival.error) {
      fail(failure(*std::move(arrival.error)));
      continue;
    }
    std::optional<FedPage> page;
    lock.unlock();
    try {
      page = judge(*ask);
    } catch (const std::exception&) {
    }
    lock.lock();
    if (!page) {
      fail(out_of_memory());
      continue;
    }
    ++decided;
    next_place = page->next;
    pages_left = page->pages_left;
    ended = !next_place;
    const bool as_guessed = next_place && !asks.empty() && asks.front()->place == *next_place;
    if (!as_guessed) drop_ahead();
    ready.push_back(*std::move(page));
  }
  settling = false;
}

/// Nothing is asked for behind it; without an error it is the end.
void PageFeed::State::fail(std::optional<Error> why) {
  error = std::move(why);
  ended = !error;
  halted = !ended;
  drop_ahead();
}

FedPage PageFeed::State::judge(Ask& ask) {
  auto& arrival = *ask.arrival;
  const PageSeen seen{.response = *arrival.response,
                      .items = arrival.items.size(),
                      .last_item = arrival.items.empty() ? std::string_view() : arrival.items.back(),
                      .fingerprint = std::hash<std::string_view>{}(text_of(arrival.items))};
  const auto decision = pager.decide(seen);
  items_given += seen.items;
  largest_page = std::max(largest_page, seen.items);
  FedPage page{.place = ask.place,
               .response = arrival.response,
               .items = std::move(arrival.items),
               .sent = std::move(arrival.sent),
               .deliver = decision.deliver,
               .guessing = pager.guessing(),
               .promised = pager.promised()};
  if (const auto* next = std::get_if<NextPage>(&decision.next)) page.next = next->place;
  if (const auto* refuse = std::get_if<Refuse>(&decision.next)) page.refused = *refuse;
  page.pages_left = page.next ? pages_behind(seen, ask.place.url, core.environment.dialect.paging, largest_page) : 0;
  if (page.pages_left && options.max_items && seen.items > 0) {
    const auto wanted = *options.max_items - std::min(*options.max_items, items_given);
    page.pages_left = std::min(*page.pages_left, wanted / seen.items + (wanted % seen.items == 0 ? 0 : 1));
  }
  return page;
}

/// What an error means for the listing; nothing where it is the end.
std::optional<Error> PageFeed::State::failure(Error failed) const {
  const bool behind_another = decided > 0;
  if (behind_another && pager.ends_at(failed.status())) return std::nullopt;
  const auto& expired = core.environment.dialect.paging.expired_statuses;
  const bool has_cursor = behind_another || options.resumed;
  if (!has_cursor || std::find(expired.begin(), expired.end(), failed.status()) == expired.end()) return failed;
  auto details = failed.details();
  details.code = Errc::expired_cursor;
  details.message = fmt::format("{}; the service no longer knows this page: start the listing again",
                                words_of(failed.message()).what);
  return Error(std::move(details));
}

/// What was asked for on a guess that did not come true.
void PageFeed::State::drop_ahead() {
  stop_all();
  asks.clear();
}

void PageFeed::State::stop_all() {
  for (const auto& ask : asks) ask->stop.request_stop();
}

bool PageFeed::State::enough_ahead() const {
  if (ready.size() + asks.size() >= options.prefetch) return true;
  return options.max_items && items_given + asks.size() * largest_page >= *options.max_items;
}

/// Which pages are to be asked for now.
/// @param needed  the consumer waits for one.
Asks PageFeed::State::fill(bool needed) {
  Asks more;
  if (settling || halted || ended || broken_off) return more;
  while (!enough_ahead() || (needed && ready.empty() && asks.empty())) try {
      auto place = asks.empty() ? next_place : decided == 0 ? std::nullopt : pager.ahead(asks.size());
      if (!place) break;
      more.reserve(more.size() + 1);
      asks.push_back(ask_for(*std::move(place), decided + asks.size() + 1));
      more.push_back(asks.back());
    } catch (const std::bad_alloc&) {
      if (asks.empty()) fail(out_of_memory());
      break;
    }
  return more;
}

Result<std::optional<FedPage>> PageFeed::State::take(std::unique_lock<std::mutex>& lock) {
  if (!ready.empty()) {
    auto page = std::move(ready.front());
    ready.pop_front();
    const auto more = options.prefetch == 0 ? Asks() : fill(false);
    lock.unlock();
    start(more);
    return std::optional(std::move(page));
  }
  if (error) return *std::exchange(error, std::nullopt);
  return std::optional<FedPage>();
}

/// On the caller's thread.
Result<std::optional<FedPage>> PageFeed::State::next_now() {
  std::unique_lock lock(mutex);
  if (!has_news()) {
    drop_ahead();
    const auto ask = ask_for(*next_place, decided + 1);
    asks.push_back(ask);
    lock.unlock();
    auto arrival = ask_now(*ask);
    lock.lock();
    ask->arrival = std::move(arrival);
    settle(lock);
  }
  return take(lock);
}

Result<std::optional<FedPage>> PageFeed::State::next_ahead() {
  if (!on_stop && options.stop.stop_possible())
    on_stop.emplace(options.stop, [this] {
      const std::lock_guard lock(mutex);
      stop_all();
    });
  std::unique_lock lock(mutex);
  if (!error) halted = false;
  const auto more = fill(true);
  lock.unlock();
  start(more);
  lock.lock();
  changed.wait(lock, [&] { return has_news(); });
  return take(lock);
}

PageFeed::PageFeed(ClientCore& core, Pager pager, PagePlace first, FeedOptions options)
    : state_(std::make_shared<State>(core, std::move(pager), std::move(first), std::move(options))) {}

PageFeed::~PageFeed() {
  state_->on_stop.reset();
  const std::lock_guard lock(state_->mutex);
  state_->broken_off = true;
  state_->drop_ahead();
}

Result<std::optional<FedPage>> PageFeed::next() {
  const bool ahead = state_->options.prefetch > 0 && !state_->core.on_driver_thread();
  return ahead ? state_->next_ahead() : state_->next_now();
}

std::size_t PageFeed::ahead() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ready.size() + state_->asks.size();
}

std::optional<Duration> PageFeed::pace() const {
  const std::lock_guard lock(state_->mutex);
  return state_->pace;
}

}  // namespace noun::inline v0
