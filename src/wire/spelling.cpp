#include "wire/spelling.hpp"

#include <charconv>
#include <system_error>

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// Whether `digits` is the hexadecimal code of `letter`.
bool is_code_of(std::string_view digits, char letter) {
  unsigned code = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  return fault == std::errc{} && end == digits.data() + digits.size() && code == static_cast<unsigned char>(letter);
}

std::size_t length_of_letter(std::string_view text, char letter) {
  constexpr std::size_t json_code = 6;
  constexpr std::size_t percent_code = 3;
  if (text.empty()) return 0;
  if (text.starts_with("\\u") && text.size() >= json_code && is_code_of(text.substr(2, json_code - 2), letter))
    return json_code;
  if (text[0] == '%' && text.size() >= percent_code && is_code_of(text.substr(1, percent_code - 1), letter))
    return percent_code;
  if (text[0] == '\\' && text.size() > 1 && text[1] == letter) return 2;
  return text[0] == letter ? 1 : 0;
}

}  // namespace

std::size_t length_of_spelling(std::string_view text, std::string_view word) {
  std::size_t length = 0;
  for (const char letter : word) {
    const auto step = length_of_letter(text.substr(length), letter);
    if (step == 0) return 0;
    length += step;
  }
  return length;
}

}}}  // namespace noun::wire
