#include "wire/json_scan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>
#include <noun/detail/json_tree.hpp>

#include "wire/ascii.hpp"
#include "wire/integer.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr bool is_opening(char c) noexcept { return c == '[' || c == '{'; }
constexpr char closing_of(char opening) noexcept { return opening == '[' ? ']' : '}'; }
constexpr bool is_one_of(char c, std::string_view characters) noexcept {
  return characters.find(c) != std::string_view::npos;
}

/// A table of the bytes that are one of the characters.
constexpr auto table_of(std::string_view characters) noexcept {
  std::array<bool, 256> table = {};
  for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr auto brackets_and_quotes = table_of("\"[]{}");
constexpr auto structure = table_of("\"[]{},");

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
    if (is_one_of(first, firsts)) return kind;
  return is_one_of(first, "]},:") ? std::string{'\'', first, '\''} : "no JSON value";
}

/// Decodes a string with its quotes; nothing for an invalid one.
std::optional<std::string> unescaped(std::string_view quoted) {
  nlohmann::json text;
  if (detail::parse_json(quoted, text) || !text.is_string()) return std::nullopt;
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

/// Walks over a document. Every function returns whether it succeeded; after a failed one nothing else is called.
class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t max_depth = std::numeric_limits<std::size_t>::max())
      : text_(text), max_depth_(max_depth) {
    at_ = wire::skip_space(text, text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  }

  std::optional<JsonScanError> error;
  bool absent = false;  ///< find() failed without an error
  bool too_deep = false;

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// Moves to the value at the pointer; past the value that it leads out of if there is none.
  /// @param any  with what the member begins that a last token `*` means; 0: `*` is a name.
  bool find(std::string_view pointer, char any = 0) {
    if (!pointer.empty() && pointer.front() != '/') return fail("a JSON pointer must begin with '/'");
    while (!pointer.empty()) {
      const auto token = pointer.substr(1, pointer.find('/', 1) - 1);
      pointer.remove_prefix(1 + token.size());
      if (!enter(unescaped_token(token), pointer.empty() && token == "*" ? any : 0)) return false;
    }
    return true;
  }

  /// Takes the value at the current position, and the space after it.
  bool take_value(std::string_view& value) {
    const auto start = at_;
    if (is_opening(next())) {
      if (!close_all("")) return false;
    } else if (next() == '"') {
      if (!skip_string()) return false;
    } else {
      while (at_ < text_.size() && !is_space(text_[at_]) && !is_one_of(text_[at_], "[]{},:\"")) ++at_;
      if (at_ == start) return fail_expecting("value");
    }
    value = text_.substr(start, at_ - start);
    at_ = wire::skip_space(text_, at_);
    return true;
  }

  /// Takes a null at the current position: null counts as an absent member.
  bool take_null() {
    std::string_view value;
    return take_value(value) && (value == "null" || fail("no JSON value"));
  }

  /// Splits the array or object at the current position, which has to begin with `opening`.
  bool take_elements(char opening, std::vector<std::string_view>& elements) {
    if (next() != opening) return fail_expecting(opening == '[' ? "array" : "object");
    std::string_view name;
    std::string_view value;
    for (bool more = open(); more;) {
      const auto start = at_;
      if ((opening == '{' && !take_key(name)) || !take_value(value) || !go_on(more)) return false;
      const auto* const end = value.data() + value.size();
      elements.emplace_back(text_.data() + start, static_cast<std::size_t>(end - text_.data()) - start);
    }
    return true;
  }

  /// Leaves all open arrays and objects and reads to the end of the document.
  bool finish() {
    if (!open_.empty() && !(expect_separator() && close_all(std::exchange(open_, {})))) return false;
    at_ = wire::skip_space(text_, at_);
    return at_ == text_.size() || fail("text after the end of the document");
  }

 private:
  bool fail(std::string what) {
    error = JsonScanError{at_, std::move(what)};
    return false;
  }
  bool fail_expecting(std::string_view expected) {
    return fail(std::string(expected) + " expected, " + (at_ < text_.size() ? kind_of(text_[at_]) : "end of text") +
                " found");
  }
  void step() { at_ = wire::skip_space(text_, at_ + 1); }

  /// Enters the array or object at the current position.
  /// @returns  whether it has an element; if it has none, the position is after it.
  bool open() {
    open_ += next();
    too_deep = too_deep || open_.size() > max_depth_;
    step();
    if (next() != closing_of(open_.back())) return true;
    open_.pop_back();
    step();
    return false;
  }

  /// After an element or a member: moves to the next one, or after the end of the array or object.
  bool go_on(bool& more) {
    if (!expect_separator()) return false;
    more = next() == ',';
    if (!more) open_.pop_back();
    step();
    return true;
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
      absent = take_null();
      return false;
    }
    std::string_view key;
    std::string_view value;
    for (bool more = open(); more;) {
      if (is_object && !take_key(key)) return false;
      if (any != 0 ? next() == any : is_object ? is_key(key, name) : (*index)-- == 0) return true;
      if (!take_value(value) || !go_on(more)) return false;
    }
    absent = true;
    return false;
  }

  /// Takes `"key" :` and the space after it.
  bool take_key(std::string_view& key) {
    if (next() != '"') return fail_expecting("key");
    const auto start = at_;
    if (!skip_string()) return false;
    key = text_.substr(start, at_ - start);
    at_ = wire::skip_space(text_, at_);
    if (next() != ':') return fail("':' expected after a key");
    step();
    return true;
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
      at_ = wire::find(text_, at_, brackets_and_quotes);
      if (at_ == text_.size()) return fail("the text ends inside a value");
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) return false;
        continue;
      }
      if (is_opening(c)) {
        open += c;
        too_deep = too_deep || open_.size() + open.size() > max_depth_;
        if (too_deep) return fail("the text is nested too deep");
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

std::string unescaped_token(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    name += escape ? (token[++i] == '1' ? '/' : '~') : token[i];
  }
  return name;
}

JsonElements json_elements(std::string_view text, std::string_view pointer, std::size_t max_depth, char opening) {
  JsonElements result;
  Scanner scanner(text, max_depth);
  bool good = scanner.find(pointer, opening);
  if (good)
    good = !pointer.empty() && scanner.next() == 'n' ? scanner.take_null()
                                                     : scanner.take_elements(opening, result.elements);
  if (!(good || scanner.absent) || !scanner.finish()) result.elements.clear();
  result.error = std::move(scanner.error);
  result.absent = scanner.absent;
  result.too_deep = scanner.too_deep;
  return result;
}

std::pair<std::string_view, std::string_view> json_halves(std::string_view member) {
  const auto end = end_of_string(member, 0);
  return {member.substr(0, end), member.substr(skip_space(member, member.find(':', end) + 1))};
}

JsonValue json_value(std::string_view text, std::string_view pointer) {
  Scanner scanner(text);
  std::string_view value;
  const bool found = scanner.find(pointer) && scanner.take_value(value);
  if ((found || scanner.absent) && scanner.finish() && found) return {value, std::nullopt};
  return {std::nullopt, std::move(scanner.error)};
}

std::optional<std::string_view> json_at(std::string_view text, std::string_view pointer) {
  Scanner scanner(text);
  std::string_view value;
  return scanner.find(pointer) && scanner.take_value(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view text) {
  std::vector<std::string_view> written;
  Scanner(text).take_elements('{', written);
  std::vector<std::pair<std::string, std::string_view>> members;
  for (const auto member : written) {
    const auto [name, value] = json_halves(member);
    if (auto plain = unescaped(name)) members.emplace_back(*std::move(plain), value);
  }
  return members;
}

std::optional<std::string> json_text_at(std::string_view text, std::string_view pointer) {
  const auto value = json_at(text, pointer);
  return value && value->front() == '"' ? unescaped(*value) : std::nullopt;
}

std::optional<std::string> json_scalar_at(std::string_view text, std::string_view pointer) {
  const auto value = pointer.empty() ? std::nullopt : json_at(text, pointer);
  if (!value || *value == "null" || value->front() == '{' || value->front() == '[') return std::nullopt;
  return value->front() == '"' ? unescaped(*value) : std::optional<std::string>(*value);
}

}}}  // namespace noun::wire
