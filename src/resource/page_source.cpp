#include <noun/detail/page_source.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <noun/stop.hpp>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "os/random.hpp"
#include "quota/forecast.hpp"
#include "resource/bookmark_secrets.hpp"
#include "resource/client_core.hpp"
#include "resource/listing_driver.hpp"
#include "resource/option_rules.hpp"
#include "resource/request_builder.hpp"
#include "wire/page_url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// @param pages   still to fetch.
/// @param needed  the quota's forecast for them.
/// @param pace    the time that a page takes.
ListingPlan plan_of(std::optional<std::size_t> pages, const quota::Forecast& needed, std::optional<Duration> pace,
                    Now now) {
  ListingPlan plan{.pages = pages, .windows = needed.renewals};
  if (!pages || !needed.wait || !pace) return plan;
  const auto all = std::chrono::duration<double>(*pace) * static_cast<double>(*pages);
  constexpr std::chrono::duration<double> longest = std::chrono::hours(24 * 365 * 100);
  const auto travel = std::chrono::round<Duration>(std::min<std::chrono::duration<double>>(all, longest));
  // The longer of fetching and waiting; after the last reset one more page is fetched.
  const bool waits = *needed.wait > Duration::zero() && *pages > 0;
  const Instant ready = after(after(Instant{}, *needed.wait), *pace);
  plan.estimate = std::max(travel, waits ? ready - Instant{} : Duration::zero());
  plan.finish = wall_time_of(after(now.steady, *plan.estimate), now);
  return plan;
}

/// The failure of a listing that certainly cannot end before `deadline`, or nothing.
std::optional<Failure> missed_deadline(std::size_t pages, const quota::Forecast& needed, Instant deadline, Now now) {
  if (pages == 0 || !needed.wait || *needed.wait == Duration::zero() || after(now.steady, *needed.wait) < deadline)
    return std::nullopt;
  const auto resets = *needed.renewals == 1 ? "once" : fmt::format("{} times", *needed.renewals);
  return Failure{.code = Errc::deadline_exceeded,
                 .stopped_because = StopReason::time,
                 .what = fmt::format("the listing cannot end before its deadline: {} more {} needed, and the quota "
                                     "must reset {} first, which takes {}",
                                     pages, pages == 1 ? "page is" : "pages are", resets, readable(*needed.wait)),
                 .advice = "set a later deadline, or save the bookmark and resume later"};
}

}  // namespace

struct [[gnu::visibility("hidden")]] PageSource::State {
  State(Address listing_address, ListOptions list_options)
      : address(std::move(listing_address)),
        options(std::move(list_options)),
        core(*AddressAccess::core_of(address)) {
    refused = prepare();
    if (!refused && options.resume.empty()) start();
  }
  ~State() {
    if (driver) driver->close();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::optional<Error> prepare();
  std::optional<Error> resume(const StopToken& stop);
  Error bookmark_error(wire::SealFault fault) const;
  void start() {
    request.deadline = deadline;
    driver = std::make_shared<ListingDriver>(core, request, settings, options.stop);
    started = driver.get();
  }
  /// Of each page; known after prepare().
  std::string_view body() const noexcept { return BodyAccess::text_of(request.body); }
  Method method() const noexcept { return options.body.empty() ? Method::get : core.call_context.dialect.search_method; }
  Error invalid(std::string_view what, std::string_view advice) const {
    return refusal(Errc::invalid_argument, what, advice, {.method = method(), .url = core.url_of(address)});
  }
  RawPage accept(Deliver page);
  std::optional<Error> before_next(const StopToken& stop = {});
  Result<std::optional<RawPage>> after_next(ListingStep step);
  void observe(const RawPage& raw) const;
  void report_shortage();
  /// Looks at the machine; a default value before it has started.
  template <class Look>
  auto look_at(Look look) const {
    return driver ? driver->look_at(look) : decltype(driver->look_at(look))();
  }
  /// The parameters of the listing and of the client, which a next link may repeat.
  Query query() const;
  bool has_given(const ListingMachine& machine) const { return machine.tally().pages == given; }
  quota::Forecast forecast(std::optional<std::size_t> pages, Now now) const;
  std::optional<Error> deadline_error() const;
  RequestSecrets secrets() const { return {last.sent, *core.call_context.known_secrets, request.secrets}; }
  Error report_page(const Failure& failure, std::string_view url, Sent sent = Sent::no) const;
  Error cancelled(Sent sent) const {
    return report_page({.code = Errc::cancelled,
                        .stopped_because = StopReason::cancelled,
                        .what = "cancelled by the caller while the next page was fetched"},
                       last.place.url.empty() ? core.url_of(address) : last.place.url, sent);
  }
  Event event(EventKind kind) const;
  Event notice(std::string note) const;

  Address address;
  ListOptions options;
  ClientCore& core;
  wire::Digest listing = {};
  bool began = false;
  Instant deadline = Instant::max();
  std::optional<Error> refused;
  quota::RouteKey route = 0;
  CallRequest request = {};
  ListingSettings settings = {};
  std::shared_ptr<ListingDriver> driver;
  /// The same, for other threads than the consumer's.
  std::atomic<ListingDriver*> started = nullptr;
  /// The last page delivered, which errors and events describe.
  Deliver last;
  bool shortage_reported = false;
  /// The number of the consumer's page. The observer sees a page earlier, and memory may run out in between.
  std::size_t given = 0;
};

/// Checks the options, and composes the first request. Calls no user function.
std::optional<Error> PageSource::State::prepare() {
  if (const auto& error = AddressAccess::refusal_of(address)) return *error;
  if (!address.fault().empty()) return invalid(address.fault(), "fix the address");
  const auto& paging = options.paging ? *options.paging : core.call_context.dialect.paging;
  auto built = build_page_request(core, address, options);
  if (!built) return std::move(built).error();
  request = *std::move(built);
  const auto path = std::string(wire::split_url(core.base_url).path) + address.path();
  listing = fingerprint_of_listing(path + AddressAccess::ending_of(address).value_or(""), options.query,
                                   body(), core.options.bookmark_key);
  request.route = route = quota::route_below(AddressAccess::route_of(address), to_string(method()));
  request.shown_route = shown_route(core, address.path(), AddressAccess::ids_of(address));
  if (const auto fault = fault_of_options(options, paging)) return invalid(fault->what, fault->advice);
  PagePlace first{.url = core.url_of(address)};
  append_query(first.url, options.query);
  if (options.page_size) first.range = first_range(paging.style, *options.page_size);
  if (options.page_size && !paging.size_parameter.empty())
    first.url = wire::with_parameter(first.url, paging.size_parameter, std::to_string(*options.page_size));
  if (const auto* numbers = std::get_if<paging::PageNumber>(&paging.style);
      numbers != nullptr && !options.query.contains(numbers->parameter))
    first.url = wire::with_parameter(first.url, numbers->parameter, std::to_string(numbers->first));
  if (!wire::origin_of(first.url)) return invalid("the URL is too long", "use a shorter query");
  request.secrets = secrets_in_query(first.url, *core.call_context.known_secrets);
  wire::HashSeed seed{};
  if (!fill_with_random_bytes(seed))
    return refusal(Errc::resource, "the system has no random numbers", "check the configuration of OpenSSL or of the system");
  settings = {.paging = paging,
              .limits = core.call_context.limits,
              .origins = core.origins,
              .first = std::move(first),
              .seed = seed,
              .body = std::string(body()),
              .key = options.key,
              .prefetch = options.prefetch,
              .max_items = options.max_items};
  return std::nullopt;
}

/// Takes the position from the bookmark. If secrets were left out of it, the credentials function is called.
/// @param stop  ends that, as the token of the listing does.
std::optional<Error> PageSource::State::resume(const StopToken& stop) {
  auto read = read_bookmark(options.resume, core.options.bookmark_key);
  if (const auto* fault = std::get_if<wire::SealFault>(&read)) return bookmark_error(*fault);
  auto& bookmark = std::get<Bookmark>(read);
  if (bookmark.listing != listing)
    return invalid("the bookmark belongs to another listing", "use the path, query and body that it was made with");
  std::optional<Error> without_credentials;
  auto& sent = settings.resume_sent;
  const auto secrets_to_send = [&] {
    sent = request.headers;
    StopSource either;
    const auto pass_on = [&either] { either.request_stop(); };
    const StopCallback<decltype(pass_on)&> of_listing(options.stop, pass_on);
    const StopCallback<decltype(pass_on)&> of_operation(stop, pass_on);
    auto credentials = core.credentials_for({.request = {.method = method(),
                                                         .url = core.url_of(address),
                                                         .headers = request.headers,
                                                         .body = body()},
                                             .deadline = deadline},
                                            either.get_token());
    if (!credentials)
      without_credentials = std::move(credentials).error();
    else
      for (const auto& field : *credentials) sent.set(field.name, field.value);
    return secrets_in(sent);
  };
  auto restored = restore(bookmark.place.url, query(), *core.call_context.known_secrets,
                          !core.options.bookmark_key.empty(), secrets_to_send);
  if (without_credentials)
    return refusal(Errc::credentials, without_credentials->what(), without_credentials->advice());
  auto* url = std::get_if<std::string>(&restored);
  if (url == nullptr && std::get<RestoreFault>(restored) == RestoreFault::misplaced)
    return invalid("the bookmark puts a secret into its URL, but it is unsigned and may be forged",
                   "set ClientOptions::bookmark_key, and start the listing again");
  if (url == nullptr || url->empty()) return bookmark_error(wire::SealFault::malformed);
  const bool is_ours = bookmark.paging == fingerprint_of_paging(settings.paging);
  if (!is_ours || !fits(bookmark.place, settings.paging, settings.body))
    return invalid("the bookmark does not match ClientOptions::dialect.paging",
                   "use the dialect that it was made with, or start the listing again");
  if (!may_resume_at(*url, core.base_url, core.origins, core.url_of(address)))
    return invalid("the bookmark leads neither below the client's base URL nor to a trusted origin",
                   "add its origin to ClientOptions::trusted_origins if it belongs to the API");
  bookmark.place.url = std::move(*url);
  settings.resume = std::move(bookmark);
  return std::nullopt;
}

Error PageSource::State::bookmark_error(wire::SealFault fault) const {
  switch (fault) {
    case wire::SealFault::malformed: break;
    case wire::SealFault::unauthenticated:
      return invalid("the bookmark was made without ClientOptions::bookmark_key",
                     "start the listing again, or, if you trust its source, resume it with a client without a key");
    case wire::SealFault::needs_key:
      return invalid("the bookmark was made with a key, and the client has none",
                     "set ClientOptions::bookmark_key to that key");
    case wire::SealFault::wrong_tag:
      return invalid("the bookmark was made with another ClientOptions::bookmark_key, or it was changed",
                     "use the key that it was made with, or start the listing again");
  }
  return invalid("ListOptions::resume is not a bookmark",
                 "use what Listing::bookmark() returned, with the headers of that listing");
}

/// The observer may call bookmark(), which must not count items that the consumer does not have: `given` is set last.
RawPage PageSource::State::accept(Deliver page) {
  RawPage raw{.response = page.response, .items = std::move(page.items), .number = page.number, .skip = page.skip};
  last = std::move(page);
  if (core.call_context.observed) observe(raw);
  given = last.number;
  return raw;
}

void PageSource::State::observe(const RawPage& raw) const {
  std::vector<Event> events;
  if (last.duplicates > 0)
    events.push_back(notice(fmt::format("{} items of page {} were left out: their {} was delivered before",
                                        last.duplicates, last.number, options.key)));
  if (last.changed_total)
    events.push_back(notice(fmt::format("the total changed from {} to {} while the list was read", *last.changed_total,
                                        look_at(&ListingMachine::tally).total.value_or(0))));
  if (!last.repeated) {
    auto delivered = event(EventKind::page_delivered);
    const auto reading = core.call_context.gate->reading(core.driver_context.clock->now(), route);
    delivered.status = raw.response->status;
    delivered.cache = raw.response->cache;
    delivered.quota = reading.quota;
    delivered.partition = reading.partition;
    delivered.page = raw.number;
    delivered.items = raw.items.size();
    events.push_back(std::move(delivered));
  }
  if (!events.empty()) core.driver_context.notify(events);
}

void PageSource::State::report_shortage() {
  if (!core.call_context.observed || std::exchange(shortage_reported, true)) return;
  const auto all = look_at(&ListingMachine::tally);
  const auto* why = options.query.empty() ? "some items are missing, or the total includes items that are not listed"
                                          : "the total may not take the query into account, or some items are missing";
  core.driver_context.notify({notice(
      fmt::format("{}: the server reported {} items, but {} were received", why, all.total.value_or(0), all.items))});
}

Query PageSource::State::query() const {
  auto all = options.query;
  for (const auto& field : core.options.query) all.push_back(field);
  return all;
}

quota::Forecast PageSource::State::forecast(std::optional<std::size_t> pages, Now now) const {
  if (!pages) return {};
  const auto& call_context = core.call_context;
  const auto reserve = options.priority == Priority::interactive ? 0 : call_context.quota.reserve;
  return call_context.gate->forecast(now, route, static_cast<std::int64_t>(*pages), reserve);
}

std::optional<Error> PageSource::State::deadline_error() const {
  // After the first page the count of pages may be wrong: that page may be shorter than the others.
  if (deadline == Instant::max() || last.number < 2) return std::nullopt;
  const auto now = core.driver_context.clock->now();
  const auto pages = look_at(&ListingMachine::pages_to_fetch);
  const auto missed = pages ? missed_deadline(*pages, forecast(pages, now), deadline, now) : std::nullopt;
  if (!missed) return std::nullopt;
  return report_page(*missed, look_at(&ListingMachine::next_url).value_or(last.place.url));
}

Error PageSource::State::report_page(const Failure& failure, std::string_view url, Sent sent) const {
  CallHistory history;
  history.sent = sent;
  return report(
      {.method = method(),
       .url = url,
       .secrets = secrets(),
       .fields = last.sent,
       .has_body = !options.body.empty(),
       .idempotency_key = {}},
      history, core.call_context.dialect, failure);
}

Event PageSource::State::event(EventKind kind) const {
  return {.kind = kind,
          .call = last.call,
          .method = method(),
          .url = Redaction(last.place.url, secrets()).url(),
          .at = core.driver_context.clock->now().wall};
}

Event PageSource::State::notice(std::string note) const {
  auto notice = event(EventKind::notice);
  notice.note = std::move(note);
  return notice;
}

PageSource::PageSource(Address address, ListOptions options)
    : state_(std::make_unique<State>(std::move(address), std::move(options))) {}
PageSource::PageSource(PageSource&&) noexcept = default;
PageSource& PageSource::operator=(PageSource&&) noexcept = default;
PageSource::~PageSource() = default;

Error PageSource::busy() {
  return refusal(Errc::invalid_argument, "another thread or operation uses this listing",
                 "use it on one thread at a time, and not while an op::next_page() runs");
}

void PageSource::begin() noexcept {
  auto& state = *state_;
  if (std::exchange(state.began, true)) return;
  state.deadline = state.options.deadline.from(state.core.driver_context.clock->now().steady);
  if (state.driver) state.driver->set_deadline(state.deadline);
}

/// What forbids to request the next page, or nothing.
std::optional<Error> PageSource::State::before_next(const StopToken& stop) {
  if (refused) return refused;
  if (!driver) {
    auto error = resume(stop);
    // Another error is permanent, but the credentials function may succeed the next time.
    if (error && error->code() != Errc::credentials) refused = error;
    if (error) return error;
    start();
  }
  // A page was lost when memory ran out.
  if (!look_at([&](const auto& machine) { return has_given(machine); })) return out_of_memory(Sent::answered);
  return deadline_error();
}

Result<std::optional<RawPage>> PageSource::State::after_next(ListingStep step) {
  if (auto* page = std::get_if<Deliver>(&step)) return std::optional(accept(std::move(*page)));
  if (const auto* end = std::get_if<End>(&step)) {
    if (end->is_short) report_shortage();
    return std::optional<RawPage>();
  }
  auto& why = std::get<Fail>(step).why;
  if (auto* error = std::get_if<Error>(&why)) return std::move(*error);
  const auto& refuse = std::get<Refuse>(why);
  return report_page({.code = refuse.code, .what = refuse.what, .advice = refuse.advice, .response = last.response},
                     last.place.url);
}

Result<std::optional<RawPage>> PageSource::next() try {
  if (auto error = state_->before_next()) return *std::move(error);
  return state_->after_next(state_->driver->next());
} catch (const std::bad_alloc&) {
  return out_of_memory(Sent::answered);
}

std::optional<Result<std::optional<RawPage>>> PageSource::start_next(
    const StopToken& stop, Executor executor, std::function<void(Result<std::optional<RawPage>>)> then) try {
  auto& state = *state_;
  if (stop.stop_requested()) return state.cancelled(Sent::no);
  if (auto error = state.before_next(stop))
    return stop.stop_requested() ? state.cancelled(Sent::no) : *std::move(error);
  auto step = state.driver->start_next(
      {.executor = std::move(executor),
       .arrived = [&state, then = std::move(then)](std::optional<ListingStep> arrived) {
         Result<std::optional<RawPage>> page = out_of_memory(Sent::answered);
         try {
           page = arrived ? state.after_next(*std::move(arrived)) : state.cancelled(Sent::maybe);
         } catch (...) {
         }
         then(std::move(page));
       }},
      stop);
  if (!step) return std::nullopt;
  return state.after_next(*std::move(step));
} catch (const std::bad_alloc&) {
  return out_of_memory(Sent::answered);
}

void PageSource::cancel_next() noexcept {
  if (auto* const driver = state_->started.load()) driver->cancel_next();
}
bool PageSource::asks_for_credentials() const noexcept { return !state_->driver && !state_->refused; }
const Address& PageSource::address() const noexcept { return state_->address; }

std::string PageSource::bookmark(std::size_t taken) const {
  const auto& state = *state_;
  const auto& options = state.options;
  // The position of a listing that has not started is its bookmark.
  if (!state.look_at(&ListingMachine::has_started) && (state.refused || !options.resume.empty())) return options.resume;
  auto [bookmark, headers] = state.driver->look_at([&](const auto& machine) {
    return std::pair(machine.bookmark(state.has_given(machine) ? taken : machine.skip()), machine.bookmark_headers());
  });
  bookmark.listing = state.listing;
  bookmark.place.url =
      withhold(bookmark.place.url, state.query(), secrets_in(headers), *state.core.call_context.known_secrets,
               state.core.url_of(state.address));
  return write_bookmark(bookmark, state.core.options.bookmark_key);
}

ListingTally PageSource::tally() const { return state_->look_at(&ListingMachine::tally); }

ListingPlan PageSource::plan() const {
  const auto now = state_->core.driver_context.clock->now();
  const auto pages = state_->look_at(&ListingMachine::pages_to_fetch);
  return plan_of(pages, state_->forecast(pages, now), state_->look_at(&ListingMachine::pace), now);
}

std::optional<std::size_t> PageSource::max_items() const noexcept { return state_->options.max_items; }
BadItems PageSource::bad_items() const noexcept { return state_->options.bad_items; }
const Limits& PageSource::limits() const noexcept { return state_->core.call_context.limits; }

Error PageSource::item_error(const RawPage& page, std::size_t index, DecodeFault fault) const try {
  const auto at = state_->driver->look_at([&](const auto& machine) { return machine.index_on_page(index); });
  const auto error = state_->report_page({.code = fault.code,
                                          .what = fmt::format("item {} of page {}: {}", at, page.number, fault.what),
                                          .text = fault.text,
                                          .advice = std::move(fault.advice),
                                          .response = page.response},
                                         state_->last.place.url);
  auto details = error.details();
  details.sent = Sent::answered;
  details.attempts = 1;
  return Error(std::move(details));
} catch (const std::bad_alloc&) {
  return out_of_memory(Sent::answered);
}

}}}  // namespace noun::detail
