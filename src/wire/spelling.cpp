#include "wire/spelling.hpp"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "wire/ascii.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

bool same_letter(char left, char right) { return to_lower(left) == to_lower(right); }

std::optional<char32_t> code_in(std::string_view digits, int base = 16) {
  unsigned code = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
  if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return code;
}

/// Whether `code` is the letter, or the character if that is not ASCII.
bool is_code_of(std::optional<char32_t> code, char32_t character) {
  if (!code || *code == character) return code.has_value();
  return *code <= 0x7F && character <= 0x7F && same_letter(static_cast<char>(*code), static_cast<char>(character));
}

/// A percent sign is itself encoded as `%25`, each time that a URL becomes a part of another one.
std::size_t length_of_percent_code(std::string_view text, char letter) {
  for (std::size_t digits = 1; digits + 2 <= text.size(); digits += 2) {
    const auto code = code_in(text.substr(digits, 2));
    if (code && same_letter(static_cast<char>(*code), letter)) return digits + 2;
    if (text.substr(digits, 2) != "25") break;
  }
  return 0;
}

/// @source HTML Living Standard, section 13.5.
std::size_t length_of_reference(std::string_view text, char32_t character) {
  constexpr std::pair<std::string_view, char32_t> names[] = {
      {"&amp;", U'&'}, {"&lt;", U'<'}, {"&gt;", U'>'}, {"&quot;", U'"'}, {"&apos;", U'\''}};
  for (const auto& [name, meaning] : names)
    if (meaning == character && text.starts_with(name)) return name.size();
  constexpr std::size_t longest = 10;
  const auto end = text.substr(0, longest).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return 0;
  const bool hexadecimal = text[2] == 'x' || text[2] == 'X';
  const std::size_t start = hexadecimal ? 3 : 2;
  if (start >= end) return 0;
  return is_code_of(code_in(text.substr(start, end - start), hexadecimal ? 16 : 10), character) ? end + 1 : 0;
}

constexpr std::size_t json_code = 6;

std::optional<char32_t> json_unit(std::string_view text) {
  if (!text.starts_with("\\u") || text.size() < json_code) return std::nullopt;
  return code_in(text.substr(2, json_code - 2));
}

/// @source RFC 8259, section 7: a character above U+FFFF is a pair of surrogates.
std::size_t length_of_json_code(std::string_view text, char32_t character) {
  const auto high = json_unit(text);
  if (is_code_of(high, character)) return json_code;
  if (!high || *high < 0xD800 || *high > 0xDBFF) return 0;
  const auto low = json_unit(text.substr(json_code));
  const bool is_pair = low && *low >= 0xDC00 && *low <= 0xDFFF;
  return is_pair && 0x10000 + ((*high - 0xD800) << 10U) + (*low - 0xDC00) == character ? 2 * json_code : 0;
}

std::size_t length_of_letter(std::string_view text, char letter) {
  if (text.empty()) return 0;
  if (text[0] == '%')
    if (const auto length = length_of_percent_code(text, letter)) return length;
  if (text[0] == '\\' && text.size() > 1 && same_letter(text[1], letter)) return 2;
  if (same_letter(text[0], letter)) return 1;
  return letter == ' ' ? length_of_letter(text, '+') : 0;
}

}  // namespace

std::size_t length_of_spelling(std::string_view text, std::string_view word) {
  // A part of the word may itself look like an escape: `%25`.
  const auto literal = same_ignoring_case(text.substr(0, word.size()), word) ? word.size() : 0;
  std::size_t length = 0;
  while (!word.empty()) {
    const auto rest = text.substr(length);
    const auto character = first_character(word);
    auto step = length_of_json_code(rest, character.code_point);
    if (step == 0) step = length_of_reference(rest, character.code_point);
    const bool is_coded = step > 0 && character.length > 0;
    if (!is_coded) step = length_of_letter(rest, word.front());
    if (step == 0) return literal;
    length += step;
    word.remove_prefix(is_coded ? character.length : 1);
  }
  return length;
}

}}}  // namespace noun::wire
