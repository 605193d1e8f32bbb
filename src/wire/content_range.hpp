#pragma once
/// @file
/// The Content-Range field where it counts items: which of them an answer has, of how many.

#include <cstdint>
#include <optional>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

/// Both ends are counted in.
struct ItemSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend bool operator==(const ItemSpan&, const ItemSpan&) = default;
};

struct ContentRange {
  std::optional<ItemSpan> span;        ///< nothing for `*`: there are none
  std::optional<std::uint64_t> total;  ///< nothing for `*`: it is not known

  friend bool operator==(const ContentRange&, const ContentRange&) = default;
};

/// `items 0-14/23`, or without its unit, as some services have it. Nothing for what is neither, for a unit other than
/// `items`, and for a span that ends before it begins.
/// @source RFC 9110, section 14.4.
std::optional<ContentRange> read_content_range(std::string_view text);

/// `0-14`, or `items=0-14`; nothing for what has no end, as `0-`, or is no range.
std::optional<ItemSpan> read_item_range(std::string_view text);

}}}  // namespace noun::wire
