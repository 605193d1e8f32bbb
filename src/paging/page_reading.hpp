#pragma once
/// @file
/// What an answer says of the pages behind it, by the dialect's headers and pointers. What follows is not decided here.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/dialect.hpp>

#include "paging/paging.hpp"
#include "wire/content_range.hpp"

namespace noun { inline namespace v0 {

/// What an answer gives as the next cursor, URL or number.
struct NextTold {
  enum class Kind {
    nothing,     ///< it does not speak of it
    end,         ///< it speaks of it, and gives none
    value,       ///< this one
    unreadable,  ///< a string that is none
  };
  Kind kind = Kind::nothing;
  std::string text = {};  ///< the value as text
  std::string json = {};  ///< the value as JSON
};

/// Whether pages of this style may have a number in their URLs, which is then the page parameter's.
bool has_page_numbers(PagingStyle style) noexcept;

NextTold next_told(const Response& answer, const PagingConvention& convention);

MoreTold more_told(const Response& answer, const PagingConvention& convention);

/// A count of all items.
struct TotalTold {
  std::uint64_t items = 0;
  bool exact = true;  ///< or there are at least so many
};

std::optional<TotalTold> total_told(const Response& answer, const PagingConvention& convention);

/// What of the list the answer is; nothing where it does not say, or cannot be read.
std::optional<wire::ContentRange> content_range_of(const Response& answer);

/// How many items come behind the answer, by its Content-Range; nothing where that is not known.
std::optional<std::uint64_t> items_behind_range(const Response& answer);

std::optional<std::uint64_t> page_count_told(const Response& answer, const PagingConvention& convention);

/// The value at `pointer` as text: a string's, or a number's digits.
std::optional<std::string> text_or_number_at(std::string_view json, std::string_view pointer);

}}  // namespace noun
