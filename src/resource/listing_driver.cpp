#include "resource/listing_driver.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "call/report.hpp"
#include "wire/json_scan.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// Finds the items of a page.
struct ItemReader {
  const std::string& pointer;
  bool may_be_absent;
  std::size_t page;
  std::vector<std::string_view> items = {};

  /// As Reader::read.
  static bool read(void* target, const Response& response, std::string_view /*body*/, std::size_t json_depth,
                   DecodeFault& fault) {
    return static_cast<ItemReader*>(target)->read(response, json_depth, fault);
  }

  bool read(const Response& response, std::size_t json_depth, DecodeFault& fault) {
    if (response.status == 204 || response.status == 205) return true;
    if (response.body.empty()) {
      fault = {Errc::no_content, fmt::format("page {} has no body", page),
               "report it to the API's owner: an empty page is an empty list or status 204"};
      return false;
    }
    if (nested_deeper(response.body, json_depth)) {
      fault = {Errc::too_large, fmt::format("page {} is nested deeper than {} levels", page, json_depth),
               "raise ClientOptions::limits.json_depth if you trust the server"};
      return false;
    }
    auto scanned = wire::json_elements(response.body, pointer);
    items = std::move(scanned.elements);
    if (!scanned.error && (!scanned.absent || may_be_absent)) return true;
    fault.text = response.body;
    if (scanned.error) {
      fault.what = fmt::format("page {} is not a list of items: {}", page, scanned.error->what);
      fault.advice = "check the path and ClientOptions::dialect.paging.items";
    } else {
      fault.what = fmt::format("page {} has nothing at {}", page, pointer);
      fault.advice =
          "check ClientOptions::dialect.paging.items, or set items_may_be_absent beside it if the server omits an "
          "empty list";
    }
    return false;
  }
};

}  // namespace

Error out_of_memory() {
  return Error(Errc::resource, "out of memory while reading a page",
               "resume from the bookmark with a smaller ListOptions::page_size", Sent::answered);
}

ListingDriver::ListingDriver(ClientCore& core, CallRequest request, ListingSettings settings, std::stop_token stop)
    : core_(core),
      request_(std::move(request)),
      style_(settings.paging.style),
      items_pointer_(settings.paging.items),
      may_be_absent_(settings.paging.items_may_be_absent),
      reads_ahead_(settings.prefetch > 0),
      stop_(std::move(stop)),
      machine_(std::move(settings)) {}

ListingStep ListingDriver::next() {
  const bool waits = reads_ahead_ && !core_.on_driver_thread();
  if (waits && !on_stop_ && stop_.stop_possible())
    on_stop_.emplace(stop_, [this] {
      const std::lock_guard lock(mutex_);
      for (auto& [id, source] : in_flight_) source.request_stop();
    });
  std::unique_lock lock(mutex_);
  try {
    while (!broken_) {
      auto step = machine_.next();
      if (const auto* fetch = std::get_if<Fetch>(&step)) {
        Fetches fetches{*fetch};
        if (waits) fetches = ahead_of_consumer();
        if (waits) fetches.insert(fetches.begin(), *fetch);
        lock.unlock();
        if (waits)
          start(fetches);
        else
          arrived(fetch->id, fetch_now(*fetch), std::nullopt);
        lock.lock();
      } else if (std::holds_alternative<Await>(step)) {
        if (waits)
          arrival_.wait(lock, [this, seen = arrivals_] { return arrivals_ != seen; });
        else
          machine_.drop_fetches(), stop_unwanted();
      } else {
        const auto fetches = waits ? ahead_of_consumer() : Fetches();
        lock.unlock();
        start(fetches);
        return step;
      }
    }
  } catch (const std::bad_alloc&) {
    if (!lock.owns_lock()) lock.lock();
    broken_ = true;
  }
  return Fail{exhausted_};
}

void ListingDriver::close() {
  on_stop_.reset();
  const std::lock_guard lock(mutex_);
  closed_ = true;
  machine_.drop_fetches();
  stop_unwanted();
}

std::optional<Duration> ListingDriver::pace() const {
  const std::lock_guard lock(mutex_);
  return pace_;
}

CallRequest ListingDriver::request_for(const Fetch& fetch) const {
  auto request = request_;
  request.origin = wire::origin_of(fetch.request.url).value();
  request.url = fetch.request.url;
  core_.add_query(request.url);
  if (request.has_body) request.body = fetch.request.body;
  if (!fetch.request.range.empty()) request.headers.set("Range", fetch.request.range);
  if (fetch.demand > 0) request.demand = fetch.demand;
  return request;
}

ListingDriver::Fetched ListingDriver::fetch_now(const Fetch& fetch) {
  ItemReader reader{.pointer = items_pointer_, .may_be_absent = may_be_absent_, .page = fetch.number};
  auto& clock = *core_.driver_context.clock;
  const auto began = clock.now().steady;
  FetchedPage page;
  auto done = core_.run(request_for(fetch), {.target = &reader, .read = &ItemReader::read, .is_member = false}, stop_,
                        &page.sent, &page.call);
  const auto took = clock.now().steady - began;
  if (!done) return std::move(done).error();
  {
    const std::lock_guard lock(mutex_);
    pace_ = std::min(pace_.value_or(Duration::max()), took);
  }
  page.response = std::move(done).response();
  page.items = std::move(reader.items);
  return with_strategy(fetch, std::move(page));
}

ListingDriver::Fetched ListingDriver::read(const Fetch& fetch, Done done, const Call& call) const {
  if (done.error) return *std::move(done.error);
  ItemReader reader{.pointer = items_pointer_, .may_be_absent = may_be_absent_, .page = fetch.number};
  DecodeFault fault;
  if (!reader.read(*done.response, core_.call_context.limits.json_depth, fault))
    return call.error_for(ClientCore::failure_of(std::move(fault), done.response));
  return with_strategy(fetch, {.response = std::move(done.response),
                               .items = std::move(reader.items),
                               .sent = call.headers(),
                               .call = call.history().call});
}

/// A strategy is the caller's function: it is called without a lock.
FetchedPage ListingDriver::with_strategy(const Fetch& fetch, FetchedPage page) const {
  const auto* strategy = std::get_if<paging::PageStrategy>(&style_);
  if (strategy == nullptr) return page;
  const paging::PageResponse response{.response = *page.response,
                                      .items = page.items.size(),
                                      .last_item = page.items.empty() ? std::string_view() : page.items.back()};
  constexpr auto advice = "fix the function in ClientOptions::dialect.paging.style";
  try {
    page.strategy = (*strategy)(fetch.request, response);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    page.strategy = Error(Errc::refused, fmt::format("it threw an exception: {}", exception.what()), advice);
  } catch (...) {
    page.strategy = Error(Errc::refused, "it threw an exception", advice);
  }
  return page;
}

/// The fetches ahead of the consumer.
ListingDriver::Fetches ListingDriver::ahead_of_consumer() {
  Fetches fetches;
  if (closed_) return fetches;
  while (auto fetch = machine_.read_ahead()) fetches.push_back(*std::move(fetch));
  return fetches;
}

void ListingDriver::start(const Fetches& fetches) noexcept {
  for (const auto& fetch : fetches) try {
      start(fetch);
    } catch (const std::bad_alloc&) {
      arrived(fetch.id, exhausted_, std::nullopt);
    } catch (const std::exception& exception) {
      arrived(fetch.id,
              Error(Errc::resource, fmt::format("a page cannot be prefetched: {}", exception.what()),
                    "set ListOptions::prefetch to 0"),
              std::nullopt);
    } catch (...) {
      arrived(fetch.id, exhausted_, std::nullopt);
    }
}

void ListingDriver::start(const Fetch& fetch) {
  std::stop_source source;
  {
    const std::lock_guard lock(mutex_);
    if (!machine_.is_wanted(fetch.id)) return;
    in_flight_.emplace_back(fetch.id, source);
  }
  // A stop request before this fetch was in the list has not stopped it.
  if (stop_.stop_requested()) source.request_stop();
  const auto began = core_.driver_context.clock->now().steady;
  core_.start(request_for(fetch), source.get_token(),
              [self = shared_from_this(), fetch, began](Done done, const Call& call) {
                Fetched fetched = self->exhausted_;
                try {
                  fetched = self->read(fetch, std::move(done), call);
                } catch (...) {
                  // The error stays `resource`.
                }
                self->arrived(fetch.id, std::move(fetched), self->core_.driver_context.clock->now().steady - began);
              });
}

void ListingDriver::arrived(std::uint64_t id, Fetched fetched, std::optional<Duration> took) noexcept {
  Fetches more;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (took && std::holds_alternative<FetchedPage>(fetched)) pace_ = std::min(pace_.value_or(Duration::max()), *took);
    try {
      record(id, std::move(fetched));
      if (reads_ahead_ && took) more = ahead_of_consumer();
    } catch (...) {
      broken_ = true;
    }
    ++arrivals_;
    arrival_.notify_all();
  }
  start(more);
}

void ListingDriver::record(std::uint64_t id, Fetched fetched) {
  if (auto* page = std::get_if<FetchedPage>(&fetched))
    machine_.on_page(id, std::move(*page));
  else
    machine_.on_error(id, std::get<Error>(std::move(fetched)));
  stop_unwanted();
}

void ListingDriver::stop_unwanted() noexcept {
  std::erase_if(in_flight_, [this](auto& entry) {
    if (machine_.is_wanted(entry.first)) return false;
    entry.second.request_stop();
    return true;
  });
}

}}}  // namespace noun::detail
