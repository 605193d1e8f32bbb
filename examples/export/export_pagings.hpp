#pragma once
// The ways to page, by their names.

#include <optional>
#include <span>
#include <string_view>

#include <noun/paging.hpp>

namespace noun_export {

/// A way to page.
struct PagingChoice {
  noun::Paging paging = {};
  bool needs_items = false;  ///< where the items are on a page differs from collection to collection
};

/// The names that paging_named() takes, in their order.
std::span<const std::string_view> paging_names();
/// The paging of this name; nothing if there is none.
std::optional<PagingChoice> paging_named(std::string_view name);

}  // namespace noun_export
