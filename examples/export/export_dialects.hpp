#pragma once
// The dialects by their names.

#include <optional>
#include <span>
#include <string_view>

#include <noun/dialect.hpp>

namespace noun_export {

/// The names that dialect_named() takes, in their order.
std::span<const std::string_view> dialect_names();
/// The dialect of this name; nothing if there is none.
std::optional<noun::Dialect> dialect_named(std::string_view name);

}  // namespace noun_export
