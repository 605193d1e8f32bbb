#include "paging/pager.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "paging/more_hint.hpp"
#include "vocabulary/error_text.hpp"
#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/link.hpp"
#include "wire/page_url.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

constexpr auto style_or_all =
    "set ClientOptions::dialect.paging.style to the API's paging, or to noun::paging::SinglePage{} if the first page "
    "is all";

/// Whether the URL of the page has a number, and it is `after` after the first one.
bool has_number(const PagePlace& place, const paging::Style& style, int after) {
  const auto numbers = numbers_of(style);
  const auto written = numbers ? wire::parameter_of(place.url, numbers->parameter) : std::nullopt;
  return written && wire::read_integer<std::int64_t>(*written) == std::int64_t{numbers->first} + after;
}

/// Whether the server says where other pages are, or would say so.
bool links_pages(const Response& response) {
  constexpr std::array<std::string_view, 5> relations = {"next", "prev", "previous", "first", "last"};
  const auto links = wire::parse_links(response.headers.values("Link"), response.url);
  return std::any_of(links.begin(), links.end(), [&](const wire::Link& link) {
    return std::find(relations.begin(), relations.end(), link.relation) != relations.end();
  });
}

/// Whether each response has the place of the next page. The number of pages is then limited by the server and by
/// Limits::pages.
bool is_named_by_server(const paging::Style& style) {
  return std::holds_alternative<paging::LinkHeader>(style) || std::holds_alternative<paging::Cursor>(style) ||
         std::holds_alternative<paging::NextUrl>(style) || std::holds_alternative<paging::PageStrategy>(style);
}

/// Whether the caller's own query may begin the list later than with its first item.
bool may_begin_later(const PagePlace& place, const Paging& paging) {
  const auto query = wire::decoded_query(place.url);
  return std::any_of(query.begin(), query.end(), [&](const auto& field) {
    return names_position(field.name, paging) && field.value != "0" && field.value != "1";
  });
}

bool is_secure(std::string_view url) { return wire::is_of_scheme(url, "https"); }

/// No URL and no Range has a line feed.
wire::Digest digest_of(const PagePlace& place) {
  return wire::KeyedHash(wire::HashSeed{}).of(fmt::format("{}\n{}\n{}", place.url, place.range, place.cursor));
}

/// Whether the page was requested as the one that begins after `item`.
bool is_after(const PagePlace& place, const paging::LastItem& style, std::string_view item, const std::string& body) {
  const auto after = place_after(style, item, place, body);
  const auto* same = after ? std::get_if<PagePlace>(&*after) : nullptr;
  return same != nullptr && *same == place;
}

/// The refusal of a page that was read before.
Refuse leads_back() {
  return {Errc::refused, "the next link leads back to a page that was read before (a paging cycle)",
          "set ClientOptions::dialect.paging.end if the server names a next page after the last one too, or report it to "
          "the API's owner"};
}

}  // namespace

PageBounds::PageBounds(const Limits& limits, const PagePlace& first, std::vector<wire::UrlOrigin> allowed)
    : allowed_(std::move(allowed)),
      most_pages_(limits.pages),
      longest_(first.url.size() + wire::longest_named_url),
      secure_(is_secure(first.url)) {
  add(first);
}

void PageBounds::add(const PagePlace& place) { visited_.insert(digest_of(place)); }

std::optional<Refuse> PageBounds::fault_of(const PagePlace& place, std::size_t pages) const {
  if (place.url.size() > longest_)
    return Refuse{Errc::refused,
                  fmt::format("the URL of the next page has {} bytes: it was not requested", place.url.size()),
                  report_to_owner};
  const auto origin = wire::origin_of(place.url);
  if (!origin)
    return Refuse{Errc::refused, "the next link is not a plain http or https address: it was not followed",
                  report_to_owner};
  const auto on_its_host = [&](const wire::UrlOrigin& other) { return other.host == origin->host; };
  if (secure_ && origin->scheme != "https" && std::any_of(allowed_.begin(), allowed_.end(), on_its_host))
    return Refuse{Errc::refused, "the next link leads from https to http: nothing was sent there", report_to_owner};
  if (std::find(allowed_.begin(), allowed_.end(), *origin) == allowed_.end())
    return Refuse{
        Errc::refused,
        fmt::format("the next link leads to another origin, {}: nothing was sent there", wire::to_string(*origin)),
        "add it to ClientOptions::trusted_origins if it belongs to the API"};
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control))
    return Refuse{Errc::refused, "the next range has a control character: it was not requested", report_to_owner};
  if (visited_.contains(digest_of(place))) return leads_back();
  if (pages >= most_pages_)
    return Refuse{Errc::refused, fmt::format("the listing has more than {} pages", most_pages_),
                  "raise ClientOptions::limits.pages, or resume the listing from its bookmark"};
  return std::nullopt;
}

Pager::Pager(Paging paging, const Limits& limits, PagePlace first, std::string body,
             std::vector<wire::UrlOrigin> allowed, PagerStart start)
    : paging_(std::move(paging)),
      place_(std::move(first)),
      body_(std::move(body)),
      bounds_(limits, place_, std::move(allowed)),
      seen_(start.is_first),
      begins_later_(may_begin_later(place_, paging_)),
      guessing_(false) {
  const auto* automatic = std::get_if<paging::Automatic>(&paging_.style);
  if (!start.guessed_first || automatic == nullptr) return;
  paging_.style = paging::PageNumber{.parameter = automatic->page_parameter, .first = *start.guessed_first};
  guessing_ = true;
}

std::optional<int> Pager::guessed_first() const {
  return guessing_ ? std::optional(std::get<paging::PageNumber>(paging_.style).first) : std::nullopt;
}

paging::PageRequest Pager::request_for(const PagePlace& place) const {
  paging::PageRequest request{.url = place.url, .body = body_, .range = place.range};
  if (place.cursor.empty()) return request;
  if (std::holds_alternative<paging::PageStrategy>(paging_.style))
    request.body = place.cursor;
  else if (auto body = wire::with_json_at(body_, parameter_of(paging_.style).into_body, place.cursor))
    request.body = *std::move(body);
  return request;
}

PageContext Pager::context_of(const PageSeen& page) const {
  PageContext context{.paging = paging_,
                      .body = body_,
                      .place = place_,
                      .page = page,
                      .length = seen_.length(),
                      .more = seen_.more(),
                      .total = seen_.reported()};
  if (const auto* by_offset = std::get_if<paging::Offset>(&paging_.style)) {
    if (const auto offset = number_at(*by_offset, place_, body_))
      context.received = static_cast<std::uint64_t>(std::max(*offset - by_offset->first, std::int64_t{0})) + page.items;
  } else {
    context.received = seen_.received();
  }
  return context;
}

PageDecision Pager::decide(const PageSeen& page, const StrategyResult* strategy) {
  seen_.begin(page, paging_);
  outlook_.reset();
  if (const auto* range = std::get_if<paging::ItemRange>(&paging_.style))
    if (auto wrong = wrong_range(*range, context_of(page))) return {.deliver = false, .next = *std::move(wrong)};
  if (auto repeated = repetition(page)) return *std::move(repeated);
  const auto numbers = numbers_of(paging_.style);
  seen_.add(page, numbers && !wire::parameter_of(place_.url, numbers->parameter));
  auto step = step_after(page, strategy);
  if (std::holds_alternative<LastPage>(step))
    if (auto fault = fault_of_end(context_of(page).received)) step = *std::move(fault);
  if (auto* next = std::get_if<PagePlace>(&step)) {
    next->url.resize(std::min(next->url.find('#'), next->url.size()));
    if (auto fault = bounds_.fault_of(*next, seen_.pages())) step = *std::move(fault);
  }
  const auto* next = std::get_if<PagePlace>(&step);
  if (next == nullptr) return {.next = std::move(step), .pages_left = 0};
  PageDecision decision{.next = *next};
  bounds_.add(*next);
  const auto outlook = outlook_of(paging_.style, context_of(page), *next, seen_.sizes());
  if (outlook) decision.pages_left = outlook->pages();
  if (!guessing_ || seen_.pages() > 1) outlook_ = outlook;
  place_ = *next;
  return decision;
}

/// A page that is not delivered, for its items are those of the page before.
std::optional<PageDecision> Pager::repetition(const PageSeen& page) {
  const bool repeated = seen_.repeats(page);
  const auto refused = [](Refuse refuse) { return PageDecision{.deliver = false, .next = std::move(refuse)}; };
  if (guessing_ && repeated) {
    // If two pages were different, the server knows the parameter, and returns its last page again.
    if (!has_number(place_, paging_.style, 1)) {
      if (auto fault = fault_of_end(seen_.received())) return refused(*std::move(fault));
      return PageDecision{.deliver = false};
    }
    if (auto refuse = wrong_guess("returned the same page again")) return refused(*std::move(refuse));
    return refused(unknown_end("returned the same page again"));
  }
  if (guessing_ && wire::find_link(page.response.headers, "next", page.response.url)) {
    guessing_ = false;
    paging_.style = paging::LinkHeader{};
  }
  // Some servers count from zero, and some from the last page down: the number alone does not say so.
  if (seen_.is_unnumbered_first(page) && has_number(place_, paging_.style, 0)) return refused(leads_back());
  // The server ignores what differs in the request, or goes in a circle under URLs that always differ. Where it names
  // the next page itself, equal pages of items without identity, such as measurements, are no sign of that.
  if (repeated && (!is_named_by_server(paging_.style) || all_differ(page.texts)))
    return refused({Errc::refused, "the server returned the same items twice, for this page and the one before it",
                    "check the names in ClientOptions::dialect.paging.style, or report it to the API's owner"});
  if (const auto* by_item = std::get_if<paging::LastItem>(&paging_.style);
      by_item != nullptr && !page.texts.empty() && is_after(place_, *by_item, page.texts.front(), body_))
    return refused({Errc::refused,
                    fmt::format("the page starts with the item that it was to start after: {} includes the item that "
                                "it names",
                                by_item->parameter.empty() ? by_item->into_body : by_item->parameter),
                    "use a parameter that excludes it, or a noun::paging::PageStrategy in "
                    "ClientOptions::dialect.paging.style"});
  return std::nullopt;
}

NextStep Pager::step_after(const PageSeen& page, const StrategyResult* strategy) {
  const auto context = context_of(page);
  if (paging_.end.empty_page && page.items == 0) return LastPage{};
  // Resumed at the first page, which was received when the guess was made.
  if (guessing_ && seen_.is_first()) {
    incomplete_without_numbers_ = incomplete(context);
    guess_numbers(std::string(parameter_of(paging_.style).name), context);
  }
  if (page.items == 0 && seen_.pages() == 2)
    if (auto refuse = wrong_guess("returned an empty page")) return *std::move(refuse);
  const bool has_more_pointer = !std::holds_alternative<paging::ItemRange>(paging_.style) &&
                                !std::holds_alternative<paging::PageStrategy>(paging_.style);
  if (has_more_pointer && context.more == More::no) return LastPage{};
  return std::visit(
      [&](const auto& style) -> NextStep {
        using Style = std::remove_cvref_t<decltype(style)>;
        if constexpr (std::same_as<Style, paging::Automatic>)
          return automatic_step(paging::Automatic(style), context);
        else if constexpr (std::same_as<Style, paging::SinglePage>)
          return single_step(context);
        else if constexpr (std::same_as<Style, paging::PageStrategy>)
          return strategy != nullptr ? strategy_step(*strategy, page) : LastPage{};
        else
          return next_page(style, context);
      },
      paging_.style);
}

/// What the total of a listing that ends here, and did not change meanwhile, says about its items.
/// @param received  the number of items up to here, if known.
std::optional<Refuse> Pager::fault_of_end(std::optional<std::uint64_t> received) const {
  const bool is_judged_by_style = std::holds_alternative<paging::SinglePage>(paging_.style) ||
                                  std::holds_alternative<paging::ItemRange>(paging_.style) ||
                                  std::holds_alternative<paging::PageStrategy>(paging_.style);
  if (is_judged_by_style || seen_.list_changed() || !seen_.total()) return std::nullopt;
  // incomplete() has judged an only page. Links that end at a short page may leave out what a total counts.
  const bool by_links = std::holds_alternative<paging::Automatic>(paging_.style);
  const bool is_only = received && *received <= seen_.sizes().largest;
  if (((by_links || guessing_) && is_only) || (by_links && !seen_.ends_full())) return std::nullopt;
  if (const auto* by_offset = std::get_if<paging::Offset>(&paging_.style); by_offset != nullptr && seen_.overlap())
    return Refuse{Errc::refused, "the second page starts with the last item of the first page: the server counts offsets from another number",
                  fmt::format("set first of noun::paging::Offset in ClientOptions::dialect.paging.style to {}",
                              1 - std::min(by_offset->first, 1))};
  if (begins_later_ || paging_.totals.estimated || !received || *received >= *seen_.total()) return std::nullopt;
  return Refuse{Errc::incomplete,
                fmt::format("the listing ended after {} items, but the response reports {}", *received, *seen_.total()),
                "set ClientOptions::dialect.paging.style to the API's paging, or totals.estimated if its total counts "
                "more than the list has"};
}

NextStep Pager::strategy_step(const StrategyResult& result, const PageSeen& page) const {
  if (!result)
    return Refuse{result.error().code(), fmt::format("the paging strategy failed: {}", what_of(result.error())),
                  result.error().advice()};
  if (!*result) return LastPage{};
  const auto& next = **result;
  return PagePlace{
      .url = wire::resolve_written(page.response.url, next.url), .cursor = next.body, .range = next.range};
}

Refuse Pager::more_reported() const {
  return {Errc::incomplete,
          fmt::format("the response reports more pages at {}, but not where they are", paging_.end.more_pointer),
          "set ClientOptions::dialect.paging.style to the API's paging"};
}

NextStep Pager::automatic_step(const paging::Automatic& style, const PageContext& context) {
  auto step = next_page(paging::LinkHeader{}, context);
  const bool is_unreadable = wire::is_unreadable_link(context.page.response.headers);
  if (std::holds_alternative<PagePlace>(step) || is_unreadable) return step;
  incomplete_without_numbers_ = incomplete(context);
  if (seen_.is_first() && may_be_numbered(context)) {
    guess_numbers(style.page_parameter, context);
    return next_page(std::get<paging::PageNumber>(paging_.style), context);
  }
  if (incomplete_without_numbers_) return *incomplete_without_numbers_;
  return LastPage{};
}

/// @param context  of the first page. One that was requested without a number may report that it has the number 0.
void Pager::guess_numbers(std::string parameter, const PageContext& context) {
  paging::PageNumber numbers{.parameter = std::move(parameter), .first = 0};
  const bool from_zero = number_at(numbers, place_) == 0 && page_number_hint(context.page.response, paging_) == 0U;
  numbers.first = from_zero ? 0 : 1;
  paging_.style = std::move(numbers);
  guessing_ = true;
}

/// A first page that names no other may still have a successor if it is full, or if the server counts more items.
bool Pager::may_be_numbered(const PageContext& context) const {
  if (context.page.items == 0 || links_pages(context.page.response)) return false;
  if (context.total && context.total->items > context.page.items) return true;
  const auto requested = page_size_requested(context);
  return requested && context.page.items >= *requested;
}

/// Why an automatic listing without a next page is incomplete; nothing if it is not.
std::optional<Refuse> Pager::incomplete(const PageContext& context) {
  const auto& response = context.page.response;
  if (context.more == More::yes) return more_reported();
  if (const auto hint = more_hint(response, paging_))
    return Refuse{Errc::incomplete,
                  fmt::format("the response has {}: there are more items, but the dialect does not say how to get them",
                              hint->place),
                  hint->option.empty()
                      ? style_or_all
                      : fmt::format("set ClientOptions::dialect.paging.style, for example to {}, or to "
                                    "noun::paging::SinglePage{{}} if this page is all",
                                    hint->option)};
  if (!seen_.is_first() || context.page.items == 0) return std::nullopt;
  auto counted = total_hint(response, paging_);
  if (const auto& total = context.total; total && total->exact) {
    const auto& totals = paging_.totals;
    const bool in_header = response.headers.contains(totals.items_header);
    counted = TotalHint{in_header ? totals.items_header : totals.items_pointer, total->items};
  }
  if (!counted) return std::nullopt;
  if (counted->items >= context.page.items) seen_.set_total(counted->items);
  const auto requested = page_size_requested(context);
  const bool is_full = !requested || context.page.items >= *requested;
  if (counted->items <= context.page.items || !is_full || paging_.totals.estimated) return std::nullopt;
  return Refuse{Errc::incomplete,
                fmt::format("the response reports {} items at {} and has {}: the dialect does not say how to get the "
                            "rest",
                            counted->items, counted->place, context.page.items),
                style_or_all};
}

/// Why the listing is incomplete if its second page, a guess, does not exist; nothing if the first page may be all.
/// @param response  how the server responded, as a clause.
std::optional<Refuse> Pager::wrong_guess(std::string_view response) const {
  if (!guessing_ || !incomplete_without_numbers_) return std::nullopt;
  auto refuse = *incomplete_without_numbers_;
  refuse.what += fmt::format(", and the server {} for {}={}", response, parameter_of(paging_.style).name,
                             guessed_first().value_or(1) + 1);
  return refuse;
}

/// The same if the first page did not say that there are more.
Refuse Pager::unknown_end(std::string_view response) const {
  return {Errc::refused,
          fmt::format("the server {} for {}={}: it is unknown whether there are more items", response,
                      parameter_of(paging_.style).name, guessed_first().value_or(1) + 1),
          style_or_all};
}

std::optional<NextStep> Pager::on_status(int status) const {
  if (seen_.pages() == 0) return std::nullopt;
  constexpr int bad_request = 400;
  constexpr int not_found = 404;
  constexpr int unprocessable = 422;
  constexpr int range_not_satisfiable = 416;
  if (guessing_ && seen_.pages() == 1 && (status == bad_request || status == unprocessable)) {
    const auto returned = fmt::format("returned {}", status);
    if (auto refuse = wrong_guess(returned)) return *std::move(refuse);
    return unknown_end(returned);
  }
  if (const auto* numbers = std::get_if<paging::PageNumber>(&paging_.style); numbers && status == not_found) {
    const auto number = number_at(*numbers, place_);
    const bool is_reported = outlook_ && outlook_->trust == Outlook::Trust::reported;
    if (number && is_reported && *number < outlook_->end) return std::nullopt;
    if (auto refuse = seen_.pages() == 1 ? wrong_guess("returned 404") : std::nullopt) return *std::move(refuse);
    if (auto fault = fault_of_end(seen_.received())) return *std::move(fault);
    return LastPage{};
  }
  const bool after_the_last = status == range_not_satisfiable &&
                              std::holds_alternative<paging::ItemRange>(paging_.style) &&
                              (!seen_.length() || *seen_.length() <= first_requested(place_));
  return after_the_last ? std::optional<NextStep>(LastPage{}) : std::nullopt;
}

}}}  // namespace noun::detail
