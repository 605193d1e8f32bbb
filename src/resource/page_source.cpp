#include <noun/page_source.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "paging/paging.hpp"
#include "resource/bookmark.hpp"
#include "resource/client_core.hpp"
#include "resource/known_items.hpp"
#include "resource/listing_estimate.hpp"
#include "resource/option_rules.hpp"
#include "resource/page_feed.hpp"
#include "resource/request_builder.hpp"
#include "resource/standing.hpp"
#include "vocabulary/error_text.hpp"

namespace noun { inline namespace v0 {

struct [[gnu::visibility("hidden")]] PageSource::State {
  State(Address listing_address, ListOptions list_options)
      : address(std::move(listing_address)), options(std::move(list_options)), core(*address.core()) {
    listing = fingerprint_of_listing(std::string(wire::split_url(core.base_url).path) + address.path(), options.query,
                                     options.body);
    refused = prepare();
  }

  std::optional<Error> prepare();
  std::optional<Error> resume(const Headers& headers, PagePlace& first, PagerStart& start);
  Error invalid(std::string_view what, std::string_view advice) const {
    return refusal(Errc::invalid_argument, what, advice, {.method = method(), .url = core.base_url + address.path()});
  }
  Method method() const noexcept { return options.body.empty() ? Method::get : Method::post; }
  Result<std::optional<RawPage>> fetch();
  RawPage accept();
  std::optional<Error> refused_behind(const Standing& next) const;
  std::vector<Event> events_of(const Standing& next, const RawPage& page, std::size_t again) const;
  void check_promise();
  BookmarkedPlace mark_of(const PagePlace& place, const Headers& sent) const;
  std::optional<BookmarkedPlace> place_behind(std::size_t taken) const;
  const PagingConvention& convention() const noexcept { return core.environment.dialect.paging; }
  quota::Forecast forecast(Now now) const;
  /// Pages that are neither here nor asked for.
  std::optional<std::size_t> pages_to_ask() const;
  std::optional<Error> missed_deadline() const;
  Error report_page(std::string_view url, const Headers& sent, const Finding& finding) const;
  Event notice(std::string shown_url, std::string note) const;

  Address address;
  ListOptions options;
  ClientCore& core;
  /// Made while there is memory.
  const Error exhausted = out_of_memory();
  std::uint64_t listing = 0;
  std::optional<Error> refused;
  quota::RouteKey route = 0;
  std::optional<PageFeed> feed;
  /// A page that has come and is not taken on.
  std::optional<FedPage> held;
  Standing standing;
  std::optional<KnownItems> known;
  bool promise_checked = false;
  /// The observer is being told of a page that its consumer does not have yet.
  bool telling = false;
};

std::optional<Error> PageSource::State::prepare() {
  if (!address.fault().empty()) return invalid(address.fault(), "fix the address");
  auto request = build_page_request(core, options);
  if (!request) return std::move(request).error();
  request->route = route = quota::route_below(address.route(), to_string(method()));
  if (const auto fault = fault_of_options(options, convention())) return invalid(fault->what, fault->advice);
  PagePlace first{.url = core.base_url + address.path()};
  append_query(first.url, options.query);
  const auto& paging = convention();
  if (options.page_size) first.range = first_range(paging, *options.page_size);
  if (options.page_size && !paging.size_parameter.empty())
    first.url = wire::with_parameter(first.url, paging.size_parameter, std::to_string(*options.page_size));
  if (paging.style == PagingStyle::page_number && !options.query.contains(paging.page_parameter))
    first.url = wire::with_parameter(first.url, paging.page_parameter, std::to_string(paging.first_page));
  if (!options.key.empty()) known.emplace(options.key);
  auto start = PagerStart::first_page;
  standing.next_mark = mark_of(first, {});
  if (auto error = resume(request->headers, first, start)) return error;
  if (!wire::origin_of(first.url)) return invalid("the URL is longer than can be sent", "ask with a shorter query");
  standing.next_url = first.url;
  standing.guessing = start == PagerStart::guessed;
  feed.emplace(core, std::move(first),
               FeedOptions{.request = *std::move(request),
                           .prefetch = options.prefetch,
                           .max_items = options.max_items,
                           .start = start,
                           .resumed = !options.resume.empty(),
                           .body = options.body,
                           .stop = options.stop});
  return std::nullopt;
}

std::optional<Error> PageSource::State::resume(const Headers& headers, PagePlace& first, PagerStart& start) {
  if (options.resume.empty()) return std::nullopt;
  auto bookmark = read_bookmark(options.resume);
  if (bookmark && bookmark->listing != listing)
    return invalid("the bookmark belongs to another listing", "give the same path and query as when it was made");
  std::optional<Error> without_credentials;
  const auto secrets_to_send = [&] {
    auto sent = headers;
    auto credentials = core.credentials.fields(1);
    if (!credentials)
      without_credentials = std::move(credentials).error();
    else
      for (const auto& field : *credentials) sent.set(field.name, field.value);
    return secrets_in(sent);
  };
  auto restored = bookmark ? restore(bookmark->place.page, options.query, secrets_to_send) : std::nullopt;
  if (without_credentials)
    return refusal(Errc::credentials,
                   fmt::format("the credentials function failed: {}", what_of(*without_credentials)),
                   "fix what it depends on");
  if (!restored || restored->empty())
    return invalid("the text to resume from is not a bookmark",
                   "give what Listing::bookmark() gave, and the headers of then");
  const bool is_ours = bookmark->paging == 0 || bookmark->paging == fingerprint_of_paging(convention());
  if (!is_ours || !fits(bookmark->place, convention(), options.body))
    return invalid("the bookmark does not fit the dialect's paging",
                   "give the dialect of then, or start the listing again");
  const auto origin = wire::origin_of(*restored);
  if (!origin || std::find(core.origins.begin(), core.origins.end(), *origin) == core.origins.end())
    return invalid("the bookmark leads to another origin", "name it in trusted_origins if it belongs to the service");
  // The page size may be left out where it is resumed.
  const auto& size_name = convention().size_parameter;
  const auto size = wire::parameter_of(*restored, size_name);
  const bool same_url = *restored == (size ? wire::with_parameter(first.url, size_name, *size) : first.url);
  const bool is_first = same_url && bookmark->place.cursor.empty() && bookmark->place.range == first.range;
  start = bookmark->guessing ? PagerStart::guessed : is_first ? PagerStart::first_page : PagerStart::elsewhere;
  first = {.url = *std::move(restored), .cursor = bookmark->place.cursor, .range = bookmark->place.range};
  standing.next_mark = std::move(bookmark->place);
  standing.resumed_at = bookmark->taken;
  standing.items_before = bookmark->before.value_or(0);
  standing.counts_all = bookmark->before.has_value();
  standing.tally.promised = bookmark->promised;
  // By another key its items are not known, but where they are is. Earlier versions did not say by which.
  const bool same_key = bookmark->key == 0 || bookmark->key == fingerprint_of_key(options.key);
  if (known && same_key) known->resume(std::move(bookmark->keys), std::move(bookmark->again));
  return std::nullopt;
}

/// Exact, whatever has become of the page.
std::optional<BookmarkedPlace> PageSource::State::place_behind(std::size_t taken) const {
  const auto item = standing.last_taken(taken);
  if (item.empty()) return std::nullopt;
  const auto behind = noun::place_behind(item, standing.page_place, convention(), options.body);
  return behind ? std::optional(mark_of(*behind, standing.sent_headers)) : std::nullopt;
}

BookmarkedPlace PageSource::State::mark_of(const PagePlace& place, const Headers& sent) const {
  return {.page = withhold(place.url, options.query, secrets_in(sent), core.base_url + address.path()),
          .cursor = place.cursor,
          .range = place.range};
}

/// Where memory runs out nothing has changed, and it can be asked again.
Result<std::optional<RawPage>> PageSource::State::fetch() try {
  if (refused) return *refused;
  if (standing.end_error) return *standing.end_error;
  if (!held) {
    if (auto missed = missed_deadline()) return *std::move(missed);
    auto fed = feed->next();
    if (!fed) return std::move(fed).error();
    if (!*fed) {
      standing.next_url.reset();
      check_promise();
      return std::optional<RawPage>();
    }
    held = **std::move(fed);
  }
  return std::optional(accept());
} catch (const std::bad_alloc&) {
  return exhausted;
}

/// Takes on the page that is held: in a copy of all that it changes, which takes its place when nothing can fail any
/// more. Then the observer is told; it may ask for a bookmark, which does not count on what the consumer has of a page
/// that is not his yet.
RawPage PageSource::State::accept() {
  auto next = standing;
  std::optional<KnownItems::Look> look;
  if (known && !standing.stays_at(*held)) look = known->look(held->items, standing.resumed_at);
  auto page = next.take_on(*held, look, convention().style == PagingStyle::last_item);
  if (!next.stays) next.page_mark = standing.next_mark;
  // Before the first page a bookmark stays where it was.
  if (!next.stays || next.has_begun())
    next.next_mark = held->next ? mark_of(*held->next, next.sent_headers) : BookmarkedPlace();
  next.end_error = refused_behind(next);
  std::vector<Event> events;
  if (core.environment.observed) events = events_of(next, page, look ? look->again.size() : 0);
  standing = std::move(next);
  if (look) known->keep(*std::move(look));
  held.reset();
  telling = true;
  if (!events.empty()) core.surroundings.tell(events);
  telling = false;
  return page;
}

/// Why nothing is asked for behind the page that is held, where that is not the end.
std::optional<Error> PageSource::State::refused_behind(const Standing& next) const {
  if (held->refused)
    return report_page(held->place.url, next.sent_headers,
                       {.code = held->refused->code,
                        .what = held->refused->what,
                        .advice = held->refused->advice,
                        .response = held->response});
  if (!held->next || next.emptied <= core.environment.limits.empty_pages) return std::nullopt;
  return report_page(
      held->place.url, next.sent_headers,
      {.code = Errc::refused,
       .what = fmt::format("{} pages in a row had no item, or only some that came before (limits.empty_pages)",
                           next.emptied),
       .advice = "check ListOptions::key and dialect.paging",
       .response = held->response});
}

/// What is told of the page that is held.
std::vector<Event> PageSource::State::events_of(const Standing& next, const RawPage& page, std::size_t again) const {
  std::vector<Event> events;
  const auto url = shown_url(held->place.url, next.sent_headers);
  if (again > 0)
    events.push_back(
        notice(url, fmt::format("{} of the items of page {} came before, by their key {}, and were left out", again,
                                page.number, options.key)));
  if (next.tally.changed && !standing.tally.changed)
    events.push_back(notice(url, fmt::format("the service counted {} items before, and {} now: the collection changed "
                                             "while it was read",
                                             *standing.tally.promised, *next.tally.promised)));
  if (!held->deliver) return events;
  const auto now = core.surroundings.clock->now();
  auto said = core.environment.gate->reading(now, route);
  events.push_back({.kind = EventKind::page_delivered,
                    .method = method(),
                    .url = url,
                    .at = now.wall,
                    .status = page.response->status,
                    .quota = said.quota,
                    .partition = std::move(said.partition),
                    .page = page.number,
                    .items = page.items.size()});
  return events;
}

/// At the end.
void PageSource::State::check_promise() {
  const auto& tally = standing.tally;
  if (promise_checked || !core.environment.observed) return;
  if (standing.counts_all && tally.promised && tally.items < *tally.promised) {
    const std::vector<Event> events{
        notice(shown_url(standing.page_place.url, standing.sent_headers),
               fmt::format("the service promised {} items, and {} came: some are missing, or it counts what this "
                           "listing does not show",
                           *tally.promised, tally.items))};
    core.surroundings.tell(events);
  }
  promise_checked = true;
}

std::optional<std::size_t> PageSource::State::pages_to_ask() const {
  const auto left = standing.pages_left;
  if (!left) return std::nullopt;
  return *left - std::min(*left, feed ? feed->ahead() : 0);
}

quota::Forecast PageSource::State::forecast(Now now) const {
  const auto pages = pages_to_ask();
  if (!pages) return {};
  const auto& environment = core.environment;
  const auto reserve = options.priority == Priority::interactive ? 0 : environment.quota.reserve;
  return environment.gate->forecast(now, route, static_cast<std::int64_t>(*pages), reserve);
}

/// That the listing cannot end before its deadline, as soon as that is known.
std::optional<Error> PageSource::State::missed_deadline() const {
  // One page may be shorter than the others, and the count of pages with it.
  if (!options.deadline || standing.tally.pages < 2 || !standing.next_url) return std::nullopt;
  const auto now = core.surroundings.clock->now();
  const auto pages = pages_to_ask();
  const auto missed = pages ? noun::missed_deadline(*pages, forecast(now), *options.deadline, now) : std::nullopt;
  return missed ? std::optional(report_page(*standing.next_url, standing.sent_headers, *missed)) : std::nullopt;
}

/// An error about the page from `url`; what it is about was not sent.
Error PageSource::State::report_page(std::string_view url, const Headers& sent, const Finding& finding) const {
  return report(
      {.method = method(), .url = url, .headers = sent, .has_body = !options.body.empty(), .idempotency_key = {}},
      Trail{}, core.environment.dialect, finding);
}

Event PageSource::State::notice(std::string shown_url, std::string note) const {
  return {.kind = EventKind::notice,
          .method = method(),
          .url = std::move(shown_url),
          .at = core.surroundings.clock->now().wall,
          .note = std::move(note)};
}

PageSource::PageSource(Address address, ListOptions options)
    : state_(std::make_unique<State>(std::move(address), std::move(options))) {}
PageSource::PageSource(PageSource&&) noexcept = default;
PageSource& PageSource::operator=(PageSource&&) noexcept = default;
PageSource::~PageSource() = default;

Result<std::optional<RawPage>> PageSource::next() { return state_->fetch(); }

std::size_t PageSource::skip() const noexcept { return state_->standing.skip; }

ListingPlan PageSource::plan() const {
  const auto now = state_->core.surroundings.clock->now();
  return plan_of(state_->pages_to_ask(), state_->forecast(now), state_->feed ? state_->feed->pace() : std::nullopt,
                 now);
}

std::string PageSource::bookmark(std::size_t taken) const {
  const auto& state = *state_;
  // A listing that was refused stands where it was to begin.
  if (state.refused) return state.options.resume;
  const auto& standing = state.standing;
  if (state.telling) taken = std::min(standing.skip, standing.page_size);
  const auto delivered = standing.taken_before + taken;
  Bookmark bookmark{.place = standing.has_begun() ? standing.page_mark : standing.next_mark,
                    .taken = standing.position(taken),
                    .listing = state.listing,
                    .guessing = standing.guessing,
                    .before = standing.counts_all ? std::optional(standing.items_before) : std::nullopt,
                    .promised = standing.tally.promised,
                    .paging = fingerprint_of_paging(state.convention())};
  if (auto behind = state.place_behind(taken)) {
    bookmark.place = *std::move(behind);
    bookmark.taken = 0;
    if (bookmark.before) *bookmark.before += delivered;
  } else if (state.known) {
    // What is resumed and has not begun knows what its bookmark knew.
    bookmark.keys = state.known->delivered(standing.has_begun() ? delivered : std::numeric_limits<std::size_t>::max());
    bookmark.again = state.known->again();
    bookmark.key = fingerprint_of_key(state.options.key);
  }
  return write_bookmark(bookmark);
}

ListingTally PageSource::tally() const { return state_->standing.tally; }

std::optional<std::size_t> PageSource::max_items() const noexcept { return state_->options.max_items; }
BadItems PageSource::bad_items() const noexcept { return state_->options.bad_items; }
std::size_t PageSource::json_depth() const noexcept { return state_->core.environment.limits.json_depth; }

Error PageSource::item_error(const RawPage& page, std::size_t index, DecodeFault fault) const try {
  const auto& standing = state_->standing;
  auto error = state_->report_page(
      standing.page_place.url, standing.sent_headers,
      {.code = fault.code,
       .what = fmt::format("item {} of page {}: {}", standing.place_of(index), page.number, fault.what),
       .text = fault.text,
       .advice = std::move(fault.advice),
       .response = page.response});
  auto details = error.details();
  details.sent = Sent::answered;
  details.attempts = 1;
  return Error(std::move(details));
} catch (const std::bad_alloc&) {
  return state_->exhausted;
}

}}  // namespace noun
