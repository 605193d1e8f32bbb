#pragma once
// What somebody may have meant who misspelt a name.

#include <span>
#include <string>
#include <string_view>

namespace noun_export {

/// The name that is at most two letters away (added, left out or changed), the nearest; empty without one.
std::string_view nearest_name(std::string_view written, std::span<const std::string_view> names);

}  // namespace noun_export
