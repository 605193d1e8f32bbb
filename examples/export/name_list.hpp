#pragma once
// Names to choose from, as text.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace noun_export {

/// `a, b, c` in lines of at most `columns`, each behind `indent`.
std::string name_list(std::span<const std::string_view> names, std::string_view indent, std::size_t columns);

}  // namespace noun_export
