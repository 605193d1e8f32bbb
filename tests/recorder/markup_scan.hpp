#pragma once
// Checks that text is well-formed XML, for the subset that pictures use: elements, attributes in double quotes, escaped
// text.

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace recorder_test {

/// Reads one document. error() describes what is wrong; it is empty if nothing is.
class MarkupScan {
 public:
  explicit MarkupScan(std::string_view text) : rest_(text) {
    while (!rest_.empty() && error_.empty()) (rest_.front() == '<' ? read_tag() : read_text());
    if (error_.empty() && !open_.empty()) error_ = "not closed: " + open_.back();
    if (error_.empty() && roots_ != 1) error_ = "not exactly one root element";
  }

  const std::string& error() const { return error_; }

 private:
  void read_text() {
    const auto text = take(rest_.find('<'));
    check(text);
    if (open_.empty() && text.find_first_not_of(" \n") != std::string_view::npos)
      error_ = "text outside the root element";
  }

  void read_tag() {
    rest_.remove_prefix(1);
    if (skip("/")) {
      const auto name = take_name();
      if (open_.empty() || open_.back() != name) return void(error_ = "closed but not opened: " + name);
      open_.pop_back();
      if (!skip(">")) error_ = "a closing tag without >";
      return;
    }
    const auto name = take_name();
    if (name.empty()) return void(error_ = "a tag without a name");
    while (skip(" ")) read_attribute();
    roots_ += open_.empty() ? 1 : 0;
    if (skip("/>")) return;
    if (!skip(">")) return void(error_ = "a tag without >: " + name);
    open_.push_back(name);
  }

  void read_attribute() {
    if (take_name().empty() || !skip("=\"")) return void(error_ = "an invalid attribute");
    const auto end = rest_.find('"');
    if (end == std::string_view::npos) return void(error_ = "an attribute without a closing quote");
    check(take(end));
    skip("\"");
  }

  void check(std::string_view text) {
    for (auto at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
      const auto rest = text.substr(at);
      if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
          !rest.starts_with("&quot;"))
        error_ = "an unescaped ampersand";
    }
    for (const char c : text)
      if (c == '<' || (static_cast<unsigned char>(c) < 0x20 && c != '\n')) error_ = "an invalid character";
  }

  std::string_view take(std::size_t count) {
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string take_name() {
    std::size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '-'))
      ++end;
    return std::string(take(end));
  }
  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  int roots_ = 0;
  std::string error_;
};

}  // namespace recorder_test
