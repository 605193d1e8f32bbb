#pragma once
/// @file
/// The fetches of one listing, in the order of their pages, and the budget of bytes that pages fetched ahead share.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <noun/error.hpp>
#include <noun/http.hpp>

#include "paging/pager.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// A page as it was received.
struct FetchedPage {
  std::shared_ptr<const Response> response = {};
  /// Views into the response's body, or into a text that lives as long as the response.
  std::vector<std::string_view> items = {};
  /// The fields of its request, credentials included: reports hide them.
  Headers sent = {};
  /// The number of its call in events.
  std::uint64_t call = 0;
  /// What a PageStrategy returned for it.
  std::optional<StrategyResult> strategy = {};
  /// The time from the start of its call to the end.
  Duration took = {};

  /// From the first item to the last. What is around them, such as a time, does not make another page.
  std::string_view text() const noexcept;
  std::size_t bytes() const noexcept;
};

class PageFetches {
 public:
  using Result = std::variant<FetchedPage, Error>;
  struct Pending {
    std::uint64_t id = 0;
    PagePlace place;
    /// Of the budget, until there is a result.
    std::size_t reserved = 0;
    bool ahead = false;
    /// The page was larger than what was reserved for it: it is fetched again when it is needed.
    bool postponed = false;
    std::optional<Result> result = {};

    std::size_t bytes() const noexcept;
  };

  /// @param budget    bytes of the pages fetched ahead, together.
  /// @param prefetch  the most of them.
  PageFetches(std::size_t budget, std::size_t prefetch) : budget_(budget), prefetch_(prefetch) {}

  /// Adds a fetch after the others.
  const Pending& add(PagePlace place, bool ahead) {
    return start(pending_.emplace_back(Pending{.place = std::move(place), .ahead = ahead}));
  }
  /// Starts the first one again, if it was postponed.
  const Pending* resume_first() noexcept;
  /// Takes a result; one that is not wanted any more is ignored.
  /// @param is_next  the first page of the fetches is the next one to be delivered: it is kept, whatever its size.
  void on_result(std::uint64_t id, Result result, bool is_next);
  /// Takes out the first fetch if it has its result.
  std::optional<Pending> take_first();
  void clear() noexcept { pending_.clear(); }

  /// Whether one more page may be fetched ahead.
  /// @param ready        pages that were received, and wait for the consumer.
  /// @param ready_bytes  of them.
  bool has_room_ahead(std::size_t ready, std::size_t ready_bytes) const noexcept;
  bool is_wanted(std::uint64_t id) const noexcept {
    return std::any_of(pending_.begin(), pending_.end(), [&](const Pending& each) { return each.id == id; });
  }
  bool begins_at(const PagePlace& place) const noexcept {
    return !pending_.empty() && pending_.front().place == place;
  }
  std::size_t size() const noexcept { return pending_.size(); }
  /// Fetches that are not postponed.
  std::size_t requested() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(pending_.begin(), pending_.end(), [](const Pending& each) { return !each.postponed; }));
  }
  /// The time of the fastest fetch so far; nothing before the first page.
  std::optional<Duration> pace() const noexcept { return pace_; }

 private:
  const Pending& start(Pending& pending) noexcept;
  /// What a page that is fetched ahead may take of the budget.
  std::size_t share() const noexcept {
    return std::min(budget_, std::max(budget_ / std::max<std::size_t>(prefetch_, 1), 2 * largest_));
  }
  bool postpone(Pending& pending, const Result& result, bool is_next) noexcept;

  std::size_t budget_;
  std::size_t prefetch_;
  std::deque<Pending> pending_;
  std::uint64_t last_id_ = 0;
  std::size_t largest_ = 0;  // bytes of a page
  std::optional<Duration> pace_;
};

}}}  // namespace noun::detail
