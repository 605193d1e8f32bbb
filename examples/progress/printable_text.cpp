#include "printable_text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace progress {
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
  // A longer form than needed may hide a control.
  const bool overlong = (lead == 0xe0 && byte_at(text, 1) < 0xa0) || (lead == 0xf0 && byte_at(text, 1) < 0x90);
  return overlong ? 0 : length;
}

/// Whether it is an ASCII control, or a C1 control (two bytes), which some terminals obey, or a line separator or a mark
/// that changes the direction of text.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (first < 0x20 || first == 0x7f || (first == 0xc2 && byte_at(character, 1) < 0xa0)) return true;
  constexpr std::u8string_view marks[] = {u8"\u061C", u8"\u200E", u8"\u200F", u8"\u2028", u8"\u2029", u8"\u202A",
                                          u8"\u202B", u8"\u202C", u8"\u202D", u8"\u202E", u8"\u2066", u8"\u2067",
                                          u8"\u2068", u8"\u2069", u8"\uFEFF"};
  return std::any_of(std::begin(marks), std::end(marks), [&](std::u8string_view mark) {
    return std::equal(mark.begin(), mark.end(), character.begin(), character.end(),
                      [](char8_t left, char right) { return left == static_cast<unsigned char>(right); });
  });
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

}  // namespace progress
