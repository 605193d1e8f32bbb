#pragma once
/// @file
/// ASCII character classes (RFC 5234, appendix B.1; RFC 9110, section 5.6) and a cursor over text, for every grammar on
/// this floor. Independent of the locale.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace noun { inline namespace v0 { namespace wire {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
/// Predicate for take_until(): stops at the first character that is not a digit.
inline constexpr auto not_digit = [](char c) { return !is_digit(c); };
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_alpha(char c) noexcept { return is_upper(c) || is_lower(c); }
/// OWS = *( SP / HTAB )
constexpr bool is_ows(char c) noexcept { return c == ' ' || c == '\t'; }
/// White space of JSON (RFC 8259, section 2).
constexpr bool is_space(char c) noexcept { return is_ows(c) || c == '\n' || c == '\r'; }
/// CTL = %x00-1F / %x7F
constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; }
/// Characters that a field line must not contain: CTL without HTAB (RFC 9110, section 5.5).
constexpr bool is_control_in_field(char c) noexcept { return is_control(c) && c != '\t'; }
/// tchar, of which a field name and other tokens are made (RFC 9110, section 5.6.2).
constexpr bool is_token_letter(char c) noexcept {
  return is_alpha(c) || is_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
constexpr char to_lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Two lower-case digits for each byte.
inline std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

/// Whether two texts are equal, ignoring the case of ASCII letters.
constexpr bool same_ignoring_case(std::string_view left, std::string_view right) noexcept {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) {
           return a == b || to_lower(a) == to_lower(b);
         });
}

/// The text without leading and trailing OWS.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_ows(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ows(text.back())) text.remove_suffix(1);
  return text;
}

/// Removes the text up to the separator from `rest`, with the separator, and returns it, trimmed. Field lines that a
/// proxy has combined in one are separated by ", ".
/// @source RFC 9110, sections 5.3 and 5.6.1.
constexpr std::string_view take_element(std::string_view& rest, std::string_view separator) noexcept {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto element = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  return element;
}

/// The position of the first `a` or `b`, or the size. Looks for both in a window before it looks further: a text with one
/// of them alone would else be searched to its end for the other, again and again.
constexpr std::size_t find_either(std::string_view text, char a, char b) noexcept {
  std::size_t size = 256;
  for (std::size_t at = 0; at < text.size(); at += size, size *= 2) {
    const auto window = text.substr(at, size);
    const auto before_a = window.substr(0, window.find(a));
    const auto end = std::min(before_a.find(b), before_a.size());
    if (end < window.size()) return at + end;
  }
  return text.size();
}

/// Reads a text from its front. A `take` that fails consumes nothing.
class Cursor {
 public:
  constexpr explicit Cursor(std::string_view text) noexcept : rest_(text) {}

  constexpr bool done() const noexcept { return rest_.empty(); }
  constexpr std::string_view rest() const noexcept { return rest_; }
  /// Whether the next character is `c`.
  constexpr bool at(char c) const noexcept { return !rest_.empty() && rest_.front() == c; }
  constexpr bool at_digit() const noexcept { return !rest_.empty() && is_digit(rest_.front()); }

  constexpr bool take(char c) noexcept {
    const bool found = at(c);
    if (found) rest_.remove_prefix(1);
    return found;
  }
  /// Takes the characters up to the first one for which `stop` returns true, or all of them.
  template <class Stop>
  constexpr std::string_view take_until(Stop stop) noexcept {
    const auto end = std::find_if(rest_.begin(), rest_.end(), stop);
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    const auto taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  /// Takes OWS. Returns whether there was any.
  constexpr bool take_ows() noexcept {
    return !take_until([](char c) { return !is_ows(c); }).empty();
  }
  /// Takes a number of at least `least` and at most `most` digits (at most 9). Fails if another digit follows.
  constexpr std::optional<int> take_number(std::size_t least, std::size_t most) noexcept {
    Cursor ahead = *this;
    const auto digits = ahead.take_until(not_digit);
    if (digits.size() < least || digits.size() > most) return std::nullopt;
    int value = 0;
    for (const char digit : digits) value = value * 10 + (digit - '0');
    *this = ahead;
    return value;
  }

 private:
  std::string_view rest_;
};

}}}  // namespace noun::wire
