#pragma once
/// @file
/// The pages of one listing in their order: asked for one by one on the caller's thread, or ahead of the caller by the
/// client's concurrent driver. What is delivered of them, and bookmarks, are page_source's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <noun/headers.hpp>
#include <noun/message.hpp>
#include <noun/result.hpp>

#include "call/call.hpp"
#include "paging/paging.hpp"
#include "resource/client_core.hpp"

namespace noun { inline namespace v0 {

/// One page, and what its answer says of the next.
struct FedPage {
  PagePlace place = {};
  std::shared_ptr<const Response> response = {};
  std::vector<std::string_view> items = {};
  /// The fields of its request, credentials included: what reports hide.
  Headers sent = {};
  /// Otherwise its items are those of the page before.
  bool deliver = true;
  /// Whether the pager was guessing, behind it.
  bool guessing = false;
  std::optional<PagePlace> next = {};
  /// Why there is no next one, where that is not the end.
  std::optional<Refuse> refused = {};
  /// Pages that are still to be asked for, and items in all, where that is known.
  std::optional<std::size_t> pages_left = {};
  std::optional<std::uint64_t> promised = {};
};

/// What a feed is made with.
struct FeedOptions {
  /// Of every page, less its place.
  CallRequest request;
  std::size_t prefetch = 0;
  std::optional<std::size_t> max_items = {};
  /// Where the listing begins, and whether that is a bookmark.
  PagerStart start = PagerStart::first_page;
  bool resumed = false;
  /// ListOptions::body.
  std::string body = {};
  std::stop_token stop = {};
};

/// The error of a page for which memory ran out. To be made while there is some.
Error out_of_memory();

/// Feeds one consumer, on one thread at a time.
class PageFeed {
 public:
  PageFeed(ClientCore& core, PagePlace first, FeedOptions options);
  /// Breaks off what is read ahead.
  ~PageFeed();
  PageFeed(const PageFeed&) = delete;
  PageFeed& operator=(const PageFeed&) = delete;

  /// The next page; nothing at the end. After an error, or when memory runs out, the same page is asked for again. What
  /// forbids to ask for the page behind this one is no error here, but in FedPage::refused.
  Result<std::optional<FedPage>> next();
  /// Pages behind the one given last that are here, or have been asked for.
  std::size_t ahead() const;
  /// How long the fastest page so far took; failures are none.
  std::optional<Duration> pace() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}}  // namespace noun
