#include "json_line.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace noun_export {
namespace {

/// The names and indices in a pointer; nullopt if it is invalid.
std::optional<std::vector<std::string>> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (!pointer.empty() && pointer.front() != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] != '~') {
      tokens.back() += pointer[i];
    } else {
      const char escaped = ++i < pointer.size() ? pointer[i] : ' ';
      if (escaped != '0' && escaped != '1') return std::nullopt;
      tokens.back() += escaped == '0' ? '~' : '/';
    }
  }
  return tokens;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
}

/// @source RFC 8259, section 6
bool is_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto whole = digits_at(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const auto fraction = digits_at(text, at + 1);
    if (fraction == 0) return false;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const auto exponent = digits_at(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

/// Whether the escape of a surrogate is there whose second digit is one of these.
bool is_surrogate(std::string_view text, std::size_t at, std::string_view digits) {
  const auto start = text.substr(std::min(at, text.size()), 4);
  return (start.starts_with("\\ud") || start.starts_with("\\uD")) && start.size() == 4 &&
         digits.find(start.back()) != std::string_view::npos;
}

/// A string with other escapes in place of those of lone surrogates.
std::string without_lone_surrogates(std::string_view string) {
  constexpr std::string_view of_high = "89abAB";
  constexpr std::string_view of_low = "cdefCDEF";
  constexpr std::size_t escape = 6;
  std::string without(string);
  for (auto at = string.find('\\'); at != std::string_view::npos; at = string.find('\\', at)) {
    const bool is_high = is_surrogate(string, at, of_high);
    if (is_high && is_surrogate(string, at + escape, of_low)) {
      at += 2 * escape;
    } else {
      if (is_high || is_surrogate(string, at, of_low)) without.replace(at + 2, 2, "ff");
      at += 2;
    }
  }
  return without;
}

/// JSON without what nlohmann loses or rejects: the sign of -0, numbers beyond a double, as 1e400, and lone surrogates.
/// @source RFC 8259, section 8.2
struct Simplified {
  std::string text = {};  ///< with a 0 for each number, and a - for each invalid one
  std::vector<std::string_view> numbers = {};
  std::vector<std::string_view> strings = {};  ///< empty for those without lone surrogates
};

std::size_t end_of_string(std::string_view json, std::size_t begin) {
  auto at = begin + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

Simplified simplified(std::string_view json) {
  Simplified simple;
  simple.text.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '-' || digits_at(json, at) != 0) {
      const auto end = std::min(json.find_first_not_of("0123456789+-.eE", at), json.size());
      simple.numbers.push_back(json.substr(at, end - at));
      simple.text += is_number(simple.numbers.back()) ? '0' : '-';
      at = end;
    } else if (json[at] == '"') {
      const auto string = json.substr(at, end_of_string(json, at) - at);
      const auto without = without_lone_surrogates(string);
      simple.strings.push_back(without == string ? std::string_view() : string);
      simple.text += without;
      at += string.size();
    } else {
      simple.text += json[at++];
    }
  }
  return simple;
}

/// A SAX handler that writes the value at a path.
class LineWriter {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  LineWriter(const std::vector<std::string>& path, const Simplified& json)
      : path_(path), next_number_(json.numbers.begin()), next_string_(json.strings.begin()) {}

  bool null() { return scalar("null"); }
  bool boolean(bool value) { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t) { return scalar(*next_number_++); }
  bool number_unsigned(number_unsigned_t) { return scalar(*next_number_++); }
  bool number_float(number_float_t, const string_t&) { return scalar(*next_number_++); }
  bool string(string_t& value) {
    const auto sent = *next_string_++;
    return scalar(writes_ || is_target() ? json_string(value, sent) : std::string());
  }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(false, "{"); }
  bool start_array(std::size_t) { return open(true, "["); }
  bool end_object() { return close("}"); }
  bool end_array() { return close("]"); }

  bool key(string_t& name) {
    auto& object = open_.back();
    const auto sent = *next_string_++;
    member_on_path_ = object.on_path && sent.empty() && open_.size() <= path_.size() && path_[open_.size() - 1] == name;
    if (member_on_path_) {
      // The last of members with the same name counts, as elsewhere in nlohmann.
      line_.clear();
      found_ = false;
    }
    if (writes_) {
      if (object.count != 0) line_ += ',';
      line_ += json_string(name, sent) + ':';
    }
    ++object.count;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    fault_ = error.what();
    // Without nlohmann's tag, the last token, and the position, which refers to the simplified text.
    if (const auto begin = fault_.find(": "); begin != std::string::npos) fault_.erase(0, begin + 2);
    fault_ = fault_.substr(0, fault_.find("; last read: "));
    return false;
  }

  bool found() const { return found_; }
  std::string& line() { return line_; }
  std::string& fault() { return fault_; }

 private:
  struct Container {
    bool is_array;
    bool on_path;
    std::size_t count = 0;
  };

  static std::string json_string(const std::string& text, std::string_view sent) {
    return sent.empty() ? nlohmann::json(text).dump() : std::string(sent);
  }

  /// Whether the next value is on the path.
  bool is_on_path() const {
    if (open_.empty()) return true;
    const auto& in = open_.back();
    if (!in.is_array) return member_on_path_;
    return in.on_path && open_.size() <= path_.size() && path_[open_.size() - 1] == std::to_string(in.count);
  }
  bool is_target() const { return open_.size() == path_.size() && is_on_path(); }

  void begin_value() {
    if (is_target()) writes_ = true;
    if (open_.empty() || !open_.back().is_array) return;
    if (writes_ && open_.size() > path_.size() && open_.back().count != 0) line_ += ',';
    ++open_.back().count;
  }
  void end_value() {
    if (!writes_ || open_.size() != path_.size()) return;
    writes_ = false;
    found_ = true;
  }

  bool scalar(std::string_view text) {
    begin_value();
    if (writes_) line_ += text;
    end_value();
    return true;
  }
  bool open(bool is_array, std::string_view bracket) {
    const bool on_path = is_on_path();
    begin_value();
    if (writes_) line_ += bracket;
    open_.push_back({is_array, on_path});
    return true;
  }
  bool close(std::string_view bracket) {
    open_.pop_back();
    if (writes_) line_ += bracket;
    end_value();
    return true;
  }

  const std::vector<std::string>& path_;
  std::vector<std::string_view>::const_iterator next_number_;
  std::vector<std::string_view>::const_iterator next_string_;
  std::vector<Container> open_;
  bool member_on_path_ = false;
  bool writes_ = false;
  bool found_ = false;
  std::string line_;
  std::string fault_;
};

}  // namespace

std::optional<JsonLine> line_at(std::string_view json, std::string_view pointer, std::string& fault) {
  const auto path = tokens_of(pointer);
  if (!path) {
    fault = "'" + std::string(pointer) + "' is not a JSON pointer";
    return std::nullopt;
  }
  // nlohmann treats a zero byte as the end of the text.
  if (json.find('\0') != std::string_view::npos) {
    fault = "it contains a zero byte";
    return std::nullopt;
  }
  const auto simple = simplified(json);
  LineWriter writer(*path, simple);
  if (!nlohmann::json::sax_parse(simple.text, &writer)) {
    fault = std::move(writer.fault());
    return std::nullopt;
  }
  if (!writer.found()) {
    fault = "there is no value at '" + std::string(pointer) + "'";
    return std::nullopt;
  }
  return JsonLine{std::move(writer.line())};
}

}  // namespace noun_export

noun::Result<noun_export::JsonLine> noun::Codec<noun_export::JsonLine>::decode(std::string_view text) {
  std::string fault;
  if (auto line = noun_export::line_at(text, "", fault)) return *std::move(line);
  return noun::Error(noun::Errc::decode, fault);
}
