#pragma once
// The pagings by name.

#include <optional>
#include <span>
#include <string_view>

#include <noun/paging.hpp>

namespace noun_export {

/// A paging.
struct PagingChoice {
  noun::Paging paging = {};
  bool needs_items = false;  ///< whether the position of the items in a page depends on the collection
};

/// The names that paging_named() accepts, sorted.
std::span<const std::string_view> paging_names();
/// The paging of this name; nullopt if there is none.
std::optional<PagingChoice> paging_named(std::string_view name);

}  // namespace noun_export
