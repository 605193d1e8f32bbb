#pragma once
/// @file
/// Signs in a response that there are more pages, at the places where APIs commonly have them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <noun/http.hpp>
#include <noun/paging.hpp>

namespace noun { inline namespace v0 { namespace detail {

/// A place that says that there are more pages, and what this response has there.
struct MoreHint {
  std::string place;
  /// The style that makes use of it, as C++: `noun::paging::NextUrl{.from = "/next"}`; empty if there is none.
  std::string option;
};

/// The clearest sign in the response that there are more pages: at the root, beside the items, in objects there that are
/// about pages (`meta`, `links`, `paging`, …), and in fields. A value of the next page counts more than a statement that
/// there is one, and that more than a count. A statement that this is the last page counts most: then there is none.
std::optional<MoreHint> more_hint(const Response& response, const Paging& paging);

/// The number that the page reports as its own, at one of these places.
std::optional<std::uint64_t> page_number_hint(const Response& response, const Paging& paging);

/// A total at a well-known place, and where. The largest, if there are several.
struct TotalHint {
  std::string place;
  std::uint64_t items = 0;
};
std::optional<TotalHint> total_hint(const Response& response, const Paging& paging);

}}}  // namespace noun::detail
