#pragma once
// The dialects by their names.

#include <span>
#include <string>
#include <string_view>

namespace noun_export {

/// The names that dialect_named() takes, in their order.
std::span<const std::string_view> dialect_names();
/// They as text, for --help and for whoever misspelt one: lines of at most `columns`, each behind `indent`.
std::string dialects_text(std::string_view indent, std::size_t columns);

}  // namespace noun_export
