#pragma once
/// @file
/// Follows one listing from page to page: which page is next, and whether it may be requested. Sends nothing.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include <noun/limits.hpp>
#include <noun/paging.hpp>

#include "paging/counts.hpp"
#include "paging/seen_pages.hpp"
#include "paging/styles.hpp"
#include "wire/digest.hpp"
#include "wire/url.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// What follows from a page.
struct PageDecision {
  /// Otherwise its items are those of the page before, or not those requested.
  bool deliver = true;
  NextStep next = LastPage{};
  /// Pages after this one; nothing if it is not known.
  std::optional<std::size_t> pages_left = {};
};

/// Where a listing begins.
struct PagerStart {
  bool is_first = true;                   ///< at its first page
  std::optional<int> guessed_first = {};  ///< Pager::guessed_first(), where it was left
};

/// What a PageStrategy returned.
using StrategyResult = Result<std::optional<paging::PageRequest>>;

/// Where the pages of one listing may be: below the origins that it may visit, once each, and not too many. Their URLs do
/// not grow without end.
class PageBounds {
 public:
  /// @param first    the first page to be requested; its URL of an allowed origin.
  /// @param allowed  where pages may come from.
  PageBounds(const Limits& limits, const PagePlace& first, std::vector<wire::UrlOrigin> allowed);

  /// Why this page must not be requested.
  /// @param pages  how many were received.
  std::optional<Refuse> fault_of(const PagePlace& place, std::size_t pages) const;
  /// Adds a page that is requested.
  void add(const PagePlace& place);

 private:
  std::vector<wire::UrlOrigin> allowed_;
  std::unordered_set<wire::Digest, wire::DigestHash> visited_;
  std::size_t most_pages_;
  std::size_t longest_;
  bool secure_;
};

class Pager {
 public:
  /// @param first    the first page to be requested; its URL of an allowed origin.
  /// @param body     ListOptions::body.
  /// @param allowed  where pages may come from: the client's origin and the trusted ones.
  Pager(Paging paging, const Limits& limits, PagePlace first, std::string body, std::vector<wire::UrlOrigin> allowed,
        PagerStart start = {});

  /// The request for the page at `place`.
  paging::PageRequest request_for(const PagePlace& place) const;
  /// Decides on the page at place(), and moves to the next one.
  /// @param strategy  for a PageStrategy, what it returned for the page.
  PageDecision decide(const PageSeen& page, const StrategyResult* strategy = nullptr);
  /// The page that decide() moved to, or the one that it saw last.
  const PagePlace& place() const noexcept { return place_; }
  /// The page `pages` after place(), if the last response says where it is. An estimate: decide() on the pages before
  /// it may lead elsewhere.
  std::optional<PagePlace> ahead(std::size_t pages) const {
    return outlook_ ? place_in(*outlook_, pages, paging_.style, place_, body_) : std::nullopt;
  }
  /// Whether it is a guess that the server numbers its pages.
  bool guessing() const noexcept { return guessing_; }
  /// The number of the first page, while guessing().
  std::optional<int> guessed_first() const;
  /// What an error status of the page at place() means for the listing: the end, or that it is incomplete. Nothing for
  /// an error like any other.
  std::optional<NextStep> on_status(int status) const;
  /// The exact number of all items by the last response that has one.
  std::optional<std::uint64_t> total() const noexcept { return seen_.total(); }

 private:
  PageContext context_of(const PageSeen& page) const;
  std::optional<PageDecision> repetition(const PageSeen& page);
  std::optional<Refuse> fault_of_end(std::optional<std::uint64_t> received) const;
  NextStep step_after(const PageSeen& page, const StrategyResult* strategy);
  /// The only page, unless it says that there are others.
  NextStep single_step(const PageContext& context) const {
    if (context.more == More::yes) return more_reported();
    return LastPage{};
  }
  Refuse more_reported() const;
  NextStep automatic_step(const paging::Automatic& style, const PageContext& context);
  void guess_numbers(std::string parameter, const PageContext& context);
  NextStep strategy_step(const StrategyResult& result, const PageSeen& page) const;
  bool may_be_numbered(const PageContext& context) const;
  std::optional<Refuse> incomplete(const PageContext& context);
  std::optional<Refuse> wrong_guess(std::string_view response) const;
  Refuse unknown_end(std::string_view response) const;

  Paging paging_;
  PagePlace place_;
  std::string body_;
  PageBounds bounds_;
  SeenPages seen_;
  std::optional<Outlook> outlook_;
  /// What the listing would have ended with, had it not guessed that pages are numbered.
  std::optional<Refuse> incomplete_without_numbers_;
  bool begins_later_;
  bool guessing_;
};

}}}  // namespace noun::detail
