#pragma once
/// @file
/// A page: where it is, and what its response says about the pages after it. What follows is decided elsewhere.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <noun/paging.hpp>

#include "wire/content_range.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// Where a page is: its request, without what all pages of the listing have in common.
struct PagePlace {
  /// Absolute, without a fragment.
  std::string url = {};
  /// JSON that goes into the listing's body where the style says; the whole body for a PageStrategy. Empty: the body is
  /// sent as it is.
  std::string cursor = {};
  /// The request field `Range`; empty for none.
  std::string range = {};

  friend bool operator==(const PagePlace&, const PagePlace&) = default;
};

/// What the paging decisions need of a page.
struct PageSeen {
  /// Relative links are resolved against its `url`.
  const Response& response;
  std::size_t items = 0;
  /// The bytes of the last item; empty if there is none.
  std::string_view last_item = {};
  /// The bytes of each item.
  std::span<const std::string_view> texts = {};
  /// A hash of the items: pages with the same one are the same page.
  std::size_t fingerprint = 0;
};

/// The next cursor, URL or number in a response.
struct NextValue {
  enum class Kind {
    absent,      ///< the response does not have the place
    end,         ///< null, false or an empty text
    value,       ///< this one
    unreadable,  ///< a string that is not readable text
    misplaced,   ///< something that is no URL, where one should be
  };
  Kind kind = Kind::absent;
  std::string text = {};  ///< the value as text
  std::string json = {};  ///< the value as JSON
  std::string place = {};  ///< of what is misplaced: its pointer
};

/// What counts as a next value.
enum class NextKind { number, cursor, url };

/// @{
/// Reads a value of a document, or the one at `pointer`.
NextValue value_of(std::string_view json, NextKind kind);
NextValue value_at(std::string_view body, std::string_view pointer, NextKind kind);
/// @}
/// Reads the header, if the response has it, otherwise the first of the pointers that has a value. What is misplaced
/// counts only if none has one, and no other pointer leads into it.
NextValue next_value(const Response& response, const TextList& pointers, std::string_view header, NextKind kind);

/// Whether the response says that there are more pages (paging::End::more_pointer).
enum class More { unknown, yes, no };
More more_of(const Response& response, const paging::End& end);

/// The first sign of failure in the response, and its place: `true at /timed_out`.
std::optional<std::string> failure_in(const Response& response, const Paging& paging);

/// A count of all items.
struct Total {
  std::uint64_t items = 0;
  bool exact = true;  ///< otherwise a lower bound
};
std::optional<Total> total_of(const Response& response, const Paging& paging);
std::optional<std::uint64_t> page_count_of(const Response& response, const paging::Totals& totals);

/// Nothing if the field is absent or cannot be read.
std::optional<wire::ContentRange> content_range_of(const Response& response);

/// Whether a value of a document is a number.
bool is_number(std::string_view json);

}}}  // namespace noun::detail
