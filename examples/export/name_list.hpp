#pragma once
// A list of names as text.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace noun_export {

/// `a, b, c` in lines of at most `columns`, each indented by `indent`.
std::string name_list(std::span<const std::string_view> names, std::string_view indent, std::size_t columns);

}  // namespace noun_export
