#pragma once
/// @file
/// The Content-Range field: which items or bytes a response contains, and how many there are in total.

#include <cstdint>
#include <optional>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// A range of items or bytes; both ends are inclusive.
struct ItemSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend bool operator==(const ItemSpan&, const ItemSpan&) = default;
};

struct ContentRange {
  std::optional<ItemSpan> span;        ///< nothing for `*`: the range is empty
  std::optional<std::uint64_t> total;  ///< nothing for `*`: the total is unknown

  friend bool operator==(const ContentRange&, const ContentRange&) = default;
};

/// Reads `items 0-14/23`. The unit may be missing, since some servers omit it.
/// @returns  nothing for malformed text, for a unit other than `items`, and for a range that ends before it starts.
/// @source RFC 9110, section 14.4.
std::optional<ContentRange> read_content_range(std::string_view text);

/// Reads `bytes 0-14/23`. The unit must be there.
/// @returns  nothing for malformed text, and for a range that ends before it starts.
NOUN_API std::optional<ContentRange> read_byte_range(std::string_view text);

/// Whether the text has the unit `bytes`, readable or not.
bool has_byte_unit(std::string_view text);

/// Reads `0-14` or `items=0-14`.
/// @returns  nothing for malformed text and for a range without an end (`0-`).
std::optional<ItemSpan> read_item_range(std::string_view text);

}}}  // namespace noun::wire
