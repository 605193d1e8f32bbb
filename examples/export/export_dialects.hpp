#pragma once
// The dialects by name.

#include <optional>
#include <span>
#include <string_view>

#include <noun/dialect.hpp>

namespace noun_export {

/// The names that dialect_named() accepts, sorted.
std::span<const std::string_view> dialect_names();
/// The dialect of this name; nullopt if there is none.
std::optional<noun::Dialect> dialect_named(std::string_view name);

}  // namespace noun_export
