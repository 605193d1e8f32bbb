#include "wire/json_lines.hpp"

#include <algorithm>

#include "wire/ascii.hpp"
#include "wire/utf8.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr char record_separator = '\x1E';

}  // namespace

std::optional<StreamEvent> JsonLinesReader::take(std::string_view& rest) {
  if (is_returned_) start_text();
  while (!rest.empty() && !too_large_) {
    if (text_.view().empty()) place_.offset = offset_;
    const auto part = rest.substr(0, text_end(rest));
    // An LF may turn out to be the end of the text, and does not count then.
    const bool is_after_lf = (part.empty() ? text_.view() : part).ends_with('\n');
    if (text_.view().size() + part.size() - (is_after_lf ? 1 : 0) > max_event_bytes_) {
      too_large_ = place_;
      return std::nullopt;
    }
    text_.append(part);
    const bool ends = part.size() < rest.size();
    const bool is_separated = ends && rest[part.size()] == record_separator;
    const auto read = part.size() + (ends ? 1 : 0);
    rest.remove_prefix(read);
    offset_ += read;
    if (!ends) break;
    auto event = end_text(!is_separated || text_.view().ends_with('\n'));
    has_separator_ = is_separated || (has_separator_ && !event);
    if (event) return event;
  }
  text_.keep();
  return std::nullopt;
}

std::optional<StreamEvent> JsonLinesReader::finish(bool is_complete) {
  if (is_returned_) start_text();
  if (too_large_) return std::nullopt;
  if (framing_ == JsonFraming::sequence) return end_text(false);
  // A body without a length is complete wherever its connection ends.
  follow(text_.view());
  return end_text(is_complete && is_closed());
}

/// The position of the LF or RS that ends the text, or the size.
std::size_t JsonLinesReader::text_end(std::string_view bytes) noexcept {
  if (framing_ == JsonFraming::lines) return std::min(bytes.find('\n'), bytes.size());
  std::size_t at = 0;
  while (true) {
    const auto start = at;
    at += find_either(bytes.substr(at), '\n', record_separator);
    // An LF that a separator follows is the end of its text. Brackets are followed only where this is not known.
    if (bytes.substr(at).starts_with("\n\x1E")) return at + 1;
    follow(bytes.substr(start, at - start));
    if (at == bytes.size() || bytes[at] == record_separator || is_closed()) return at;
    ++at;
  }
}

/// Follows brackets and strings of the text.
void JsonLinesReader::follow(std::string_view bytes) noexcept {
  for (const char c : bytes) {
    if (is_in_string_) {
      if (!is_escaped_ && c == '"') is_in_string_ = false;
      is_escaped_ = !is_escaped_ && c == '\\';
      continue;
    }
    if (first_ == ' ' && !is_space(c)) first_ = c;
    if (c == '"') is_in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    if ((c == '}' || c == ']') && depth_ > 0) --depth_;
  }
}

/// @param is_ended  whether it has the end that its format demands.
std::optional<StreamEvent> JsonLinesReader::end_text(bool is_ended) {
  auto text = text_.view();
  if (is_first_ && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  is_first_ = false;
  if (std::all_of(text.begin(), text.end(), is_space)) {
    start_text();
    return std::nullopt;
  }
  const bool is_whole = framing_ == JsonFraming::lines ? is_ended : has_separator_ && (is_ended || shows_its_end(text));
  if (text.back() == '\n') text.remove_suffix(1);
  if (text.back() == '\r') text.remove_suffix(1);
  is_returned_ = true;
  ++place_.number;
  return StreamEvent{.data = text, .is_truncated = !is_whole};
}

/// Whether a text without LF is whole: all brackets and strings are closed, or white space follows a number or a word.
bool JsonLinesReader::shows_its_end(std::string_view text) const noexcept {
  if (!is_closed()) return false;
  return first_ == '{' || first_ == '[' || first_ == '"' || is_space(text.back());
}

void JsonLinesReader::start_text() noexcept {
  text_.clear();
  is_returned_ = false;
  first_ = ' ';
  depth_ = 0;
  is_in_string_ = false;
  is_escaped_ = false;
}

}}}  // namespace noun::wire
