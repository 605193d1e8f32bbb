#pragma once
// Suggestions for misspelled names.

#include <span>
#include <string>
#include <string_view>

namespace noun_export {

/// The nearest name within two edits (a letter added, omitted or changed); empty if there is none.
std::string_view nearest_name(std::string_view written, std::span<const std::string_view> names);

}  // namespace noun_export
