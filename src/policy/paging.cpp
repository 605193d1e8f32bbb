#include "policy/paging.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "wire/integer.hpp"
#include "wire/link.hpp"
#include "wire/percent.hpp"

namespace noun::inline v0 {
namespace {

/// Where the value of `name` stands in `url`.
std::optional<std::pair<std::size_t, std::size_t>> find_parameter(std::string_view url, std::string_view name) {
  std::string encoded;
  wire::append_query(encoded, name);
  const auto query_start = url.find('?');
  if (query_start == std::string_view::npos) return std::nullopt;
  const auto query_end = std::min(url.find('#', query_start), url.size());
  for (auto start = query_start + 1; start <= query_end;) {
    const auto end = std::min(url.find('&', start), query_end);
    const auto pair = url.substr(start, end - start);
    const auto equals = std::min(pair.find('='), pair.size());
    if (const auto key = pair.substr(0, equals); key == encoded || key == name)
      return std::pair{start + std::min(equals + 1, pair.size()), end};
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> parameter_of(std::string_view url, std::string_view name) {
  const auto place = find_parameter(url, name);
  if (!place) return std::nullopt;
  return url.substr(place->first, place->second - place->first);
}

std::string with_parameter(std::string_view url, std::string_view name, std::string_view value) {
  std::string changed(url.substr(0, url.find('#')));
  if (const auto place = find_parameter(changed, name)) {
    const bool has_equals = changed[place->first - 1] == '=';
    std::string encoded = has_equals ? "" : "=";
    wire::append_query(encoded, value);
    changed.replace(place->first, place->second - place->first, encoded);
    return changed;
  }
  const auto question = changed.find('?');
  if (question == std::string::npos)
    changed += '?';
  else if (question + 1 != changed.size() && changed.back() != '&')
    changed += '&';
  wire::append_query(changed, name);
  changed += '=';
  wire::append_query(changed, value);
  return changed;
}

Pager::Pager(PagingConvention convention, const Limits& limits, std::string first_url,
             std::vector<wire::UrlOrigin> allowed, PagerStart start)
    : convention_(std::move(convention)),
      limits_(limits),
      url_(std::move(first_url)),
      allowed_(std::move(allowed)),
      at_first_page_(start == PagerStart::first_page),
      guessing_(start == PagerStart::guessed && convention_.style == PagingStyle::automatic) {
  visited_.insert(std::hash<std::string_view>{}(url_));
  if (guessing_) convention_.style = PagingStyle::page_number;
}

PageDecision Pager::decide(const PageSeen& page) {
  ++pages_;
  const bool repeated = pages_ > 1 && page.items > 0 && page.fingerprint == last_fingerprint_;
  last_fingerprint_ = page.fingerprint;
  if (guessing_ && repeated && !at_second_page()) return {.deliver = false, .next = LastPage{}};
  if (guessing_ && repeated)
    return {.deliver = false,
            .next = Refuse{Errc::policy,
                           fmt::format("the service answers the same page again for {}=, so that it is not known whether "
                                       "there are more items; name its page parameter (dialect.paging.page_parameter), or "
                                       "ask without page_size if it does not page this list",
                                       convention_.page_parameter)}};
  if (guessing_ && wire::find_link(page.headers, "next", page.url)) {
    guessing_ = false;
    convention_.style = PagingStyle::link_header;
  }
  auto decision = convention_.style == PagingStyle::page_number ? by_number(page) : by_link(page);
  if (convention_.style == PagingStyle::page_number && repeated)
    decision = {.deliver = false,
                .next = Refuse{Errc::policy, "the service answers the same page again and again: check the dialect's "
                                             "page parameter"}};
  if (std::holds_alternative<NextPage>(decision.next))
    if (auto refused = over_a_limit(page)) decision.next = std::move(*refused);
  return decision;
}

/// Where two pages were different, the service knows the parameter, and one that comes again is its last.
bool Pager::at_second_page() const {
  const auto current = parameter_of(url_, convention_.page_parameter);
  return current && wire::read_integer<std::int64_t>(*current) == std::int64_t{convention_.first_page} + 1;
}

PageDecision Pager::by_link(const PageSeen& page) {
  if (auto next = wire::find_link(page.headers, "next", page.url)) return go_to(std::move(*next));
  if (wire::is_unreadable_link(page.headers))
    return {.next = Refuse{Errc::protocol, "the Link field cannot be read, so that it is not known whether there is another "
                                           "page; tell the service's owner"}};
  const bool may_guess = convention_.style == PagingStyle::automatic && at_first_page_ && pages_ == 1;
  if (!may_guess || !may_be_numbered(page)) return {};
  convention_.style = PagingStyle::page_number;
  guessing_ = true;
  return by_number(page);
}

/// A first page that names no other may still have a successor if it is full, or if the service counts more items.
bool Pager::may_be_numbered(const PageSeen& page) const {
  if (page.items == 0 || page.headers.contains("Link")) return false;
  const auto counts_more_than = [&](std::optional<std::string_view> text) {
    const auto count = text ? wire::read_integer<std::uint64_t>(*text) : std::nullopt;
    return count && *count > page.items;
  };
  if (counts_more_than(page.headers.get(convention_.total_header))) return true;
  const auto asked = parameter_of(url_, convention_.size_parameter);
  const auto size = asked ? wire::read_integer<std::uint64_t>(*asked) : std::nullopt;
  return size && page.items >= *size;
}

/// Only a page without items is the end: a total may be stale or capped, and a page may be shorter than was asked.
PageDecision Pager::by_number(const PageSeen& page) {
  if (page.items == 0) return {};
  const auto current = parameter_of(url_, convention_.page_parameter);
  const auto number = current ? wire::read_integer<std::int64_t>(*current) : convention_.first_page;
  if (!number || *number == std::numeric_limits<std::int64_t>::max())
    return {.next = Refuse{Errc::policy, "the page parameter is not a number that can be counted up"}};
  return go_to(with_parameter(url_, convention_.page_parameter, std::to_string(*number + 1)));
}

PageDecision Pager::go_to(std::string url) {
  if (const auto fragment = url.find('#'); fragment != std::string::npos) url.resize(fragment);
  const auto origin = wire::origin_of(url);
  if (!origin)
    return {.next = Refuse{Errc::policy, "the next link is not a plain http or https address: it was not followed"}};
  if (std::find(allowed_.begin(), allowed_.end(), *origin) == allowed_.end())
    return {.next = Refuse{Errc::policy,
                           fmt::format("the next link leads to another origin, {}: it was not followed, and nothing was "
                                       "sent there; name it in trusted_origins if it belongs to the service",
                                       wire::to_string(*origin))}};
  if (!visited_.insert(std::hash<std::string_view>{}(url)).second)
    return {.next = Refuse{Errc::policy, "the next link leads back to a page that was read already (a paging cycle): "
                                         "tell the service's owner"}};
  url_ = url;
  return {.next = NextPage{std::move(url)}};
}

std::optional<Refuse> Pager::over_a_limit(const PageSeen& page) {
  empty_in_a_row_ = page.items == 0 ? empty_in_a_row_ + 1 : 0;
  if (empty_in_a_row_ > limits_.empty_pages)
    return Refuse{Errc::policy, fmt::format("{} pages in a row had no item (limits.empty_pages): raise it if that is "
                                            "usual here", empty_in_a_row_)};
  if (pages_ >= limits_.pages)
    return Refuse{Errc::policy, fmt::format("the listing has more than {} pages (limits.pages): raise it, or go on from "
                                            "its bookmark", limits_.pages)};
  return std::nullopt;
}

}  // namespace noun::inline v0
