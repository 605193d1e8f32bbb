#pragma once
/// @file
/// What the counts in a response say about the pages after it: how many there are, and which can be fetched ahead.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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

/// A number that a server wrote, as a count; where it is too large for one, the largest.
constexpr std::size_t counted(std::uint64_t number) noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::size_t>::max()));
}

/// What follows a page, by counts: page numbers, offsets or items: first, first + step, and so on below `end`.
struct Outlook {
  enum class Trust {
    hint,      ///< for plans only; never the end of a listing
    estimate,  ///< the pages can be requested ahead
    reported,  ///< the server reports each of them
  };
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t end = 0;
  Trust trust = Trust::hint;

  std::size_t pages() const noexcept;
};

/// The pages from `next` on; nothing if the response does not count them.
std::optional<Outlook> outlook_of(const paging::Style& style, const PageContext& context, const PagePlace& next,
                                  const PageSizes& sizes);

/// The place `pages` after `next`, if it can be requested before the ones in front of it are received.
std::optional<PagePlace> place_in(const Outlook& outlook, std::size_t pages, const paging::Style& style,
                                  const PagePlace& next, const std::string& body);

}}}  // namespace noun::detail
