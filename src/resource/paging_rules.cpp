#include "resource/paging_rules.hpp"

#include <fmt/format.h>

#include "paging/page_reading.hpp"
#include "resource/dialect_rules.hpp"

namespace noun { inline namespace v0 {
namespace {

using Fault = std::optional<std::string>;

struct Needs {
  bool page = false;    ///< a page parameter
  bool next = false;    ///< something that says what comes next
  bool cursor = false;  ///< a place for a cursor
};

Needs needs_of(PagingStyle style) {
  switch (style) {
    case PagingStyle::page_number: return {.page = true};
    case PagingStyle::offset:
    case PagingStyle::last_item: return {.cursor = true};
    case PagingStyle::cursor: return {.next = true, .cursor = true};
    case PagingStyle::next_url: return {.next = true};
    case PagingStyle::automatic:
    case PagingStyle::link_header:
    case PagingStyle::range:
    case PagingStyle::custom: break;
  }
  return {};
}

Fault fault_of_needs(const PagingConvention& paging) {
  const auto needs = needs_of(paging.style);
  if (needs.page && paging.page_parameter.empty())
    return "dialect.paging.page_parameter must be given where pages are numbered";
  if (needs.next && paging.next_pointers.empty() && paging.next_header.empty())
    return "dialect.paging.next_pointers or next_header must be given where answers say what comes next";
  if (needs.cursor && paging.cursor_parameter.empty() && paging.cursor_pointer.empty())
    return "dialect.paging.cursor_parameter or cursor_pointer must be given where requests say what comes next";
  if (paging.style == PagingStyle::custom && !paging.strategy)
    return "dialect.paging.strategy must be given where the style is custom";
  return std::nullopt;
}

/// Of the parameters that requests have, two with one name would be one.
Fault fault_of_parameters(const PagingConvention& paging) {
  const auto& size = paging.size_parameter;
  if (size.empty()) return std::nullopt;
  if (has_page_numbers(paging.style) && size == paging.page_parameter)
    return "dialect.paging.page_parameter and size_parameter must be different";
  if (needs_of(paging.style).cursor && size == paging.cursor_parameter)
    return "dialect.paging.cursor_parameter and size_parameter must be different";
  return std::nullopt;
}

Fault fault_of_pointers(const PagingConvention& paging) {
  const NamedText pointers[] = {
      {"items_pointer", paging.items_pointer}, {"cursor_pointer", paging.cursor_pointer},
      {"key_pointer", paging.key_pointer},     {"more_pointer", paging.more_pointer},
      {"total_pointer", paging.total_pointer}, {"page_count_pointer", paging.page_count_pointer}};
  for (const auto& [member, text] : pointers)
    if (auto fault = fault_of_pointer(fmt::format("dialect.paging.{}", member), text)) return fault;
  for (std::size_t i = 0; i < paging.next_pointers.size(); ++i) {
    const auto path = fmt::format("dialect.paging.next_pointers[{}]", i);
    if (paging.next_pointers[i].empty()) return path + " must not be empty";
    if (auto fault = fault_of_pointer(path, paging.next_pointers[i])) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of_paging(const PagingConvention& paging) {
  if (paging.first_page < 0) return "dialect.paging.first_page must not be negative";
  if (auto fault = fault_of_needs(paging)) return fault;
  if (auto fault = fault_of_parameters(paging)) return fault;
  if (auto fault = fault_of_pointers(paging)) return fault;
  if (auto fault = fault_of_names("dialect.paging", {{"total_header", paging.total_header},
                                                     {"next_header", paging.next_header},
                                                     {"page_count_header", paging.page_count_header}}))
    return fault;
  return fault_of_statuses("dialect.paging.expired_statuses", paging.expired_statuses, 400);
}

}}  // namespace noun
