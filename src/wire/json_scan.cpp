#include "wire/json_scan.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "vocabulary/json_pointer.hpp"
#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr bool is_opening(char c) noexcept { return c == '[' || c == '{'; }
constexpr char closing_of(char opening) noexcept { return opening == '[' ? ']' : '}'; }

/// A table of the bytes that are one of the characters.
constexpr auto table_of(std::string_view characters) noexcept {
  std::array<bool, 256> table = {};
  for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr auto brackets_and_quotes = table_of("\"[]{}");
constexpr auto structure = table_of("\"[]{},");
constexpr auto ends_of_scalars = table_of("\"[]{},: \t\r\n");

/// The first position, from `at`, of a byte in the table; the size of the text if there is none.
std::size_t find(std::string_view text, std::size_t at, const std::array<bool, 256>& table) noexcept {
  while (at < text.size() && !table[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

std::size_t skip_space(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
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
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kinds = {
      {{"{", "object"}, {"[", "array"}, {"\"", "string"}, {"tf", "boolean"}, {"n", "null"}, {"-0123456789", "number"}}};
  for (const auto& [firsts, kind] : kinds)
    if (firsts.find(first) != std::string_view::npos) return kind;
  return ends_of_scalars[static_cast<unsigned char>(first)] ? std::string{'\'', first, '\''} : "no JSON value";
}

/// Decodes a string with its quotes; nothing for an invalid one, and for another value.
std::optional<std::string> unescaped(std::string_view json) {
  nlohmann::json text;
  if (json.front() != '"' || detail::parse_json(json, text)) return std::nullopt;
  return std::move(text.get_ref<std::string&>());
}

bool is_key(std::string_view quoted, std::string_view wanted) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2) == wanted;
  return unescaped(quoted) == wanted;
}

/// array-index = "0" / ( %x31-39 *DIGIT )
std::optional<std::size_t> array_index(std::string_view token) {
  return token.size() > 1 && token.front() == '0' ? std::nullopt : read_integer<std::size_t>(token);
}

/// Walks over a document. After an error it is at the end of the text, so that the walk ends.
class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t max_depth = std::string_view::npos)
      : text_(text), max_depth_(max_depth) {
    move_to(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  }

  JsonElements found;

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// Moves to the value at the pointer; past the value that it leads out of if there is none.
  /// @param any  with what the member begins that a last token `*` means; 0: `*` is a name.
  bool find(std::string_view pointer, char any = 0) {
    if (!pointer.empty() && pointer.front() != '/') return fail("a JSON pointer must begin with '/'");
    while (!pointer.empty()) {
      const auto token = pointer.substr(1, pointer.find('/', 1) - 1);
      pointer.remove_prefix(1 + token.size());
      if (!enter(detail::name_of(token), pointer.empty() && token == "*" ? any : 0)) return false;
    }
    return true;
  }

  /// Takes the value at the current position, and the space after it.
  std::string_view take_value() {
    const auto start = at_;
    if (is_opening(next())) {
      close_to(open_.size());
    } else if (next() == '"') {
      skip_string();
    } else {
      at_ = wire::find(text_, at_, ends_of_scalars);
      if (at_ == start) fail_expecting("value");
    }
    const auto value = text_.substr(start, at_ - start);
    move_to(at_);
    return value;
  }

  /// Takes a null at the current position: null counts as an absent member.
  bool take_null() { return take_value() == "null" || fail("no JSON value"); }

  /// Takes the elements of the array, or the names and values of the object, that begins with `opening`.
  void take_elements(char opening) {
    for (bool more = next() == opening ? open() : fail_expecting(opening == '[' ? "array" : "object"); more;) {
      const auto name = opening == '{' ? take_key() : std::string_view();
      const auto value = take_value();
      more = go_on();
      if (found.error) return;
      if (opening == '{') found.elements.push_back(name);
      found.elements.push_back(value);
    }
  }

  /// Leaves all open arrays and objects, and reads to the end of the document.
  JsonElements finish() {
    if (!open_.empty() && expect_separator()) close_to(0);
    move_to(at_);
    if (at_ < text_.size()) fail("text after the end of the document");
    if (found.error) found.elements.clear();
    return std::move(found);
  }

 private:
  bool fail(std::string_view what) {
    if (!found.error) found.error = JsonScanError{at_, std::string(what)};
    at_ = text_.size();
    return false;
  }
  bool fail_expecting(std::string_view expected) {
    return fail(std::string(expected) + " expected, " + (at_ < text_.size() ? kind_of(text_[at_]) : "end of text") +
                " found");
  }
  void move_to(std::size_t at) { at_ = skip_space(text_, at); }

  /// Enters the array or object at the current position.
  /// @returns  whether it has an element; if it has none, the position is after it.
  bool open() {
    push(next());
    move_to(at_);
    return next() != closing_of(open_.back()) || leave();
  }

  /// After an element or a member: moves to the next one, or after the end of the array or object.
  bool go_on() {
    if (!expect_separator() || next() != ',') return !found.error && leave();
    move_to(at_ + 1);
    return true;
  }
  bool leave() {
    pop();
    move_to(at_);
    return false;
  }

  bool expect_separator() {
    if (at_ == text_.size()) return fail("the text ends inside a value");
    return next() == ',' || next() == closing_of(open_.back()) || fail("',' expected between two values");
  }

  /// Moves to the element that `name` names in the current value.
  bool enter(std::string_view name, char any) {
    const bool is_object = next() == '{';
    auto index = next() == '[' && any == 0 ? array_index(name) : std::nullopt;
    if (!is_object && !index) {
      if (next() != 'n') return fail_expecting("object");
      found.absent = take_null();
      return false;
    }
    for (bool more = open(); more; more = go_on()) {
      const auto key = is_object ? take_key() : std::string_view();
      if (found.error) return false;
      if (any != 0 ? next() == any : is_object ? is_key(key, name) : (*index)-- == 0) return true;
      take_value();
    }
    found.absent = !found.error;
    return false;
  }

  /// Takes `"key" :` and the space after it.
  std::string_view take_key() {
    if (next() != '"') fail_expecting("key");
    const auto key = take_value();
    if (next() == ':')
      move_to(at_ + 1);
    else
      fail("':' expected after a key");
    return key;
  }

  void skip_string() {
    const auto end = end_of_string(text_, at_);
    if (end == std::string_view::npos)
      fail("a string has no end");
    else
      at_ = end;
  }

  void push(char opening) {
    open_ += opening;
    ++at_;
    if (open_.size() > max_depth_) fail("the text is nested too deep");
  }
  void pop() {
    open_.pop_back();
    ++at_;
  }

  /// Moves after the closing bracket that leaves so many arrays and objects open.
  void close_to(std::size_t depth) {
    do {
      at_ = wire::find(text_, at_, brackets_and_quotes);
      if (at_ == text_.size()) return void(fail("the text ends inside a value"));
      const char c = text_[at_];
      if (c == '"')
        skip_string();
      else if (is_opening(c))
        push(c);
      else if (c == closing_of(open_.back()))
        pop();
      else
        fail("a closing bracket does not match");
    } while (open_.size() > depth);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // the brackets that the walk has gone into
  std::size_t max_depth_;
};

}  // namespace

JsonShape json_shape(std::string_view text) noexcept {
  JsonShape shape;
  std::size_t depth = 0;
  for (auto at = find(text, 0, structure); at < text.size(); at = find(text, at, structure)) {
    const char c = text[at];
    at = c == '"' ? std::min(end_of_string(text, at), text.size()) : at + 1;
    if (is_opening(c)) {
      shape.depth = std::max(shape.depth, ++depth);
      at = skip_space(text, at);
      if (at < text.size() && text[at] != closing_of(c)) ++shape.values;
    } else if (c == ',') {
      ++shape.values;
    } else if (c != '"' && depth > 0) {
      --depth;
    }
  }
  return shape;
}

JsonElements json_elements(std::string_view text, std::string_view pointer, std::size_t max_depth, char opening) {
  Scanner scanner(text, max_depth);
  if (!scanner.find(pointer, opening)) return scanner.finish();
  if (!pointer.empty() && scanner.next() == 'n')
    scanner.take_null();
  else
    scanner.take_elements(opening);
  return scanner.finish();
}

JsonElements json_value(std::string_view text, std::string_view pointer) {
  Scanner scanner(text);
  if (scanner.find(pointer)) scanner.found.elements = {scanner.take_value()};
  return scanner.finish();
}

std::optional<std::string_view> json_at(std::string_view text, std::string_view pointer) {
  Scanner scanner(text);
  if (!scanner.find(pointer)) return std::nullopt;
  const auto value = scanner.take_value();
  return scanner.found.error ? std::nullopt : std::optional(value);
}

std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view text) {
  Scanner scanner(text);
  scanner.take_elements('{');
  const auto& halves = scanner.found.elements;
  std::vector<std::pair<std::string, std::string_view>> members;
  for (std::size_t i = 0; i < halves.size(); i += 2)
    if (auto name = unescaped(halves[i])) members.emplace_back(*std::move(name), halves[i + 1]);
  return members;
}

std::optional<std::string> json_text_at(std::string_view text, std::string_view pointer) {
  const auto value = json_at(text, pointer);
  return value ? unescaped(*value) : std::nullopt;
}

std::optional<std::string> json_scalar_at(std::string_view text, std::string_view pointer) {
  const auto value = pointer.empty() ? std::nullopt : json_at(text, pointer);
  if (!value || *value == "null" || is_opening(value->front())) return std::nullopt;
  return value->front() == '"' ? unescaped(*value) : std::optional<std::string>(*value);
}

}}}  // namespace noun::wire
