#include "wire/percent.hpp"

#include "wire/ascii.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"
constexpr bool is_unreserved(char c) noexcept {
  return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/// pct-encoded = "%" HEXDIG HEXDIG, in upper case (RFC 3986, section 2.1).
void append_escape(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += hex[byte >> 4U];
  out += hex[byte & 15U];
}

bool begins_escape(std::string_view text) {
  return text.size() >= 3 && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0;
}

}  // namespace

void append_segment(std::string& out, std::string_view id) {
  for (const char c : id)
    if (is_unreserved(c))
      out += c;
    else
      append_escape(out, c);
}

void append_query(std::string& out, std::string_view text) { append_segment(out, text); }

void append_written(std::string& out, std::string_view part) {
  constexpr std::string_view others = " \"<>^`{|}";
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    const bool is_foreign = static_cast<unsigned char>(c) >= 0x80 || others.find(c) != std::string_view::npos;
    if (is_foreign || (c == '%' && !begins_escape(part.substr(i))))
      append_escape(out, c);
    else
      out += c;
  }
}

std::optional<std::string> percent_decode(std::string_view text) {
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1))
    if (!begins_escape(text.substr(at))) return std::nullopt;
  return decoded_where_possible(text);
}

std::string decoded_where_possible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || !begins_escape(text.substr(i))) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

bool has_escape_of_escape(std::string_view text) {
  constexpr std::string_view percent = "%25";
  for (auto at = text.find(percent); at != std::string_view::npos; at = text.find(percent, at + 1))
    if (begins_escape(text.substr(at + percent.size() - 1))) return true;
  return false;
}

}}}  // namespace noun::wire
