#include "printable_text.hpp"

#include <algorithm>
#include <cstddef>

namespace noun_export {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// The number of bytes of the first character; 0 if it is not UTF-8.
std::size_t length_of_first(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  return length;
}

/// Whether it is an ASCII control, or a C1 control (two bytes), which some terminals obey.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && byte_at(character, 1) < 0xa0);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const auto length = length_of_first(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0)
      line += '?';
    else if (is_control(character))
      line += ' ';
    else
      line += character;
    text.remove_prefix(character.size());
  }
  return line;
}

}  // namespace noun_export
