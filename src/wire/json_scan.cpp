#include "wire/json_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/json_reader.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

constexpr bool is_opening(char c) noexcept { return c == '[' || c == '{'; }
constexpr bool is_closing(char c) noexcept { return c == ']' || c == '}'; }
constexpr char closing_of(char opening) noexcept { return opening == '[' ? ']' : '}'; }
/// For each byte whether it is a bracket or begins a string.
constexpr auto is_structure = [] {
  std::array<bool, 256> structure = {};
  for (const char c : {'"', '[', '{', ']', '}'}) structure[static_cast<unsigned char>(c)] = true;
  return structure;
}();
/// Whether the character ends a number or a literal.
constexpr bool ends_scalar(char c) noexcept {
  return is_space(c) || is_opening(c) || is_closing(c) || c == ',' || c == ':' || c == '"';
}

/// The position after the string that starts at `start`; npos if the string has no end.
std::size_t end_of_string(std::string_view text, std::size_t start) noexcept {
  for (auto at = text.find('"', start + 1); at != std::string_view::npos; at = text.find('"', at + 1)) {
    auto before = at;
    while (before > start + 1 && text[before - 1] == '\\') --before;
    if ((at - before) % 2 == 0) return at + 1;
  }
  return std::string_view::npos;
}

/// Describes the value or token that starts with this character, for an error message.
std::string kind_of(char first) {
  switch (first) {
    case '{': return "object";
    case '[': return "array";
    case '"': return "string";
    case 't':
    case 'f': return "boolean";
    case 'n': return "null";
    case ']':
    case '}':
    case ',':
    case ':': return {'\'', first, '\''};
    default: return is_digit(first) || first == '-' ? "number" : "no JSON value";
  }
}

/// Whether `count` digits follow each other. Fast, because such a row has a byte at a multiple of `count`.
bool has_digits_in_a_row(std::string_view text, std::size_t count) noexcept {
  for (std::size_t i = count - 1; i < text.size(); i += count) {
    if (!is_digit(text[i])) continue;
    std::size_t first = i;
    while (first > 0 && is_digit(text[first - 1]) && i - first < count) --first;
    std::size_t end = i + 1;
    while (end < text.size() && is_digit(text[end]) && end - first < count) ++end;
    if (end - first >= count) return true;
  }
  return false;
}

/// Whether a number of JSON is an integer that has no 64-bit type.
bool is_beyond_64_bits(std::string_view number) noexcept {
  return number.find_first_of(".Ee") == std::string_view::npos && !read_integer<std::int64_t>(number) &&
         !read_integer<std::uint64_t>(number);
}

/// Decodes a string with its quotes; nothing for an invalid escape.
std::optional<std::string> unescaped(std::string_view quoted) {
  const auto text = parsed_json(quoted);
  return text.is_string() ? std::optional(text.get<std::string>()) : std::nullopt;
}

bool is_key(std::string_view quoted, std::string_view wanted) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2) == wanted;
  return unescaped(quoted) == wanted;
}

/// array-index = "0" / ( %x31-39 *DIGIT )
std::optional<std::size_t> array_index(std::string_view token) {
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  return read_integer<std::size_t>(token);
}

/// Removes the first token from a JSON pointer (after its "/") and returns it unescaped.
std::string take_token(std::string_view& pointer) {
  const auto end = std::min(pointer.find('/', 1), pointer.size());
  auto token = unescaped_token(pointer.substr(1, end - 1));
  pointer.remove_prefix(end);
  return token;
}

/// Walks over a document. Every step returns whether it succeeded; after a failed one error() has the reason.
class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t max_depth = std::numeric_limits<std::size_t>::max())
      : text_(text), max_depth_(max_depth) {
    if (text.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    skip_space();
  }

  std::size_t position() const { return at_; }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  const std::optional<JsonScanError>& error() const { return error_; }
  bool too_deep() const { return too_deep_; }

  bool fail(std::string what) {
    error_ = JsonScanError{at_, std::move(what)};
    return false;
  }
  bool fail_expecting(std::string_view expected) {
    return fail(std::string(expected) + " expected, " + (at_ < text_.size() ? kind_of(text_[at_]) : "end of text") +
                " found");
  }

  /// Takes the value at the current position, and the space after it.
  bool take_value(std::string_view& value) {
    const auto start = at_;
    if (is_opening(next())) {
      if (!close_all("")) return false;
    } else if (next() == '"') {
      if (!skip_string()) return false;
    } else {
      while (at_ < text_.size() && !ends_scalar(text_[at_])) ++at_;
      if (at_ == start) return fail_expecting("value");
    }
    value = text_.substr(start, at_ - start);
    skip_space();
    return true;
  }

  /// Takes a null at the current position: null counts as an absent member.
  bool take_null() {
    std::string_view value;
    return take_value(value) && (value == "null" || fail("no JSON value"));
  }

  /// Takes `"key" :` and the space after it.
  bool take_key(std::string_view& key) {
    if (next() != '"') return fail_expecting("key");
    const auto start = at_;
    if (!skip_string()) return false;
    key = text_.substr(start, at_ - start);
    skip_space();
    if (next() != ':') return fail("':' expected after a key");
    step();
    return true;
  }

  /// Enters the array or object at the current position.
  /// @returns  whether it has an element; if it has none, the position is after it.
  bool open() {
    open_ += next();
    too_deep_ = too_deep_ || open_.size() > max_depth_;
    step();
    if (next() != closing_of(open_.back())) return true;
    close();
    return false;
  }

  /// After an element or a member: moves to the next one, or after the end of the array or object.
  bool go_on(bool& more) {
    if (!expect_separator()) return false;
    more = next() == ',';
    if (more)
      step();
    else
      close();
    return true;
  }

  /// Leaves all open arrays and objects and reads to the end of the document.
  bool finish() {
    if (!open_.empty() && !(expect_separator() && close_all(std::exchange(open_, {})))) return false;
    skip_space();
    return at_ == text_.size() || fail("text after the end of the document");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  void step() {
    ++at_;
    skip_space();
  }
  void close() {
    open_.pop_back();
    step();
  }

  bool expect_separator() {
    if (at_ == text_.size()) return fail("the text ends inside a value");
    return next() == ',' || next() == closing_of(open_.back()) || fail("',' expected between two values");
  }

  bool skip_string() {
    const auto end = end_of_string(text_, at_);
    if (end == std::string_view::npos) return fail("a string has no end");
    at_ = end;
    return true;
  }

  /// Skips to the position after the last closing bracket of `open`, or of the value at the current position.
  bool close_all(std::string open) {
    do {
      const auto* const next = std::find_if(text_.begin() + at_, text_.end(),
                                            [](char c) { return is_structure[static_cast<unsigned char>(c)]; });
      at_ = static_cast<std::size_t>(next - text_.begin());
      if (at_ == text_.size()) return fail("the text ends inside a value");
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) return false;
        continue;
      }
      if (is_opening(c)) {
        open += c;
        if (open_.size() + open.size() > max_depth_) {
          too_deep_ = true;
          return fail("the text is nested too deep");
        }
      } else {
        if (closing_of(open.back()) != c) return fail("a closing bracket does not match");
        open.pop_back();
      }
      ++at_;
    } while (!open.empty());
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // the brackets that the walk has gone into
  std::size_t max_depth_;
  bool too_deep_ = false;
  std::optional<JsonScanError> error_;
};

enum class Walk { found, absent, failed };

/// Moves to the first member, of the object at the current position, for whose key `wanted` returns true.
template <class Wanted>
Walk enter_member(Scanner& scanner, Wanted wanted) {
  bool more = scanner.open();
  std::string_view key;
  std::string_view value;
  while (more) {
    if (!scanner.take_key(key)) return Walk::failed;
    if (wanted(key)) return Walk::found;
    if (!scanner.take_value(value) || !scanner.go_on(more)) return Walk::failed;
  }
  return Walk::absent;
}

/// Moves to the element of the array at the current position.
Walk enter_element(Scanner& scanner, std::size_t index) {
  bool more = scanner.open();
  std::string_view value;
  for (; more; --index) {
    if (index == 0) return Walk::found;
    if (!scanner.take_value(value) || !scanner.go_on(more)) return Walk::failed;
  }
  return Walk::absent;
}

/// For a value that is no object: null counts as one without members.
Walk enter_nothing(Scanner& scanner) {
  if (scanner.next() == 'n') return scanner.take_null() ? Walk::absent : Walk::failed;
  scanner.fail_expecting("object");
  return Walk::failed;
}

/// Moves to the value that the token names in the current value; after the current value if there is none.
Walk enter_token(Scanner& scanner, std::string_view token) {
  const auto index = array_index(token);
  if (scanner.next() == '{') return enter_member(scanner, [&](std::string_view key) { return is_key(key, token); });
  if (scanner.next() == '[' && index) return enter_element(scanner, *index);
  return enter_nothing(scanner);
}

/// Moves to the value at the pointer.
Walk enter(Scanner& scanner, std::string_view pointer) {
  if (!pointer.empty() && pointer.front() != '/') {
    scanner.fail("a JSON pointer must begin with '/'");
    return Walk::failed;
  }
  Walk walk = Walk::found;
  while (walk == Walk::found && !pointer.empty()) walk = enter_token(scanner, take_token(pointer));
  return walk;
}

/// Like enter(), but a last token `*` means the first member that begins with `opening`.
Walk enter_items(Scanner& scanner, std::string_view pointer, char opening) {
  constexpr std::string_view any = "/*";
  if (!pointer.ends_with(any)) return enter(scanner, pointer);
  pointer.remove_suffix(any.size());
  const auto walk = enter(scanner, pointer);
  if (walk != Walk::found) return walk;
  if (scanner.next() != '{') return enter_nothing(scanner);
  return enter_member(scanner, [&](std::string_view /*key*/) { return scanner.next() == opening; });
}

/// Splits the array at the current position.
bool take_elements(Scanner& scanner, std::vector<std::string_view>& elements) {
  if (scanner.next() != '[') return scanner.fail_expecting("array");
  bool more = scanner.open();
  while (more) {
    std::string_view element;
    if (!scanner.take_value(element) || !scanner.go_on(more)) return false;
    elements.push_back(element);
  }
  return true;
}

/// Splits the object at the current position into names, with their quotes, and values.
bool take_members(Scanner& scanner, std::vector<std::pair<std::string_view, std::string_view>>& members) {
  if (scanner.next() != '{') return scanner.fail_expecting("object");
  bool more = scanner.open();
  while (more) {
    std::string_view name;
    std::string_view value;
    if (!scanner.take_key(name) || !scanner.take_value(value) || !scanner.go_on(more)) return false;
    members.emplace_back(name, value);
  }
  return true;
}

/// Finds the items of a document, which `take` splits, and reads to its end.
/// @param opening  the bracket with which they begin.
/// @returns        what is known of them but the elements.
template <class Take>
JsonElements scan_items(std::string_view text, std::string_view pointer, char opening, std::size_t max_depth,
                        Take take) {
  JsonElements result;
  Scanner scanner(text, max_depth);
  const auto walk = enter_items(scanner, pointer, opening);
  bool good = walk != Walk::failed;
  if (walk == Walk::found) {
    const bool missing = !pointer.empty() && scanner.next() == 'n';
    good = missing ? scanner.take_null() : take(scanner);
  }
  if (!good || !scanner.finish()) result.error = scanner.error();
  result.absent = good && walk != Walk::found;
  result.too_deep = scanner.too_deep();
  return result;
}

}  // namespace

std::string unescaped_token(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    name += escape ? (token[++i] == '1' ? '/' : '~') : token[i];
  }
  return name;
}

bool valid_utf8(std::string_view text) {
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

std::size_t json_depth(std::string_view text, std::size_t enough) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < text.size() && deepest < enough; ++i) {
    if (text[i] == '"') {
      i = end_of_string(text, i) - 1;
      if (i >= text.size()) break;
    } else if (is_opening(text[i])) {
      deepest = std::max(deepest, ++depth);
    } else if (is_closing(text[i]) && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::size_t json_values(std::string_view text) noexcept {
  std::size_t values = 1;
  bool opened = false;  // the last character that is no white space opened an array or object
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_space(c)) continue;
    const bool has_element = std::exchange(opened, is_opening(c)) && !is_closing(c);
    if (has_element || c == ',') ++values;
    if (c == '"') i = end_of_string(text, i) - 1;
    if (i >= text.size()) break;
  }
  return values;
}

std::string_view json_integer_beyond_64_bits(std::string_view text) noexcept {
  if (!has_digits_in_a_row(text, 19)) return {};
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = std::min(end_of_string(text, i), text.size());
    } else if (text[i] == '-' || is_digit(text[i])) {
      const auto number = text.substr(i, text.find_first_not_of("+-.0123456789Ee", i) - i);
      if (is_beyond_64_bits(number)) return number;
      i += number.size();
    } else {
      ++i;
    }
  }
  return {};
}

JsonElements json_elements(std::string_view text, std::string_view pointer, std::size_t max_depth) {
  std::vector<std::string_view> elements;
  auto result = scan_items(text, pointer, '[', max_depth,
                           [&](Scanner& scanner) { return take_elements(scanner, elements); });
  if (!result.error) result.elements = std::move(elements);
  return result;
}

JsonElements json_pairs(std::string_view text, std::string_view pointer, std::string& pairs, std::size_t max_depth) {
  std::vector<std::pair<std::string_view, std::string_view>> members;
  auto result =
      scan_items(text, pointer, '{', max_depth, [&](Scanner& scanner) { return take_members(scanner, members); });
  pairs.clear();
  if (result.error) return result;
  constexpr std::size_t around = 3;  // brackets and comma
  std::size_t size = 0;
  for (const auto& [name, value] : members) size += name.size() + value.size() + around;
  pairs.reserve(size);
  for (const auto& [name, value] : members) {
    const auto start = pairs.size();
    ((((pairs += '[') += name) += ',') += value) += ']';
    result.elements.push_back(std::string_view(pairs).substr(start));
  }
  return result;
}

JsonValue json_value(std::string_view text, std::string_view pointer) {
  Scanner scanner(text);
  std::string_view value;
  const auto walk = enter(scanner, pointer);
  if (walk == Walk::failed || (walk == Walk::found && !scanner.take_value(value)) || !scanner.finish())
    return {.value = std::nullopt, .error = scanner.error()};
  return {.value = walk == Walk::found ? std::optional(value) : std::nullopt, .error = std::nullopt};
}

std::optional<std::string_view> json_at(std::string_view text, std::string_view pointer) {
  Scanner scanner(text);
  std::string_view value;
  if (enter(scanner, pointer) != Walk::found || !scanner.take_value(value)) return std::nullopt;
  return value;
}

std::vector<JsonMember> json_members(std::string_view text) {
  std::vector<std::pair<std::string_view, std::string_view>> written;
  Scanner scanner(text);
  take_members(scanner, written);
  std::vector<JsonMember> members;
  for (const auto& [key, value] : written)
    if (auto name = unescaped(key)) members.push_back({*std::move(name), value});
  return members;
}

std::optional<std::string> json_text_at(std::string_view text, std::string_view pointer) {
  const auto value = json_at(text, pointer);
  return value && value->front() == '"' ? unescaped(*value) : std::nullopt;
}

}}}  // namespace noun::wire
