#pragma once
/// @file
/// One function for each style: from a page to where the next one is. Whether that may be requested is the pager's, and
/// whether the response says that there is none (paging::End::more_pointer).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <noun/paging.hpp>

#include "decision/location.hpp"
#include "paging/page.hpp"

namespace noun { inline namespace v0 { namespace detail {

/// The advice for a response that contradicts itself.
inline constexpr auto report_to_owner = "report it to the API's owner";

/// There is no further page.
struct LastPage {};
/// The next page, none, or why it is not known.
using NextStep = std::variant<PagePlace, LastPage, Refuse>;

/// What a style sees.
struct PageContext {
  const Paging& paging;
  /// ListOptions::body.
  const std::string& body;
  const PagePlace& place;
  const PageSeen& page;
  /// Items of this page and those before it; nothing if the first page was not seen.
  std::optional<std::uint64_t> received = {};
  /// The number of all items by the last Content-Range.
  std::optional<std::uint64_t> length = {};
  /// What the response of the page reports: whether there are more pages, and how many items there are.
  More more = More::unknown;
  std::optional<Total> total = {};
};

NextStep next_page(const paging::LinkHeader& style, const PageContext& context);
NextStep next_page(const paging::PageNumber& style, const PageContext& context);
NextStep next_page(const paging::Offset& style, const PageContext& context);
NextStep next_page(const paging::Cursor& style, const PageContext& context);
NextStep next_page(const paging::NextUrl& style, const PageContext& context);
NextStep next_page(const paging::LastItem& style, const PageContext& context);
NextStep next_page(const paging::ItemRange& style, const PageContext& context);

/// The style's page numbers, if its pages may have one. GitHub and others have the parameter `page` in their links.
std::optional<paging::PageNumber> numbers_of(const paging::Style& style);

/// @{
/// The page number or offset at a place; nothing if it is not a number, or negative. A place without one is the first.
std::optional<std::int64_t> number_at(const paging::PageNumber& style, const PagePlace& place);
std::optional<std::int64_t> number_at(const paging::Offset& style, const PagePlace& place, const std::string& body);
/// @}
/// @{
/// `place` with another page number or offset.
NextStep at_number(const paging::PageNumber& style, const PagePlace& place, std::int64_t number);
NextStep at_number(const paging::Offset& style, const PagePlace& place, const std::string& body, std::int64_t number);
/// @}

/// `place` with another cursor: in the query or, if the listing has a body and the style a place in it, in the body.
NextStep with_cursor(const PagePlace& place, const std::string& body, const std::string& parameter,
                     const std::string& into_body, std::string_view text, std::string json);

/// The place that begins after `item`, which is on the page at `place`; nothing if it has no key.
std::optional<NextStep> place_after(const paging::LastItem& style, std::string_view item, const PagePlace& place,
                                    const std::string& body);

/// The `Range` field of a first page with so many items; empty if the style does not count in it.
std::string first_range(const paging::Style& style, std::size_t page_size);
/// The index of the first item that `place` requests.
std::uint64_t first_requested(const PagePlace& place);
/// What is wrong with a page that is not the range that was requested, or does not say which it is.
std::optional<Refuse> wrong_range(const paging::ItemRange& style, const PageContext& context);

/// Whether a query parameter of this name says where in the list a page is, and not how large it is.
bool names_position(std::string_view parameter, const Paging& paging);
/// The number of items requested: in the URL, or in the body under the same name.
std::optional<std::uint64_t> page_size_requested(const PageContext& context);
/// Whether the total is reached, if that is the end.
bool total_reached(const PageContext& context);
/// Whether the page is short or empty, if that is the end.
bool is_short(const PageContext& context);
/// The query parameter or the place in the body that a style changes, and whether that is the body.
struct Parameter {
  std::string_view name;
  std::string_view into_body;
};
Parameter parameter_of(const paging::Style& style);

}}}  // namespace noun::detail
