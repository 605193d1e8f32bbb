#include "wire/printable.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "wire/ascii.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::string_view ellipsis = "\u2026";
constexpr std::string_view replacement = "\uFFFD";

/// C0 and C1 controls, line and paragraph separators, and marks that change the text direction of a terminal.
bool is_unprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || (c >= 0x200E && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

/// How many characters at the front are plain: printable ASCII, but no spaces.
std::size_t plain_at_front(std::string_view bytes) noexcept {
  const auto end = std::find_if(bytes.begin(), bytes.end(), [](char c) { return c <= ' ' || c > '~'; });
  return static_cast<std::size_t>(end - bytes.begin());
}

/// Words in printable ASCII with single spaces between them.
bool is_plain(std::string_view bytes) noexcept {
  char before = ' ';
  for (const char c : bytes) {
    if (c < ' ' || c > '~' || (c == ' ' && before == ' ')) return false;
    before = c;
  }
  return bytes.empty() || before != ' ';
}

}  // namespace

std::string printable_excerpt(std::string_view bytes, std::size_t max) {
  if (bytes.size() <= max && is_plain(bytes)) return std::string(bytes);
  std::string out;
  out.reserve(std::min(bytes.size(), max));
  std::size_t room_for_ellipsis = 0;  // the size to cut `out` to if the text is too long
  bool space_before = false;
  while (!bytes.empty()) {
    if (is_space(bytes.front())) {
      space_before = !out.empty();
      bytes.remove_prefix(1);
      continue;
    }
    const auto plain = plain_at_front(bytes.substr(0, max - out.size()));
    if (plain > 0 && out.size() + plain + 1 + ellipsis.size() <= max) {
      if (std::exchange(space_before, false)) out += ' ';
      out += bytes.substr(0, plain);
      room_for_ellipsis = out.size();
      bytes.remove_prefix(plain);
      continue;
    }
    const auto character = first_character(bytes);
    std::string_view shown = bytes.substr(0, character.length);
    if (character.length == 0)
      shown = replacement;
    else if (is_unprintable(character.code_point))
      shown = ".";
    if (out.size() + shown.size() + (space_before ? 1 : 0) > max) {
      out.resize(room_for_ellipsis);
      if (max >= ellipsis.size()) out += ellipsis;
      return out;
    }
    if (std::exchange(space_before, false)) out += ' ';
    out += shown;
    if (out.size() + ellipsis.size() <= max) room_for_ellipsis = out.size();
    bytes.remove_prefix(character.length == 0 ? 1 : character.length);
  }
  return out;
}

std::string printable_or_size(std::string_view text, std::size_t max) {
  return text.size() <= max ? printable(std::string(text)) : fmt::format("a text of {} bytes", text.size());
}

std::string quoted_path(std::string_view path) { return '"' + printable_excerpt(path, 200) + '"'; }

std::string printable(std::string bytes) {
  if (is_plain(bytes)) return bytes;
  return printable_excerpt(bytes, std::numeric_limits<std::size_t>::max());
}

}}}  // namespace noun::wire
