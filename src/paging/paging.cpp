#include "paging/paging.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "paging/page_reading.hpp"
#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_edit.hpp"
#include "wire/link.hpp"

namespace noun { inline namespace v0 {
namespace {

bool is_secure(std::string_view url) { return wire::lowered(url.substr(0, 6)) == "https:"; }

/// No URL has a line's end in it, and no Range.
std::uint64_t mark_of(const PagePlace& place) {
  return std::hash<std::string>{}(fmt::format("{}\n{}\n{}", place.url, place.range, place.cursor));
}

Refuse same_page_again(const PagingConvention& convention) {
  const bool is_number = convention.style == PagingStyle::page_number;
  return {Errc::refused, fmt::format("the service answers the same page again and again: check the dialect's {}",
                                     is_number ? "page parameter" : "paging (dialect.paging)")};
}

Refuse leads_back() {
  return {Errc::refused,
          "the next link leads back to a page that was read already (a paging cycle): tell the service's owner"};
}

}  // namespace

Pager::Pager(PagingConvention convention, const Limits& limits, PagePlace first, std::string body,
             std::vector<wire::UrlOrigin> allowed, PagerStart start)
    : convention_(std::move(convention)),
      limits_(limits),
      place_(std::move(first)),
      body_(std::move(body)),
      allowed_(std::move(allowed)),
      secure_(is_secure(place_.url)),
      at_first_page_(start == PagerStart::first_page),
      guessing_(start == PagerStart::guessed && convention_.style == PagingStyle::automatic) {
  visited_.insert(mark_of(place_));
  if (guessing_) convention_.style = PagingStyle::page_number;
}

PageRequest Pager::request_for(const PagePlace& place) const {
  PageRequest request{.url = place.url, .body = body_, .range = place.range};
  if (place.cursor.empty()) return request;
  if (convention_.style == PagingStyle::custom)
    request.body = place.cursor;
  else if (auto body = wire::with_json_at(body_, convention_.cursor_pointer, place.cursor))
    request.body = *std::move(body);
  return request;
}

PageDecision Pager::decide(const PageSeen& page) {
  ++pages_;
  outlook_.reset();
  if (auto other = other_part(page)) return {.deliver = false, .next = *std::move(other)};
  const bool repeated = pages_ > 1 && page.items > 0 && page.fingerprint == last_fingerprint_ && !has_grown(page);
  last_fingerprint_ = page.fingerprint;
  if (guessing_ && repeated && !at_second_page()) return {.deliver = false, .next = LastPage{}};
  if (guessing_ && repeated)
    return {
        .deliver = false,
        .next = Refuse{Errc::refused,
                       fmt::format("the service answers the same page again for {}=, so that it is not known whether "
                                   "there are more items",
                                   convention_.page_parameter),
                       "name its page parameter (dialect.paging.page_parameter), or ask without page_size if it does "
                       "not page this list"}};
  if (guessing_ && wire::find_link(page.response.headers, "next", page.response.url)) {
    guessing_ = false;
    convention_.style = PagingStyle::link_header;
  }
  if (is_first_again(page)) return {.deliver = false, .next = leads_back()};
  if (repeated && repetition_is_fault()) return {.deliver = false, .next = same_page_again(convention_)};
  note(page);
  return go(page, step_behind(page));
}

void Pager::note(const PageSeen& page) {
  if (pages_ == 1 && at_first_page_ && has_page_numbers(convention_.style) &&
      !wire::parameter_of(place_.url, convention_.page_parameter))
    unnumbered_first_ = page.fingerprint;
  received_ += page.items;
  largest_page_ = std::max(largest_page_, page.items);
  smallest_page_ = std::min(smallest_page_, page.items);
  const auto total = total_told(page.response, convention_);
  // An answer without items takes back nothing.
  const auto range = content_range_of(page.response);
  if (page.items > 0 || (range && range->total)) length_ = range ? range->total : std::nullopt;
  promised_ = total && total->exact ? std::optional(total->items) : std::nullopt;
}

/// Whether this is the first page under its number. The number alone does not say so: some services count from zero,
/// and some from the last page down.
bool Pager::is_first_again(const PageSeen& page) const {
  if (page.items == 0 || page.fingerprint != unnumbered_first_) return false;
  const auto number = wire::parameter_of(place_.url, convention_.page_parameter);
  return number && wire::read_integer<std::int64_t>(*number) == std::int64_t{convention_.first_page};
}

/// Whether the service counts more items than before: so many may have been put in front of a page that it looks the
/// same.
bool Pager::has_grown(const PageSeen& page) const {
  const auto total = total_told(page.response, convention_);
  return total && total->exact && promised_ && total->items > *promised_;
}

/// Where noun composes the next request, an equal answer says that the service did not look at what was changed in it.
bool Pager::repetition_is_fault() const noexcept {
  const auto style = convention_.style;
  return style == PagingStyle::page_number || style == PagingStyle::offset || style == PagingStyle::last_item ||
         style == PagingStyle::range;
}

/// Where two pages were different, the service knows the parameter, and one that comes again is its last.
bool Pager::at_second_page() const {
  const auto current = wire::parameter_of(place_.url, convention_.page_parameter);
  return current && wire::read_integer<std::int64_t>(*current) == std::int64_t{convention_.first_page} + 1;
}

bool Pager::ends_at(int status) const {
  if (pages_ == 0) return false;
  constexpr int not_found = 404;
  constexpr int range_not_satisfiable = 416;
  return (status == not_found && convention_.style == PagingStyle::page_number && !is_promised()) ||
         (status == range_not_satisfiable && convention_.style == PagingStyle::range && !is_longer_than(first_asked()));
}

/// Whether the answer before told that there is a page at place().
bool Pager::is_promised() const {
  const auto number = number_at(place_);
  return number && outlook_ && outlook_->is_sure && *number < outlook_->end;
}

PageDecision Pager::go(const PageSeen& page, Step step) {
  if (auto* refuse = std::get_if<Refuse>(&step)) return {.next = std::move(*refuse)};
  auto* next = std::get_if<PagePlace>(&step);
  if (next == nullptr) return {};
  if (const auto fragment = next->url.find('#'); fragment != std::string::npos) next->url.resize(fragment);
  if (auto fault = fault_of(*next)) return {.next = *std::move(fault)};
  if (auto fault = over_a_limit(page)) return {.next = *std::move(fault)};
  visited_.insert(mark_of(*next));
  outlook_ = outlook_behind(page, *next);
  place_ = std::move(*next);
  return {.next = NextPage{place_}};
}

/// What forbids to ask for this page next.
std::optional<Refuse> Pager::fault_of(const PagePlace& place) const {
  const auto origin = wire::origin_of(place.url);
  if (!origin) return Refuse{Errc::refused, "the next link is not a plain http or https address: it was not followed"};
  if (std::find(allowed_.begin(), allowed_.end(), *origin) == allowed_.end())
    return Refuse{
        Errc::refused,
        fmt::format("the next link leads to another origin, {}: it was not followed, and nothing was sent there",
                    wire::to_string(*origin)),
        "name it in trusted_origins if it belongs to the service"};
  if (secure_ && origin->scheme != "https")
    return Refuse{Errc::refused,
                  "the next link leads from https to http: it was not followed, and nothing was sent there",
                  "tell the service's owner"};
  if (std::any_of(place.range.begin(), place.range.end(), wire::is_control))
    return Refuse{Errc::refused,
                  "the next range has a control character: it was not asked for",
                  "tell the service's owner"};
  if (visited_.contains(mark_of(place))) return leads_back();
  return std::nullopt;
}

std::optional<Refuse> Pager::over_a_limit(const PageSeen& page) {
  empty_in_a_row_ = page.items == 0 ? empty_in_a_row_ + 1 : 0;
  if (empty_in_a_row_ > limits_.empty_pages)
    return Refuse{Errc::refused, fmt::format("{} pages in a row had no item (limits.empty_pages): raise it if that is "
                                             "usual here",
                                             empty_in_a_row_)};
  if (pages_ >= limits_.pages)
    return Refuse{Errc::refused,
                  fmt::format("the listing has more than {} pages (limits.pages): raise it, or go on from "
                              "its bookmark",
                              limits_.pages)};
  return std::nullopt;
}

}}  // namespace noun
