#include <noun/listing.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "policy/page_count.hpp"
#include "policy/paging.hpp"
#include "resource/bookmark.hpp"
#include "resource/client_core.hpp"
#include "resource/request_builder.hpp"
#include "wire/json_scan.hpp"

namespace noun::inline v0 {

struct [[gnu::visibility("hidden")]] PageSource::State {
  State(Address listing_address, ListOptions list_options)
      : address(std::move(listing_address)), options(std::move(list_options)), core(*address.core()) {
    listing = fingerprint_of_listing(std::string(wire::split_url(core.base_url).path) + address.path(), options.query);
    refused = prepare();
  }

  std::optional<Error> prepare();
  std::optional<Error> resume(std::string& first_url, PagerStart& start);
  Error invalid(std::string_view what, std::string_view advice) const {
    return refusal(Errc::invalid_argument, fmt::format("GET {}{}: {}", core.base_url, address.path(), what), advice);
  }
  Result<std::optional<RawPage>> fetch();
  Result<std::optional<RawPage>> accept(std::shared_ptr<const Response> response, std::vector<std::string_view> items);
  std::string mark_of(std::string_view url) const { return withhold(url, options.query, secrets_in(sent_headers)); }
  void count_what_is_left(const PageSeen& page, std::string_view url);
  QuotaForecast forecast(Now now) const;
  std::optional<Error> missed_deadline() const;
  Error failure(Error error) const;
  Error report_page(std::string_view url, const Finding& finding) const;
  void tell_page(const RawPage& page);

  Address address;
  ListOptions options;
  ClientCore& core;
  std::uint64_t listing = 0;
  std::optional<Error> refused;
  CallRequest request;
  /// The fields of the last request, credentials included: what reports hide.
  Headers sent_headers;
  std::optional<Pager> pager;
  /// Where the page came from at which a bookmark stands, as it is and for the bookmark, and how many of its items were
  /// delivered before the page given last.
  std::string page_url;
  std::string page_mark;
  std::size_t page_items = 0;
  std::size_t taken_before = 0;
  std::optional<std::string> next_url;
  std::string next_mark;
  /// Why the next page is not asked for; comes after the items of the page before it.
  std::optional<Error> end_error;
  std::size_t resumed_at = 0;
  std::size_t skip = 0;
  std::size_t pages = 0;
  std::size_t items_given = 0;
  std::size_t largest_page = 0;
  /// Pages that are still to be asked for, if that is known; and how long the fastest one took.
  std::optional<std::size_t> pages_left;
  std::optional<Duration> pace;
};

std::optional<Error> PageSource::State::prepare() {
  if (!address.fault().empty()) return invalid(address.fault(), "mend the address");
  auto built = build_page_request(core, options);
  if (!built) return std::move(built).error();
  request = *std::move(built);
  request.route = route_below(address.route(), to_string(Method::get));
  const auto& paging = core.environment.dialect.paging;
  auto first_url = core.base_url + address.path();
  append_query(first_url, options.query);
  if (options.page_size) {
    // What slipped in as -1 is beyond it.
    constexpr std::size_t largest = 1'000'000'000;
    if (*options.page_size == 0 || *options.page_size > largest)
      return invalid("page_size is not in 1 to 1,000,000,000", "set it within its range");
    if (paging.size_parameter.empty()) return invalid("the dialect has no size parameter", "leave page_size out");
    if (options.query.contains(paging.size_parameter))
      return invalid(fmt::format("page_size and the query parameter {} are both given", paging.size_parameter),
                     "leave one of them out");
    first_url = with_parameter(first_url, paging.size_parameter, std::to_string(*options.page_size));
  }
  if (paging.style == PagingStyle::page_number && !options.query.contains(paging.page_parameter))
    first_url = with_parameter(first_url, paging.page_parameter, std::to_string(paging.first_page));
  if (options.max_items && *options.max_items > std::numeric_limits<std::size_t>::max() / 2)
    return invalid("max_items is negative", "set it within its range");
  auto start = PagerStart::first_page;
  next_mark = mark_of(first_url);
  if (auto error = resume(first_url, start)) return error;
  if (!wire::origin_of(first_url)) return invalid("the URL is longer than can be sent", "ask with a shorter query");
  next_url = first_url;
  pager.emplace(paging, core.environment.limits, std::move(first_url), core.origins, start);
  return std::nullopt;
}

std::optional<Error> PageSource::State::resume(std::string& first_url, PagerStart& start) {
  if (options.resume.empty()) return std::nullopt;
  auto bookmark = read_bookmark(options.resume);
  if (bookmark && bookmark->listing != listing)
    return invalid("the bookmark belongs to another listing", "give the same path and query as when it was made");
  std::optional<Error> without_credentials;
  const auto secrets_to_send = [&] {
    auto headers = request.headers;
    auto credentials = core.credentials.fields(1);
    if (!credentials)
      without_credentials = std::move(credentials).error();
    else
      for (const auto& field : *credentials) headers.set(field.name, field.value);
    return secrets_in(headers);
  };
  auto restored = bookmark ? restore(bookmark->page, options.query, secrets_to_send) : std::nullopt;
  if (without_credentials)
    return refusal(Errc::credentials,
                   fmt::format("the credentials function failed: {}", words_of(without_credentials->message()).what),
                   "mend what it depends on");
  if (!restored || restored->empty())
    return invalid("the text to resume from is not a bookmark", "give what Listing::bookmark() gave, and the headers of then");
  const auto origin = wire::origin_of(*restored);
  if (!origin || std::find(core.origins.begin(), core.origins.end(), *origin) == core.origins.end())
    return invalid("the bookmark leads to another origin", "name it in trusted_origins if it belongs to the service");
  // The page size may be left out where it is resumed.
  const auto& size_name = core.environment.dialect.paging.size_parameter;
  const auto size = parameter_of(*restored, size_name);
  const bool is_first = *restored == (size ? with_parameter(first_url, size_name, *size) : first_url);
  start = bookmark->guessing ? PagerStart::guessed : is_first ? PagerStart::first_page : PagerStart::elsewhere;
  first_url = *std::move(restored);
  next_mark = std::move(bookmark->page);
  resumed_at = bookmark->taken;
  return std::nullopt;
}

namespace {

std::string times(std::size_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

/// Finds the items of a page in its body.
struct ItemReader {
  const PagingConvention& convention;
  std::size_t page;
  std::vector<std::string_view> items;

  static bool read(void* target, const Response& answer, std::size_t json_depth, DecodeFault& fault) {
    auto& self = *static_cast<ItemReader*>(target);
    if (answer.status == 204 || answer.status == 205) return true;
    if (answer.body.empty()) {
      fault = {Errc::no_content, fmt::format("page {} came without a body", self.page),
               "a page without items is an empty list, or the status 204: tell the service's owner"};
      return false;
    }
    if (nested_deeper(answer.body, json_depth)) {
      fault = {Errc::too_large, fmt::format("page {} is nested deeper than limits.json_depth ({})", self.page, json_depth),
               "raise it if the service is trusted"};
      return false;
    }
    const auto& pointer = self.convention.items_pointer;
    auto scanned = wire::json_elements(answer.body, pointer);
    self.items = std::move(scanned.elements);
    if (!scanned.error && scanned.absent && !self.convention.items_may_be_absent) {
      fault.what = fmt::format("page {} has nothing at {}", self.page, pointer);
      fault.text = answer.body;
      fault.advice = "check dialect.paging.items_pointer, or set items_may_be_absent if the service leaves out what is empty";
      return false;
    }
    if (!scanned.error) return true;
    fault.what = fmt::format("page {} is not a list of items: {}", self.page, scanned.error->what);
    fault.text = answer.body;
    fault.advice = "check the path, and where the dialect says that the items are";
    return false;
  }
};

}  // namespace

Result<std::optional<RawPage>> PageSource::State::fetch() {
  if (refused) return *refused;
  if (end_error) return *end_error;
  if (!next_url) return std::optional<RawPage>();
  if (auto missed = missed_deadline()) return *std::move(missed);
  request.url = *next_url;
  request.origin = *wire::origin_of(*next_url);
  ItemReader reader{.convention = core.environment.dialect.paging, .page = pages + 1, .items = {}};
  request.demand = pages_left ? std::optional(static_cast<std::int64_t>(*pages_left)) : std::nullopt;
  auto& clock = *core.surroundings.clock;
  const auto began = clock.now().steady;
  auto done = core.run(request, {&reader, &ItemReader::read}, options.stop, &sent_headers);
  pace = std::min(pace.value_or(Duration::max()), clock.now().steady - began);
  if (done) return accept(std::move(done).response(), std::move(reader.items));
  if (done.error().code() == Errc::not_found && pager->counting() && pages > 0) {
    next_url.reset();
    return std::optional<RawPage>();
  }
  return failure(std::move(done).error());
}

/// 410 for a page behind the first says that its cursor ran out.
Error PageSource::State::failure(Error error) const {
  constexpr int gone = 410;
  if (error.status() != gone || (pages == 0 && options.resume.empty())) return error;
  auto expired = error.details();
  expired.code = Errc::expired_cursor;
  expired.message = fmt::format("{}; the service no longer knows this page: start the listing again",
                                words_of(error.message()).what);
  return Error(std::move(expired));
}

Result<std::optional<RawPage>> PageSource::State::accept(std::shared_ptr<const Response> response,
                                                         std::vector<std::string_view> items) {
  const PageSeen seen{.headers = response->headers,
                      .url = response->url,
                      .items = items.size(),
                      .fingerprint = std::hash<std::string_view>{}(response->body)};
  auto decision = pager->decide(seen);
  auto url = *std::exchange(next_url, std::nullopt);
  skip = std::exchange(resumed_at, 0);
  ++pages;
  auto mark = std::exchange(next_mark, std::string());
  if (auto* next = std::get_if<NextPage>(&decision.next)) {
    next_url = std::move(next->url);
    next_mark = mark_of(*next_url);
  }
  if (const auto* refuse = std::get_if<Refuse>(&decision.next)) {
    const auto words = words_of(refuse->why);
    end_error = report_page(url, {.code = refuse->code,
                                  .what = std::string(words.what),
                                  .advice = std::string(words.advice),
                                  .response = response});
  }
  count_what_is_left(seen, url);
  RawPage page{.response = std::move(response), .items = std::move(items), .number = pages};
  if (!decision.deliver) page.items.clear();
  if (decision.deliver) tell_page(page);
  // A bookmark stays at the last item's page when nothing comes behind it: there items will be added.
  const bool ended = page.items.empty() && !next_url && !end_error;
  const bool stays = !decision.deliver || (ended && !page_url.empty());
  taken_before = stays ? page_items : 0;
  if (!stays) {
    page_url = std::move(url);
    page_mark = std::move(mark);
    page_items = page.items.size();
  }
  return std::optional(std::move(page));
}

void PageSource::State::count_what_is_left(const PageSeen& page, std::string_view url) {
  items_given += page.items;
  largest_page = std::max(largest_page, page.items);
  pages_left = next_url ? pages_behind(page, url, core.environment.dialect.paging, largest_page) : 0;
  if (!pages_left || !options.max_items || page.items == 0) return;
  const auto wanted = *options.max_items - std::min(*options.max_items, items_given);
  pages_left = std::min(*pages_left, wanted / page.items + (wanted % page.items == 0 ? 0 : 1));
}

QuotaForecast PageSource::State::forecast(Now now) const {
  if (!pages_left) return {};
  const auto& environment = core.environment;
  const auto reserve = request.priority == Priority::interactive ? 0 : environment.quota.reserve;
  return environment.gate->forecast(now, request.route, static_cast<std::int64_t>(*pages_left), reserve);
}

/// That the listing cannot end before its deadline, as soon as that is known.
std::optional<Error> PageSource::State::missed_deadline() const {
  // One page may be shorter than the others, and the count of pages with it.
  if (!options.deadline || pages < 2) return std::nullopt;
  const auto now = core.surroundings.clock->now();
  const auto needed = forecast(now);
  if (!needed.wait || *needed.wait == Duration::zero() || after(now.steady, *needed.wait) < *options.deadline)
    return std::nullopt;
  return report_page(*next_url,
                     {.code = Errc::deadline_exceeded,
                      .stopped_because = StopReason::time,
                      .what = fmt::format("the listing cannot end before the caller's deadline: {} more {} to be asked "
                                          "for, and the quota has to be renewed {} for that, which takes {}",
                                          *pages_left, *pages_left == 1 ? "page is" : "pages are",
                                          times(*needed.renewals), readable(*needed.wait)),
                      .advice = "give it a later deadline, or save its bookmark and go on from there later"});
}

/// An error about the page from `url`; what it is about was not sent.
Error PageSource::State::report_page(std::string_view url, const Finding& finding) const {
  return report({.method = Method::get,
                 .url = url,
                 .headers = sent_headers,
                 .has_body = false,
                 .idempotency_key = {}},
                Trail{}, core.environment.dialect, finding);
}

void PageSource::State::tell_page(const RawPage& page) {
  if (!core.environment.observed) return;
  const auto now = core.surroundings.clock->now();
  auto said = core.environment.gate->reading(now, request.route);
  core.surroundings.tell({Event{.kind = EventKind::page_delivered,
                                .url = shown_url(request.url, sent_headers),
                                .at = now.wall,
                                .status = page.response->status,
                                .quota = said.quota,
                                .bucket = std::move(said.bucket),
                                .page = page.number,
                                .items = page.items.size()}});
}

PageSource::PageSource(Address address, ListOptions options)
    : state_(std::make_unique<State>(std::move(address), std::move(options))) {}
PageSource::PageSource(PageSource&&) noexcept = default;
PageSource& PageSource::operator=(PageSource&&) noexcept = default;
PageSource::~PageSource() = default;

Result<std::optional<RawPage>> PageSource::next() { return state_->fetch(); }

std::size_t PageSource::skip() const noexcept { return state_->skip; }

ListingPlan PageSource::plan() const {
  const auto& state = *state_;
  ListingPlan plan{.pages = state.pages_left};
  const auto now = state.core.surroundings.clock->now();
  const auto needed = state.forecast(now);
  plan.windows = needed.renewals;
  if (!plan.pages || !needed.wait || !state.pace) return plan;
  const auto all = std::chrono::duration<double>(*state.pace) * static_cast<double>(*plan.pages);
  constexpr std::chrono::duration<double> longest = std::chrono::hours(24 * 365 * 100);
  const auto travel = std::chrono::duration_cast<Duration>(std::min<std::chrono::duration<double>>(all, longest));
  // Whichever is longer of waiting and of fetching; behind the last renewal a page is still to be fetched.
  const bool waits = *needed.wait > Duration::zero() && *plan.pages > 0;
  const Instant ready = after(after(Instant{}, *needed.wait), *state.pace);
  plan.estimate = std::max(travel, waits ? ready - Instant{} : Duration::zero());
  plan.finish = wall_time_of(after(now.steady, *plan.estimate), now);
  return plan;
}

std::string PageSource::bookmark(std::size_t taken) const {
  const auto& state = *state_;
  // A listing that was refused stands where it was to begin.
  if (state.refused) return state.options.resume;
  const bool nothing_yet = state.page_url.empty();
  return write_bookmark({.page = nothing_yet ? state.next_mark : state.page_mark,
                         .taken = nothing_yet ? state.resumed_at : state.taken_before + taken,
                         .listing = state.listing,
                         .guessing = state.pager && state.pager->guessing()});
}

std::optional<std::size_t> PageSource::max_items() const noexcept { return state_->options.max_items; }
std::size_t PageSource::json_depth() const noexcept { return state_->core.environment.limits.json_depth; }

Error PageSource::item_error(const RawPage& page, std::size_t index, DecodeFault fault) const {
  auto error = state_->report_page(state_->page_url,
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
