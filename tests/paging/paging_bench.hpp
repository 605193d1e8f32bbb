#pragma once
/// @file
/// A listing in the test's hand: pages are given as bodies, and the pager's answers come back as text.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "paging/paging.hpp"
#include "wire/json_scan.hpp"

namespace noun::paging_tests {

inline const std::string origin = "https://api.example.com";
inline const std::string list = origin + "/things";

struct PagingBench {
  PagingConvention convention;
  std::string body = {};
  Pager pager;

  explicit PagingBench(PagingConvention paging, PagePlace first = {.url = list}, std::string request_body = {},
                       Limits limits = {}, PagerStart start = PagerStart::first_page)
      : convention(std::move(paging)),
        body(std::move(request_body)),
        pager(convention, limits, std::move(first), body, {*wire::origin_of(origin)}, start) {}

  /// What follows from the answer; its items are read where the convention says that they are.
  PageDecision decide(std::string answer, Headers headers = {}) {
    const Response response{
        .status = 200, .headers = std::move(headers), .body = std::move(answer), .url = pager.place().url};
    const auto items = wire::json_elements(response.body, convention.items_pointer).elements;
    return pager.decide({.response = response,
                         .items = items.size(),
                         .last_item = items.empty() ? std::string_view() : items.back(),
                         .fingerprint = std::hash<std::string>{}(response.body)});
  }

  /// The URL that comes next, less the list's; what goes into the body or into Range behind a space; `last`; or the
  /// code and the words of a refusal.
  std::string next(std::string answer, Headers headers = {}) {
    const auto decision = decide(std::move(answer), std::move(headers));
    if (const auto* refuse = std::get_if<Refuse>(&decision.next))
      return shown(*refuse);
    const auto* page = std::get_if<NextPage>(&decision.next);
    return page == nullptr ? "last" : shown(page->place);
  }

  static std::string shown(const Refuse& refuse) {
    return std::string(to_string(refuse.code)) + ": " + refuse.what +
           (refuse.advice.empty() ? "" : "; " + refuse.advice);
  }

  std::string shown(const PagePlace& place) const {
    std::string text = place.url.starts_with(list) ? place.url.substr(list.size()) : place.url;
    if (!place.cursor.empty()) text += " " + place.cursor;
    if (!place.range.empty()) text += " " + place.range;
    return text;
  }

  std::string ahead(std::size_t pages) const {
    const auto place = pager.ahead(pages);
    return place ? shown(*place) : "unknown";
  }
};

/// A JSON array of so many items with ids from `first` on.
inline std::string items(int count, int first = 1) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + ("{\"id\":" + std::to_string(first + i)) + "}";
  return text + "]";
}

}  // namespace noun::paging_tests
