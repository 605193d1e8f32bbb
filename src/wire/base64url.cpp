#include "wire/base64url.hpp"

#include <array>
#include <cstdint>

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Values = std::array<std::int8_t, 256>;

/// The values of an alphabet's characters; -1 for all others.
constexpr Values values_of(std::string_view alphabet) {
  Values values{};
  values.fill(-1);
  std::int8_t next = 0;
  for (const char c : alphabet) values[static_cast<unsigned char>(c)] = next++;
  return values;
}

constexpr Values standard_values = values_of(standard_alphabet);
constexpr Values url_values = values_of(url_alphabet);

/// 3 bytes become 4 characters; a rest of 1 or 2 bytes becomes 2 or 3.
std::string encoded(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(byte);
    count += 8;
    while (count >= 6) out += alphabet[(bits >> (count -= 6)) & 63U];
  }
  if (count > 0) out += alphabet[(bits << (6 - count)) & 63U];
  return out;
}

/// @param exact  whether the unused bits of the last character must be 0.
std::optional<std::string> decoded(std::string_view text, const Values& values, bool exact) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) out += static_cast<char>((bits >> (count -= 8)) & 255U);
  }
  const bool whole = count < 6 && (!exact || (bits & ((1U << count) - 1U)) == 0);
  return whole ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::string base64url_encode(std::string_view bytes) { return encoded(bytes, url_alphabet); }

std::optional<std::string> base64url_decode(std::string_view text) { return decoded(text, url_values, true); }

std::string base64_encode(std::string_view bytes) {
  std::string out = encoded(bytes, standard_alphabet);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decoded(text, standard_values, false);
}

std::optional<std::string> base64_decode_exactly(std::string_view text) {
  if (text.ends_with('=') && text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decoded(text, text.find_first_of("-_") == std::string_view::npos ? standard_values : url_values, true);
}

}}}  // namespace noun::wire
