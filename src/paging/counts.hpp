#pragma once
/// @file
/// What the counts in a response say about the pages after it: how many there are, and which can be fetched ahead.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "paging/styles.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// Sizes of the pages of one listing so far.
struct PageSizes {
  std::size_t largest = 0;
  std::size_t smallest = 0;
  /// The only page so far is the one where a bookmark was resumed: it may be the short last one.
  bool is_resumed = false;
};

/// Page numbers or offsets that can be requested: first, first + step, and so on below `end`.
struct Outlook {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t end = 0;
  /// Whether the server reports each of them; otherwise it is an estimate.
  bool is_sure = false;
};

/// How many pages come after this one; nothing if it is not known. A hint for plans, never the end of a listing.
std::optional<std::size_t> pages_left(const paging::Style& style, const PageContext& context, std::size_t largest);

/// The pages from `next` on that can be requested before the ones in front of them are received.
std::optional<Outlook> outlook_of(const paging::Style& style, const PageContext& context, const PagePlace& next,
                                  const PageSizes& sizes);

/// The place `pages` after the first one of the outlook.
std::optional<PagePlace> place_in(const Outlook& outlook, std::size_t pages, const paging::Style& style,
                                  const PagePlace& place, const std::string& body);

}}}  // namespace noun::detail
