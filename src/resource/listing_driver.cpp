#include "resource/listing_driver.hpp"

#include <exception>
#include <new>

#include <fmt/format.h>

#include "call/report.hpp"
#include "paging/page.hpp"
#include "decision/classify.hpp"
#include "resource/json_limits.hpp"
#include "wire/json_scan.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// A response with the text that its items were written into, which lives as long.
struct ResponseWithPairs {
  std::shared_ptr<const Response> response;
  std::string pairs = {};
};

/// Writes each member of an object as an array of its name and its value: `["a",1]`.
/// @param members  names and values in turn; become views of `pairs`.
void write_pairs(std::vector<std::string_view>& members, std::string& pairs) {
  constexpr std::size_t around = 3;  // brackets and comma
  std::size_t size = members.size() / 2 * around;
  for (const auto half : members) size += half.size();
  pairs.reserve(size);
  for (std::size_t i = 0; i < members.size(); i += 2) {
    const auto start = pairs.size();
    ((((pairs += '[') += members[i]) += ',') += members[i + 1]) += ']';
    members[i / 2] = std::string_view(pairs).substr(start);
  }
  members.resize(members.size() / 2);
}

/// Sets the items of `fetched`; returns why it cannot, or nothing.
/// @param page  its number, for the error.
std::optional<DecodeFault> read_items(FetchedPage& fetched, const Paging& paging, const Limits& limits,
                                      std::size_t page) {
  const auto& response = *fetched.response;
  if (response.status == 204 || response.status == 205) return std::nullopt;
  const auto subject = fmt::format("page {}", page);
  const auto not_finished = [&] {
    return DecodeFault{.code = Errc::no_content,
                       .what = fmt::format("{} is not there yet: the server responded {}", subject,
                                           status_text(response.status)),
                       .advice = "list again later",
                       .text = response.body};
  };
  if (response.body.empty() && response.status == accepted_status) return not_finished();
  if (response.body.empty())
    return DecodeFault{Errc::no_content, subject + " has no body",
                       "report it to the API's owner: an empty page is an empty list or status 204"};
  if (auto excess = too_many_values(subject, response.body, limits)) return excess;
  if (const auto sign = failure_in(response, paging))
    return DecodeFault{Errc::server_error,
                       fmt::format("{} has {}: the server could not give all of it", subject, *sign),
                       "go on from the bookmark later, or change ClientOptions::dialect.paging.failures"};
  const auto depth = limits.json_depth;
  auto scanned = wire::json_elements(response.body, paging.items, depth, paging.items_are_members ? '{' : '[');
  if (scanned.error && wire::json_shape(response.body).depth > depth) return too_deep(subject, limits);
  if (paging.items_are_members) {
    const auto with_pairs = std::make_shared<ResponseWithPairs>(ResponseWithPairs{fetched.response});
    write_pairs(scanned.elements, with_pairs->pairs);
    fetched.response = {with_pairs, with_pairs->response.get()};
  }
  fetched.items = std::move(scanned.elements);
  if (response.status == accepted_status && (scanned.error || scanned.absent)) return not_finished();
  if (!scanned.error && (!scanned.absent || paging.items_may_be_absent)) return std::nullopt;
  DecodeFault fault;
  fault.text = response.body;
  if (scanned.error) {
    fault.what = fmt::format("{} is not a list of items: {}", subject, scanned.error->what);
    fault.advice = "check the path, and ClientOptions::dialect.paging.items and items_are_members";
  } else {
    fault.what = fmt::format("{} has nothing at {}", subject, paging.items);
    fault.advice =
        "check ClientOptions::dialect.paging.items, or set items_may_be_absent beside it if the server omits an "
        "empty list";
  }
  return fault;
}

/// A strategy is the caller's function: it is called without a lock.
StrategyResult call_strategy(const paging::PageStrategy& strategy, const Fetch& fetch, const FetchedPage& page) {
  const auto last_item = page.items.empty() ? std::string_view() : page.items.back();
  constexpr auto advice = "fix the function in ClientOptions::dialect.paging.style";
  try {
    return strategy(fetch.request,
                    {.response = *page.response, .items = page.items.size(), .last_item = last_item});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return Error(Errc::refused, fmt::format("it threw an exception: {}", exception.what()), advice);
  } catch (...) {
    return Error(Errc::refused, "it threw an exception", advice);
  }
}

/// The error of a page because of the exception that is being handled.
/// @param what  cannot be done, as a clause.
Error error_of_exception(std::string_view what, std::string_view advice, Sent sent) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    // The error without a text of its own.
  } catch (const std::exception& exception) {
    try {
      return Error(Errc::resource, fmt::format("{}: {}", what, exception.what()), advice, sent);
    } catch (...) {
    }
  } catch (...) {
  }
  return out_of_memory(sent);
}

}  // namespace

ListingDriver::ListingDriver(ClientCore& core, const CallRequest& request, const ListingSettings& settings,
                             StopToken stop)
    : core_(core),
      paging_(settings.paging),
      request_(request),
      reads_ahead_(settings.prefetch > 0),
      stop_(std::move(stop)),
      machine_(settings) {}

void ListingDriver::listen_for_stop() {
  if (on_stop_ || !stop_.stop_possible()) return;
  on_stop_.emplace(stop_, [this] {
    const std::lock_guard lock(mutex_);
    for (auto& [id, source] : in_flight_) source.request_stop();
  });
}

ListingStep ListingDriver::next() {
  if (on_a_loop_thread()) return Fail{refusal_to_wait()};
  const bool waits = reads_ahead_;
  if (waits) listen_for_stop();
  std::unique_lock lock(mutex_);
  try {
    while (!broken_) {
      auto step = machine_.next();
      if (std::holds_alternative<Await>(step)) {
        if (waits)
          arrival_.wait(lock, [this, seen = arrivals_] { return arrivals_ != seen; });
        else
          machine_.drop_fetches(), stop_unwanted();
        continue;
      }
      const auto* fetch = std::get_if<Fetch>(&step);
      Fetches fetches;
      if (fetch != nullptr) fetches.push_back(*fetch);
      if (waits) add_read_ahead(fetches);
      lock.unlock();
      if (waits) start(fetches);
      if (fetch == nullptr) return step;
      if (!waits) {
        auto request = request_for(*fetch);
        auto call = core_.call(request);
        finish(*fetch, core_.run(call, stop_), call, false);
      }
      lock.lock();
    }
  } catch (const std::bad_alloc&) {
    if (!lock.owns_lock()) lock.lock();
    broken_ = true;
  }
  return Fail{out_of_memory(Sent::answered)};
}

std::optional<ListingStep> ListingDriver::start_next(Awaiting awaiting, const StopToken& stop) {
  listen_for_stop();
  std::unique_lock lock(mutex_);
  if (broken_) return Fail{out_of_memory(Sent::answered)};
  Fetches fetches;
  try {
    auto step = machine_.next();
    if (!std::holds_alternative<Fetch>(step) && !std::holds_alternative<Await>(step)) return step;
    if (auto* fetch = std::get_if<Fetch>(&step)) fetches.push_back(std::move(*fetch));
    add_read_ahead(fetches);
  } catch (...) {
    broken_ = true;
    return Fail{out_of_memory(Sent::answered)};
  }
  awaiting_ = std::move(awaiting);
  const auto own = ++awaited_;
  lock.unlock();
  // A request before `awaiting_` was set found nothing to cancel. One after the page arrived is too late: the next
  // operation may wait already, also for these fetches.
  if (!stop.stop_requested() || !cancel(own)) start(fetches);
  return std::nullopt;
}

/// Passes the page that a start_next() waits for on, if it is there, or fetches it.
void ListingDriver::advance() noexcept {
  std::optional<ListingStep> step;
  std::optional<Awaiting> awaiting;
  Fetches fetches;
  {
    const std::lock_guard lock(mutex_);
    if (!awaiting_ || closed_) return;
    try {
      step = broken_ ? ListingStep(Fail{out_of_memory(Sent::answered)}) : machine_.next();
      if (std::holds_alternative<Await>(*step)) return;
      if (auto* fetch = std::get_if<Fetch>(&*step)) {
        fetches.push_back(std::move(*fetch));
        add_read_ahead(fetches);
      }
    } catch (...) {
      broken_ = true;
      step = Fail{out_of_memory(Sent::answered)};
      fetches.clear();
    }
    if (fetches.empty()) awaiting = std::exchange(awaiting_, std::nullopt);
  }
  if (awaiting)
    awaiting->arrived(std::move(step));
  else
    start(fetches);
}

void ListingDriver::cancel_next() noexcept { cancel({}); }

/// @param awaited  of which start_next(); nothing: of the last.
/// @returns        whether it waited.
bool ListingDriver::cancel(std::optional<std::uint64_t> awaited) noexcept {
  std::optional<Awaiting> awaiting;
  {
    const std::lock_guard lock(mutex_);
    if (!awaiting_ || (awaited && *awaited != awaited_)) return false;
    awaiting = std::exchange(awaiting_, std::nullopt);
    machine_.drop_fetches();
    stop_unwanted();
  }
  awaiting->arrived(std::nullopt);
  return true;
}

void ListingDriver::close() {
  on_stop_.reset();
  const std::lock_guard lock(mutex_);
  closed_ = true;
  machine_.drop_fetches();
  stop_unwanted();
}

/// Adds the fetches ahead of the consumer.
void ListingDriver::add_read_ahead(Fetches& fetches) {
  while (auto fetch = machine_.read_ahead()) fetches.push_back(*std::move(fetch));
}

void ListingDriver::start(const Fetches& fetches) noexcept {
  for (const auto& fetch : fetches) {
    try {
      start(fetch);
      continue;
    } catch (...) {
      arrived(fetch.id,
              error_of_exception("a page cannot be fetched in the background", "set ListOptions::prefetch to 0", Sent::no),
              false);
    }
    advance();
  }
}

void ListingDriver::start(const Fetch& fetch) {
  // On a worker, another thread may close this listing and release its client at the same time.
  const auto core = core_.weak_from_this().lock();
  if (!core) return;
  StopSource source;
  Executor executor;
  {
    const std::lock_guard lock(mutex_);
    if (!machine_.is_wanted(fetch.id)) return;
    in_flight_.emplace_back(fetch.id, source);
    if (awaiting_) executor = awaiting_->executor;
  }
  // A stop request before this fetch was in the list has not stopped it.
  if (stop_.stop_requested()) source.request_stop();
  core_.start(request_for(fetch), {.stop = source.get_token(),
                                   .finished =
                                       [self = shared_from_this(), fetch](Done done, std::shared_ptr<CallJob> job) {
                                         self->read_elsewhere(fetch, std::move(done), std::move(job));
                                       },
                                   .run_credentials = executor,
                                   .is_awaited = true});
}

/// A page is read on a worker: it may be large, and a strategy is a function of the program.
void ListingDriver::read_elsewhere(const Fetch& fetch, Done done, std::shared_ptr<CallJob> job) noexcept try {
  const auto ended = std::make_shared<std::pair<Done, std::shared_ptr<CallJob>>>(std::move(done), std::move(job));
  core_.driver().post([self = shared_from_this(), fetch, ended] {
    self->finish(fetch, std::move(ended->first), ended->second->call(), true);
    self->advance();
  });
} catch (...) {
  arrived(fetch.id,
          error_of_exception("a page cannot be read in the background",
                             "raise the limits of the process's threads and open files, or run fewer calls at once",
                             Sent::answered),
          true);
  advance();
}

void ListingDriver::finish(const Fetch& fetch, Done done, const Call& call, bool in_background) noexcept {
  Fetched fetched = out_of_memory(Sent::answered);
  try {
    fetched = read(fetch, std::move(done), call);
  } catch (...) {
    // The error stays `resource`.
  }
  arrived(fetch.id, std::move(fetched), in_background);
}

void ListingDriver::arrived(std::uint64_t id, Fetched fetched, bool in_background) noexcept {
  Fetches more;
  {
    const std::lock_guard lock(mutex_);
    // After cancel_next() nothing more is fetched until the next page is asked for.
    if (closed_ || !machine_.is_wanted(id)) return;
    try {
      if (auto* page = std::get_if<FetchedPage>(&fetched))
        machine_.on_page(id, std::move(*page));
      else
        machine_.on_error(id, std::get<Error>(std::move(fetched)));
      stop_unwanted();
      if (in_background) add_read_ahead(more);
    } catch (...) {
      broken_ = true;
    }
    ++arrivals_;
    arrival_.notify_all();
  }
  start(more);
}

CallRequest ListingDriver::request_for(const Fetch& fetch) const {
  auto request = request_;
  if (wire::split_url(fetch.request.url).path != wire::split_url(request.url).path) request.shown_route = nullptr;
  request.url = fetch.request.url;
  core_.add_query(request.url);
  if (request.has_body) request.body = fetch.request.body;
  if (!fetch.request.range.empty()) request.headers.set("Range", fetch.request.range);
  if (fetch.demand > 0) request.demand = fetch.demand;
  if (fetch.largest) {
    auto limits = core_.call_context.limits;
    limits.body = *fetch.largest;
    request.limits = std::make_shared<const Limits>(limits);
  }
  return request;
}

ListingDriver::Fetched ListingDriver::read(const Fetch& fetch, Done done, const Call& call) {
  core_.keep(call, done);
  if (auto error = call.error_of(done)) return *std::move(error);
  FetchedPage page{.response = std::move(done.response),
                   .sent = call.headers(),
                   .call = call.history().call,
                   .took = call.history().elapsed()};
  const auto& limits = core_.call_context.limits;
  if (auto fault = read_items(page, paging_, limits, fetch.number))
    return call.error_for(ClientCore::failure_of(*std::move(fault), page.response));
  if (const auto* strategy = std::get_if<paging::PageStrategy>(&paging_.style))
    page.strategy = call_strategy(*strategy, fetch, page);
  return page;
}

/// Stops the fetches in flight whose pages are not wanted any more.
void ListingDriver::stop_unwanted() noexcept {
  std::erase_if(in_flight_, [this](auto& entry) {
    if (machine_.is_wanted(entry.first)) return false;
    entry.second.request_stop();
    return true;
  });
}

}}}  // namespace noun::detail
