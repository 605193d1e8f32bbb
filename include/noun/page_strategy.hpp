#pragma once
/// @file
/// A paging convention of one's own: a small function from a page to what comes behind it.
///
///     noun::Dialect dialect;
///     dialect.paging.style = noun::PagingStyle::custom;
///     dialect.paging.strategy = [](const noun::PageRequest&, const noun::PageAnswer& page)
///         -> noun::Result<std::optional<noun::PageRequest>> {
///       const auto next = page.response.headers.get("X-Next");
///       if (!next) return std::nullopt;
///       return noun::PageRequest{.url = std::string(*next)};
///     };

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <noun/message.hpp>
#include <noun/result.hpp>

namespace noun { inline namespace v0 {

/// What a page is asked for with, beside what all requests of a listing have.
struct PageRequest {
  /// Absolute; or relative to where the page before came from.
  std::string url = {};
  /// Sent instead of ListOptions::body, where that is given.
  std::string body = {};
  /// The request field `Range`; empty for none.
  std::string range = {};

  /// Whether all are the same.
  friend bool operator==(const PageRequest&, const PageRequest&) = default;
};

/// A page as a PageStrategy sees it. Borrowed for the call.
struct PageAnswer {
  const Response& response;    ///< its answer
  std::size_t items;           ///< how many items it has
  std::string_view last_item;  ///< the bytes of the last one; empty where there is none
};

/// Says what comes behind a page: the next request, nothing at the end, or an error, which ends the listing behind the
/// page. What it names is checked as any next link is: origin, cycles, ceilings. Called for each page that is read:
/// again for the page at which a bookmark is resumed, and for one that is asked for again after an error. Where pages
/// are read ahead, on a thread of noun's that carries the client's other calls as well, so it should not block; it may
/// then still run when the listing is gone, so that what it captures must outlive the client. An exception is an error
/// (`refused`). A body that it names is in bookmarks as it is.
using PageStrategy =
    std::function<Result<std::optional<PageRequest>>(const PageRequest& asked, const PageAnswer& page)>;

}}  // namespace noun
