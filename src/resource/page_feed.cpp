#include "resource/page_feed.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "call/report.hpp"
#include "resource/page_items.hpp"
#include "resource/page_judge.hpp"

namespace noun { inline namespace v0 {
namespace {

/// A page that is being asked for.
struct Ask {
  PagePlace place;
  std::size_t number;
  CallRequest request;
  std::stop_source stop = {};
  std::optional<Arrival> arrival = {};
};
using Asks = std::vector<std::shared_ptr<Ask>>;

}  // namespace

Error out_of_memory() {
  return Error(Errc::resource, "memory ran out while a page was read", "ask for smaller ones", Sent::answered);
}

struct PageFeed::State : std::enable_shared_from_this<PageFeed::State> {
  State(ClientCore& client, PagePlace first, FeedOptions feed_options)
      : core(client), options(std::move(feed_options)), judge(core, options, first), next_place(std::move(first)) {}

  std::shared_ptr<Ask> ask_for(PagePlace place, std::size_t number);
  Arrival ask_now(const Ask& ask);
  Arrival read(const Ask& ask, Done done, const Call& call) const;
  void start(const Asks& more) noexcept;
  void start(const std::shared_ptr<Ask>& ask);
  void arrived(const std::shared_ptr<Ask>& ask, Arrival arrival) noexcept;
  void settle(std::unique_lock<std::mutex>& lock);
  void fail(std::optional<Error> why) noexcept;
  std::optional<Error> failure(const Error& failed) const;
  Error not_begun(const std::exception_ptr& why) const noexcept;
  void drop_ahead() noexcept;
  void stop_all() noexcept;
  Asks fill(bool needed) noexcept;
  bool enough_ahead() const;
  Result<std::optional<FedPage>> next_now();
  Result<std::optional<FedPage>> next_ahead();
  Result<std::optional<FedPage>> take(std::unique_lock<std::mutex>& lock);
  bool has_news() const noexcept { return !ready.empty() || error || ended; }

  ClientCore& core;
  const FeedOptions options;
  /// Made while there is memory.
  const Error exhausted = out_of_memory();
  /// Whoever settles has it for himself, without the lock.
  PageJudge judge;

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<PagePlace> next_place;  // of the first page that is not decided on
  std::deque<std::shared_ptr<Ask>> asks;
  std::list<FedPage> ready;
  std::optional<Error> error;
  std::optional<std::size_t> pages_left;
  std::optional<Duration> pace;
  std::size_t decided = 0;
  bool settling = false;
  /// A received page is being judged: it is neither in `asks` nor in `ready`.
  bool judging = false;
  bool ended = false;
  bool halted = false;  // nothing is asked for until the consumer has seen why, and wants more
  bool broken_off = false;
  /// Hands the caller's wish to stop on to what is in flight.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

/// @param number  of the page, from 1.
std::shared_ptr<Ask> PageFeed::State::ask_for(PagePlace place, std::size_t number) {
  auto request = options.request;
  auto page = judge.pager_at(place).request_for(place);
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
  if (!done) arrival.error = done.error();
  arrival.response = std::move(done).response();
  arrival.items = std::move(reader.items);
  return arrival;
}

void PageFeed::State::start(const Asks& more) noexcept {
  for (const auto& ask : more) try {
      start(ask);
    } catch (...) {
      arrived(ask, {.error = not_begun(std::current_exception())});
    }
}

Error PageFeed::State::not_begun(const std::exception_ptr& why) const noexcept try {
  std::rethrow_exception(why);
} catch (const std::bad_alloc&) {
  return exhausted;
} catch (const std::exception& exception) {
  try {
    return Error(Errc::resource,
                 fmt::format("a page could not be read ahead: {}", exception.what()), "set prefetch to 0");
  } catch (...) {
    return exhausted;
  }
} catch (...) {
  return exhausted;
}

void PageFeed::State::start(const std::shared_ptr<Ask>& ask) {
  if (options.stop.stop_requested()) ask->stop.request_stop();
  const auto began = core.surroundings.clock->now().steady;
  core.start(ask->request, ask->stop.get_token(), [self = shared_from_this(), ask, began](Done done, const Call& call) {
    Arrival arrival;
    try {
      arrival = self->read(*ask, std::move(done), call);
    } catch (...) {
      arrival.error = self->exhausted;
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

void PageFeed::State::arrived(const std::shared_ptr<Ask>& ask, Arrival arrival) noexcept {
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
    if (arrival.error) {
      try {
        fail(failure(*arrival.error));
      } catch (...) {
        fail(*arrival.error);
      }
      continue;
    }
    pace = std::min(pace.value_or(Duration::max()), arrival.took);
    std::optional<JudgedPage> judged;
    judging = true;
    lock.unlock();
    try {
      judged = judge.decide(ask->place, arrival);
    } catch (...) {
      // Nothing has been decided.
    }
    lock.lock();
    judging = false;
    if (!judged) {
      fail(exhausted);
      continue;
    }
    ++decided;
    pages_left = judged->page.front().pages_left;
    next_place = std::move(judged->next);
    ended = !next_place;
    const bool as_guessed = next_place && !asks.empty() && asks.front()->place == *next_place;
    if (!as_guessed) drop_ahead();
    ready.splice(ready.end(), judged->page);
  }
  settling = false;
}

/// Nothing is asked for behind it; without an error it is the end.
void PageFeed::State::fail(std::optional<Error> why) noexcept {
  error = std::move(why);
  ended = !error;
  halted = !ended;
  drop_ahead();
}

/// What an error means for the listing; nothing where it is the end.
std::optional<Error> PageFeed::State::failure(const Error& failed) const {
  const bool behind_another = decided > 0;
  if (behind_another && judge.pager().ends_at(failed.status())) return std::nullopt;
  const auto& expired = core.environment.dialect.paging.expired_statuses;
  const bool has_cursor = behind_another || options.resumed;
  if (!has_cursor || std::find(expired.begin(), expired.end(), failed.status()) == expired.end()) return failed;
  auto details = failed.details();
  details.code = Errc::expired_cursor;
  details.advice = "the server no longer knows this page: start the listing again";
  return Error(std::move(details));
}

/// What was asked for on a guess that did not come true.
void PageFeed::State::drop_ahead() noexcept {
  stop_all();
  asks.clear();
}

void PageFeed::State::stop_all() noexcept {
  for (const auto& ask : asks) ask->stop.request_stop();
}

bool PageFeed::State::enough_ahead() const {
  if (ready.size() + asks.size() >= options.prefetch) return true;
  return options.max_items && judge.items_given() + asks.size() * judge.largest_page() >= *options.max_items;
}

/// Which pages are to be asked for now.
/// @param needed  the consumer waits for one.
Asks PageFeed::State::fill(bool needed) noexcept {
  Asks more;
  if (settling || halted || ended || broken_off) return more;
  while (!enough_ahead() || (needed && ready.empty() && asks.empty())) try {
      auto place = asks.empty() ? next_place : decided == 0 ? std::nullopt : judge.pager().ahead(asks.size());
      if (!place) break;
      more.reserve(more.size() + 1);
      asks.push_back(ask_for(*std::move(place), decided + asks.size() + 1));
      more.push_back(asks.back());
    } catch (...) {
      if (asks.empty()) fail(exhausted);
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

PageFeed::PageFeed(ClientCore& core, PagePlace first, FeedOptions options)
    : state_(std::make_shared<State>(core, std::move(first), std::move(options))) {}

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
  return state_->ready.size() + state_->asks.size() + (state_->judging ? 1 : 0);
}

std::optional<Duration> PageFeed::pace() const {
  const std::lock_guard lock(state_->mutex);
  return state_->pace;
}

}}  // namespace noun
