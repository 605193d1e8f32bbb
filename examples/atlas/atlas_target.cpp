// Splits before it decodes, so that an encoded delimiter stays within its segment.
#include "atlas_target.hpp"

#include <fmt/format.h>

#include <charconv>

#include "atlas_response.hpp"

namespace atlas {
namespace {

char decode_byte(std::string_view digits, std::string_view whole) {
  unsigned value = 0;
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != 2 || read.ec != std::errc{} || read.ptr != end) {
    throw HttpError{400, "a % is not followed by two hexadecimal digits in '" + std::string(whole) + "'"};
  }
  return static_cast<char>(value);
}

std::string decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    decoded += decode_byte(text.substr(i + 1, 2), text);
    i += 2;
  }
  return decoded;
}

std::string decode_parameter(std::string_view text) {
  std::string spaced(text);
  for (char& c : spaced) {
    if (c == '+') c = ' ';
  }
  return decode(spaced);
}

/// Removes the text up to the first `delimiter` from `rest` and returns it, without the delimiter.
std::string_view take(std::string_view& rest, char delimiter) {
  const auto at = rest.find(delimiter);
  const auto head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return head;
}

Parameters parse_query(std::string_view text) {
  Parameters query;
  while (!text.empty()) {
    auto parameter = take(text, '&');
    if (parameter.empty()) continue;
    const auto name = take(parameter, '=');
    query.emplace_back(decode_parameter(name), decode_parameter(parameter));
  }
  return query;
}

std::vector<std::string> parse_segments(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<std::string> segments;
  const bool open_end = path.empty() || path.ends_with('/');
  while (!path.empty()) segments.push_back(decode(take(path, '/')));
  if (open_end) segments.emplace_back();
  return segments;
}

std::string_view without_authority(std::string_view target) {
  const auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const auto path = target.find('/', scheme + 3);
  return path == std::string_view::npos ? std::string_view{"/"} : target.substr(path);
}

bool is_unreserved(char c) {
  constexpr std::string_view marks = "-._~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         marks.find(c) != std::string_view::npos;
}

}  // namespace

Target parse_target(std::string_view text) {
  auto rest = without_authority(text);
  const auto path = take(rest, '?');
  return {.path = std::string(path), .segments = parse_segments(path), .query = parse_query(rest)};
}

std::string_view path_of(std::string_view target) {
  auto rest = without_authority(target);
  return take(rest, '?');
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', digits[byte >> 4], digits[byte & 0x0F]};
  }
  return encoded;
}

std::string join_path(const std::vector<std::string>& segments) {
  std::string path;
  for (const auto& segment : segments) path += "/" + percent_encode(segment);
  return path;
}

std::vector<std::string> split_prefix(std::string_view prefix) {
  std::vector<std::string> parts;
  while (!prefix.empty()) {
    const auto part = take(prefix, '/');
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

[[noreturn]] void throw_not_found(const Target& target) {
  throw HttpError{404, fmt::format("{} does not exist", target.path)};
}

}  // namespace atlas
