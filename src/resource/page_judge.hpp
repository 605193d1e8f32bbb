#pragma once
/// @file
/// Decides on the pages of a feed: what comes behind each. Where memory runs out, nothing has been decided.

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "paging/paging.hpp"
#include "resource/client_core.hpp"
#include "resource/page_feed.hpp"

namespace noun { inline namespace v0 {

/// What came of one request.
struct Arrival {
  std::optional<Error> error = {};
  std::shared_ptr<const Response> response = {};
  std::vector<std::string_view> items = {};
  Headers sent = {};
  Duration took = {};
};

/// A page by itself, to be put behind others, and where the next one is. Moving it asks for no memory.
struct JudgedPage {
  std::list<FedPage> page = {};
  std::optional<PagePlace> next = {};
};

/// A pager that can be asked again. Used by one thread at a time.
class PageJudge {
 public:
  PageJudge(const ClientCore& core, const FeedOptions& options, const PagePlace& first);

  /// Decides on the page at `place`, and goes on to the next.
  /// @param arrival  no error.
  JudgedPage decide(const PagePlace& place, Arrival& arrival);
  const Pager& pager() const noexcept { return pager_; }
  /// The pager, which stands at `place` or before it.
  const Pager& pager_at(const PagePlace& place);
  /// @{
  /// Of the pages that were decided on.
  std::size_t items_given() const noexcept { return items_given_; }
  std::size_t largest_page() const noexcept { return largest_page_; }
  /// @}

 private:
  Pager new_pager(const PagePlace& place, PagerStart start) const;
  FedPage judge(const PagePlace& place, Arrival& arrival);

  const ClientCore& core_;
  const FeedOptions& options_;
  Pager pager_;
  /// Memory ran out while the pager decided, and what it knew is lost: another one begins so.
  std::optional<PagerStart> lost_;
  std::size_t decided_ = 0;
  std::size_t items_given_ = 0;
  std::size_t largest_page_ = 0;
};

}}  // namespace noun
