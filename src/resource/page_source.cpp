#include <noun/page_source.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "policy/paging.hpp"
#include "resource/bookmark.hpp"
#include "resource/client_core.hpp"
#include "resource/known_items.hpp"
#include "resource/listing_estimate.hpp"
#include "resource/option_rules.hpp"
#include "resource/page_feed.hpp"
#include "resource/request_builder.hpp"

namespace noun::inline v0 {

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
    return refusal(Errc::invalid_argument,
                   fmt::format("{} {}{}: {}", to_string(method()), core.base_url, address.path(), what), advice);
  }
  Method method() const noexcept { return options.body.empty() ? Method::get : Method::post; }
  Result<std::optional<RawPage>> fetch();
  RawPage accept(FedPage fed);
  void leave_out_known(RawPage& page);
  void count(const FedPage& fed);
  void check_promise();
  BookmarkedPlace mark_of(const PagePlace& place) const;
  std::optional<BookmarkedPlace> place_behind(std::size_t taken) const;
  const PagingConvention& convention() const noexcept { return core.environment.dialect.paging; }
  QuotaForecast forecast(Now now) const;
  /// Pages that are neither here nor asked for.
  std::optional<std::size_t> pages_to_ask() const;
  std::optional<Error> missed_deadline() const;
  Error report_page(std::string_view url, const Finding& finding) const;
  void tell_page(const RawPage& page, std::string_view url);
  void tell_notice(std::string_view url, std::string note);

  Address address;
  ListOptions options;
  ClientCore& core;
  std::uint64_t listing = 0;
  std::optional<Error> refused;
  RouteKey route = 0;
  std::optional<PageFeed> feed;
  /// The fields of the last request, credentials included: what reports hide.
  Headers sent_headers;
  /// Where the page came from at which a bookmark stands, as it is and for the bookmark, and how many of its items were
  /// delivered before the page given last.
  PagePlace page_place;
  BookmarkedPlace page_mark;
  /// The page itself, where a bookmark can begin behind an item instead.
  std::optional<RawPage> kept_page;
  std::size_t page_items = 0;
  std::size_t taken_before = 0;
  std::optional<std::string> next_url;
  BookmarkedPlace next_mark;
  bool guessing = false;
  bool promise_checked = false;
  /// Why the next page is not asked for; comes after the items of the page before it.
  std::optional<Error> end_error;
  std::size_t resumed_at = 0;
  std::size_t skip = 0;
  /// Pages that are still to be asked for, if that is known.
  std::optional<std::size_t> pages_left;
  ListingTally tally;
  /// Items of the pages before the one at which a bookmark stands, those before its own bookmark included; nothing if
  /// that did not say.
  std::optional<std::size_t> items_before = 0;
  std::optional<KnownItems> known;
  /// Pages in a row of which it left nothing.
  std::size_t emptied = 0;
};

std::optional<Error> PageSource::State::prepare() {
  if (!address.fault().empty()) return invalid(address.fault(), "mend the address");
  auto request = build_page_request(core, options);
  if (!request) return std::move(request).error();
  request->route = route = route_below(address.route(), to_string(method()));
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
  next_mark = mark_of(first);
  if (auto error = resume(request->headers, first, start)) return error;
  if (!wire::origin_of(first.url)) return invalid("the URL is longer than can be sent", "ask with a shorter query");
  next_url = first.url;
  guessing = start == PagerStart::guessed;
  Pager pager(paging, core.environment.limits, first, options.body, core.origins, start);
  feed.emplace(core, std::move(pager), std::move(first),
               FeedOptions{.request = *std::move(request),
                           .prefetch = options.prefetch,
                           .max_items = options.max_items,
                           .resumed = !options.resume.empty(),
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
                   fmt::format("the credentials function failed: {}", words_of(without_credentials->message()).what),
                   "mend what it depends on");
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
  next_mark = std::move(bookmark->place);
  resumed_at = bookmark->taken;
  items_before = bookmark->before;
  tally.promised = bookmark->promised;
  if (known) known->resume(std::move(bookmark->keys));
  return std::nullopt;
}

/// Exact, whatever has become of the page.
std::optional<BookmarkedPlace> PageSource::State::place_behind(std::size_t taken) const {
  if (!kept_page || taken == 0 || taken > kept_page->items.size()) return std::nullopt;
  const auto behind = noun::place_behind(kept_page->items[taken - 1], page_place, convention(), options.body);
  return behind ? std::optional(mark_of(*behind)) : std::nullopt;
}

BookmarkedPlace PageSource::State::mark_of(const PagePlace& place) const {
  return {.page = withhold(place.url, options.query, secrets_in(sent_headers)),
          .cursor = place.cursor,
          .range = place.range};
}

Result<std::optional<RawPage>> PageSource::State::fetch() {
  if (refused) return *refused;
  if (end_error) return *end_error;
  if (auto missed = missed_deadline()) return *std::move(missed);
  auto fed = feed->next();
  if (!fed) return std::move(fed).error();
  if (!*fed) {
    next_url.reset();
    if (!std::exchange(promise_checked, true)) check_promise();
    return std::optional<RawPage>();
  }
  return std::optional(accept(**std::move(fed)));
}

RawPage PageSource::State::accept(FedPage fed) {
  sent_headers = std::move(fed.sent);
  guessing = fed.guessing;
  pages_left = fed.pages_left;
  skip = std::exchange(resumed_at, 0);
  ++tally.pages;
  auto mark = std::exchange(next_mark, BookmarkedPlace());
  next_url.reset();
  if (fed.next) {
    next_url = fed.next->url;
    next_mark = mark_of(*fed.next);
  }
  if (fed.refused) {
    const auto words = words_of(fed.refused->why);
    end_error = report_page(fed.place.url, {.code = fed.refused->code,
                                            .what = std::string(words.what),
                                            .advice = std::string(words.advice),
                                            .response = fed.response});
  }
  RawPage page{.response = fed.response, .items = std::move(fed.items), .number = tally.pages};
  if (!fed.deliver) page.items.clear();
  // A bookmark stays at the last item's page when nothing comes behind it: there items will be added.
  const bool ended = page.items.empty() && !next_url && !end_error;
  const bool stays = !fed.deliver || (ended && !page_place.url.empty());
  if (stays) {
    taken_before = page_items;
  } else {
    if (items_before && !page_place.url.empty()) *items_before += page_items;
    page_place = fed.place;
    page_mark = std::move(mark);
    taken_before = 0;
    if (known) leave_out_known(page);
    page_items = taken_before + page.items.size();
    if (convention().style == PagingStyle::last_item) kept_page = page;
  }
  count(fed);
  if (fed.deliver) tell_page(page, fed.place.url);
  return page;
}

void PageSource::State::leave_out_known(RawPage& page) {
  taken_before = known->begin_page(page.items, skip);
  skip = 0;
  const auto again = known->leave_out(page.items);
  tally.duplicates += again;
  emptied = again > 0 && page.items.empty() ? emptied + 1 : 0;
  if (emptied > core.environment.limits.empty_pages)
    end_error = report_page(
        page_place.url,
        {.code = Errc::policy,
         .what = fmt::format("{} pages in a row had only items that came before (limits.empty_pages)", emptied),
         .advice = "check ListOptions::key and dialect.paging"});
  if (again > 0)
    tell_notice(page_place.url,
                fmt::format("{} of the items of page {} came before, by their key {}, and were left out", again,
                            page.number, options.key));
}

void PageSource::State::count(const FedPage& fed) {
  tally.items = items_before.value_or(0) + page_items;
  const auto before = tally.promised;
  if (fed.promised) tally.promised = static_cast<std::size_t>(*fed.promised);
  if (!tally.changed && before && tally.promised != before) {
    tally.changed = true;
    tell_notice(fed.place.url,
                fmt::format("the service counted {} items before, and {} now: the collection changed while "
                            "it was read",
                            *before, *tally.promised));
  }
}

/// At the end.
void PageSource::State::check_promise() {
  if (!items_before || !tally.promised || tally.items >= *tally.promised) return;
  tell_notice(page_place.url,
              fmt::format("the service promised {} items, and {} came: some are missing, or it counts what this "
                          "listing does not show",
                          *tally.promised, tally.items));
}

std::optional<std::size_t> PageSource::State::pages_to_ask() const {
  if (!pages_left) return std::nullopt;
  return *pages_left - std::min(*pages_left, feed ? feed->ahead() : 0);
}

QuotaForecast PageSource::State::forecast(Now now) const {
  const auto pages = pages_to_ask();
  if (!pages) return {};
  const auto& environment = core.environment;
  const auto reserve = options.priority == Priority::interactive ? 0 : environment.quota.reserve;
  return environment.gate->forecast(now, route, static_cast<std::int64_t>(*pages), reserve);
}

/// That the listing cannot end before its deadline, as soon as that is known.
std::optional<Error> PageSource::State::missed_deadline() const {
  // One page may be shorter than the others, and the count of pages with it.
  if (!options.deadline || tally.pages < 2 || !next_url) return std::nullopt;
  const auto now = core.surroundings.clock->now();
  const auto pages = pages_to_ask();
  const auto missed = pages ? noun::missed_deadline(*pages, forecast(now), *options.deadline, now) : std::nullopt;
  return missed ? std::optional(report_page(*next_url, *missed)) : std::nullopt;
}

/// An error about the page from `url`; what it is about was not sent.
Error PageSource::State::report_page(std::string_view url, const Finding& finding) const {
  return report({.method = method(),
                 .url = url,
                 .headers = sent_headers,
                 .has_body = !options.body.empty(),
                 .idempotency_key = {}},
                Trail{}, core.environment.dialect, finding);
}

void PageSource::State::tell_page(const RawPage& page, std::string_view url) {
  if (!core.environment.observed) return;
  const auto now = core.surroundings.clock->now();
  auto said = core.environment.gate->reading(now, route);
  core.surroundings.tell({Event{.kind = EventKind::page_delivered,
                                .method = method(),
                                .url = shown_url(url, sent_headers),
                                .at = now.wall,
                                .status = page.response->status,
                                .quota = said.quota,
                                .bucket = std::move(said.bucket),
                                .page = page.number,
                                .items = page.items.size()}});
}

void PageSource::State::tell_notice(std::string_view url, std::string note) {
  if (!core.environment.observed) return;
  core.surroundings.tell({Event{.kind = EventKind::notice,
                                .method = method(),
                                .url = shown_url(url, sent_headers),
                                .at = core.surroundings.clock->now().wall,
                                .note = std::move(note)}});
}

PageSource::PageSource(Address address, ListOptions options)
    : state_(std::make_unique<State>(std::move(address), std::move(options))) {}
PageSource::PageSource(PageSource&&) noexcept = default;
PageSource& PageSource::operator=(PageSource&&) noexcept = default;
PageSource::~PageSource() = default;

Result<std::optional<RawPage>> PageSource::next() { return state_->fetch(); }

std::size_t PageSource::skip() const noexcept { return state_->skip; }

ListingPlan PageSource::plan() const {
  const auto now = state_->core.surroundings.clock->now();
  return plan_of(state_->pages_to_ask(), state_->forecast(now), state_->feed ? state_->feed->pace() : std::nullopt,
                 now);
}

std::string PageSource::bookmark(std::size_t taken) const {
  const auto& state = *state_;
  // A listing that was refused stands where it was to begin.
  if (state.refused) return state.options.resume;
  const bool nothing_yet = state.page_place.url.empty();
  const auto delivered = nothing_yet ? state.resumed_at : state.taken_before + taken;
  Bookmark bookmark{.place = nothing_yet ? state.next_mark : state.page_mark,
                    .taken = delivered,
                    .listing = state.listing,
                    .guessing = state.guessing,
                    .before = state.items_before,
                    .promised = state.tally.promised,
                    .paging = fingerprint_of_paging(state.convention())};
  if (auto behind = state.place_behind(taken)) {
    bookmark.place = *std::move(behind);
    bookmark.taken = 0;
    if (bookmark.before) *bookmark.before += delivered;
  } else if (state.known) {
    bookmark.keys = state.known->delivered(delivered);
  }
  return write_bookmark(bookmark);
}

ListingTally PageSource::tally() const { return state_->tally; }

std::optional<std::size_t> PageSource::max_items() const noexcept { return state_->options.max_items; }
BadItems PageSource::bad_items() const noexcept { return state_->options.bad_items; }
std::size_t PageSource::json_depth() const noexcept { return state_->core.environment.limits.json_depth; }

Error PageSource::item_error(const RawPage& page, std::size_t index, DecodeFault fault) const {
  auto error = state_->report_page(state_->page_place.url,
                                   {.code = fault.code,
                                    .what = fmt::format("item {} of page {}: {}", index, page.number, fault.what),
                                    .text = fault.text,
                                    .advice = std::move(fault.advice),
                                    .response = page.response});
  auto details = error.details();
  details.sent = Sent::answered;
  details.attempts = 1;
  return Error(std::move(details));
}

}  // namespace noun::inline v0
