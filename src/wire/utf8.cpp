#include "wire/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// The length that a first byte announces, and the smallest code point that needs it.
struct Form {
  std::size_t length;
  unsigned char mask;
  char32_t smallest;
};

Form form_of(unsigned char first) noexcept {
  if (first < 0x80) return {1, 0x7F, 0};
  if (first >= 0xC2 && first <= 0xDF) return {2, 0x1F, 0x80};
  if ((first & 0xF0U) == 0xE0) return {3, 0x0F, 0x800};
  if (first >= 0xF0 && first <= 0xF4) return {4, 0x07, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Character first_character(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  const auto form = form_of(first);
  if (form.length == 0 || form.length > text.size()) return {};
  char32_t code_point = first & form.mask;
  for (std::size_t i = 1; i < form.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    code_point = (code_point << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < form.smallest || surrogate || code_point > 0x10FFFF) return {};
  return {code_point, form.length};
}

bool valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    // Most text is ASCII: check eight bytes at a time.
    std::uint64_t word = 0;
    while (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080U) != 0) break;
      text.remove_prefix(sizeof word);
    }
    if (text.empty()) break;
    const auto length = first_character(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_character(std::string& text, char32_t code_point) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | (code_point >> shift & 0x3FU)); };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0U | code_point >> 6U);
    tail(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0U | code_point >> 12U);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0U | code_point >> 18U);
    tail(12), tail(6), tail(0);
  }
}

}}}  // namespace noun::wire
