#pragma once
/// @file
/// A listing without requests: the test gives the pages as bodies, and reads the pager's decisions as text.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "paging/pager.hpp"
#include "wire/json_scan.hpp"

namespace noun::paging_tests {

using detail::first_range;
using detail::LastPage;
using detail::PageDecision;
using detail::PagePlace;
using detail::Pager;
using detail::PagerStart;

inline const std::string origin = "https://api.example.com";
inline const std::string list = origin + "/things";

struct PagingBench {
  Paging convention;
  std::string body = {};
  Pager pager;

  explicit PagingBench(Paging how, PagePlace first = {.url = list}, std::string request_body = {}, Limits limits = {},
                       PagerStart start = {})
      : convention(std::move(how)),
        body(std::move(request_body)),
        pager(convention, limits, std::move(first), body, {*wire::origin_of(origin)}, start) {}

  /// Decides on a response; its items are read where the convention has them.
  PageDecision decide(std::string page, Headers headers = {}) {
    const Response response{
        .status = 200, .headers = std::move(headers), .body = std::move(page), .url = pager.place().url};
    const auto items = wire::json_elements(response.body, convention.items).elements;
    const auto last_item = items.empty() ? std::string_view() : items.back();
    std::optional<detail::StrategyResult> strategy;
    if (const auto* own = std::get_if<paging::PageStrategy>(&convention.style))
      strategy = (*own)(pager.request_for(pager.place()),
                        {.response = response, .items = items.size(), .last_item = last_item});
    return pager.decide({.response = response,
                         .items = items.size(),
                         .last_item = last_item,
                         .texts = items,
                         .fingerprint = std::hash<std::string_view>()(response.body)},
                        strategy ? &*strategy : nullptr);
  }

  /// The URL of the next page without the list's, then what goes into the body or into Range after a space; `last`; or
  /// the code and the message of a refusal.
  std::string next(std::string page, Headers headers = {}) {
    const auto decision = decide(std::move(page), std::move(headers));
    if (const auto* refuse = std::get_if<Refuse>(&decision.next)) return shown(*refuse);
    const auto* place = std::get_if<PagePlace>(&decision.next);
    return place == nullptr ? "last" : shown(*place);
  }

  /// What an error status of the next page means: `last`, a refusal, or `error` for an error like any other.
  std::string on_status(int status) const {
    const auto meaning = pager.on_status(status);
    if (!meaning) return "error";
    const auto* refuse = std::get_if<Refuse>(&*meaning);
    return refuse == nullptr ? "last" : shown(*refuse);
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

/// A JSON array of so many items, with ids from `first` on.
inline std::string items(int count, int first = 1) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + ("{\"id\":" + std::to_string(first + i)) + "}";
  return text + "]";
}

}  // namespace noun::paging_tests
