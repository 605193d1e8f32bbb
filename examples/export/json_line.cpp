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

/// JSON without its numbers: nlohmann loses the sign of -0, and rejects numbers beyond a double, as 1e400.
struct Unnumbered {
  std::string text = {};  ///< with a 0 for each number, and a - for each invalid one
  std::vector<std::string_view> numbers = {};
};

std::size_t end_of_string(std::string_view json, std::size_t begin) {
  auto at = begin + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

Unnumbered without_numbers(std::string_view json) {
  Unnumbered without;
  without.text.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '-' || digits_at(json, at) != 0) {
      const auto end = std::min(json.find_first_not_of("0123456789+-.eE", at), json.size());
      without.numbers.push_back(json.substr(at, end - at));
      without.text += is_number(without.numbers.back()) ? '0' : '-';
      at = end;
    } else {
      const auto end = json[at] == '"' ? end_of_string(json, at) : at + 1;
      without.text += json.substr(at, end - at);
      at = end;
    }
  }
  return without;
}

/// A SAX handler that writes the value at a path.
class LineWriter {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  LineWriter(const std::vector<std::string>& path, const std::vector<std::string_view>& numbers)
      : path_(path), next_number_(numbers.begin()) {}

  bool null() { return scalar("null"); }
  bool boolean(bool value) { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t) { return scalar(*next_number_++); }
  bool number_unsigned(number_unsigned_t) { return scalar(*next_number_++); }
  bool number_float(number_float_t, const string_t&) { return scalar(*next_number_++); }
  bool string(string_t& value) { return scalar(writes_ || is_target() ? json_string(value) : std::string()); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(false, "{"); }
  bool start_array(std::size_t) { return open(true, "["); }
  bool end_object() { return close("}"); }
  bool end_array() { return close("]"); }

  bool key(string_t& name) {
    auto& object = open_.back();
    member_on_path_ = object.on_path && open_.size() <= path_.size() && path_[open_.size() - 1] == name;
    if (member_on_path_) {
      // The last of members with the same name counts, as elsewhere in nlohmann.
      line_.clear();
      found_ = false;
    }
    if (writes_) {
      if (object.count != 0) line_ += ',';
      line_ += json_string(name) + ':';
    }
    ++object.count;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    fault_ = error.what();
    // Without nlohmann's tag, the last token, and the position, which refers to the text without numbers.
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

  static std::string json_string(const std::string& text) { return nlohmann::json(text).dump(); }

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
  const auto without = without_numbers(json);
  LineWriter writer(*path, without.numbers);
  if (!nlohmann::json::sax_parse(without.text, &writer)) {
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
