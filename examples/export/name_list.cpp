#include "name_list.hpp"

namespace noun_export {

std::string name_list(std::span<const std::string_view> names, std::string_view indent, std::size_t columns) {
  std::string text(indent);
  std::size_t width = indent.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view comma = i + 1 == names.size() ? "" : ",";
    const auto wanted = names[i].size() + comma.size();
    if (width > indent.size()) {
      if (width + 1 + wanted > columns) {
        text.append("\n").append(indent);
        width = indent.size();
      } else {
        text += ' ';
        ++width;
      }
    }
    text.append(names[i]).append(comma);
    width += wanted;
  }
  return text;
}

}  // namespace noun_export
