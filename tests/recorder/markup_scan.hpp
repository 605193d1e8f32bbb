#pragma once
// Whether text is well-formed XML, as far as a picture uses it: elements, attributes in double quotes, escaped text.

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace recorder_test {

/// Reads one document; complaint() says what was wrong, or nothing.
class MarkupScan {
 public:
  explicit MarkupScan(std::string_view text) : rest_(text) {
    while (!rest_.empty() && complaint_.empty()) (rest_.front() == '<' ? read_tag() : read_text());
    if (complaint_.empty() && !open_.empty()) complaint_ = "not closed: " + open_.back();
    if (complaint_.empty() && roots_ != 1) complaint_ = "not one root";
  }

  const std::string& complaint() const { return complaint_; }

 private:
  void read_text() {
    const auto text = take(rest_.find('<'));
    check(text);
    if (open_.empty() && text.find_first_not_of(" \n") != std::string_view::npos) complaint_ = "text outside the root";
  }

  void read_tag() {
    rest_.remove_prefix(1);
    if (skip("/")) {
      const auto name = take_name();
      if (open_.empty() || open_.back() != name) return void(complaint_ = "closed, but not open: " + name);
      open_.pop_back();
      if (!skip(">")) complaint_ = "no end of a closing tag";
      return;
    }
    const auto name = take_name();
    if (name.empty()) return void(complaint_ = "a tag without a name");
    while (skip(" ")) read_attribute();
    roots_ += open_.empty() ? 1 : 0;
    if (skip("/>")) return;
    if (!skip(">")) return void(complaint_ = "no end of the tag " + name);
    open_.push_back(name);
  }

  void read_attribute() {
    if (take_name().empty() || !skip("=\"")) return void(complaint_ = "a bad attribute");
    const auto end = rest_.find('"');
    if (end == std::string_view::npos) return void(complaint_ = "an open attribute");
    check(take(end));
    skip("\"");
  }

  void check(std::string_view text) {
    for (auto at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
      const auto rest = text.substr(at);
      if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
          !rest.starts_with("&quot;"))
        complaint_ = "a bare ampersand";
    }
    for (const char c : text)
      if (c == '<' || (static_cast<unsigned char>(c) < 0x20 && c != '\n')) complaint_ = "a character that may not be";
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
  std::string complaint_;
};

}  // namespace recorder_test
