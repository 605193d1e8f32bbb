#include "wire/base64url.hpp"

#include <array>
#include <cstdint>

namespace noun::inline v0::wire {
namespace {

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The values of the URL alphabet's characters; -1 for all others.
constexpr auto url_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  std::int8_t next = 0;
  for (const char c : url_alphabet) values[static_cast<unsigned char>(c)] = next++;
  return values;
}();

/// Three bytes are four characters; one and two bytes that are left over are two and three.
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

}  // namespace

std::string base64url_encode(std::string_view bytes) { return encoded(bytes, url_alphabet); }

std::optional<std::string> base64url_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = url_values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) out += static_cast<char>((bits >> (count -= 8)) & 255U);
  }
  const bool whole = count < 6 && (bits & ((1U << count) - 1U)) == 0;
  return whole ? std::optional(std::move(out)) : std::nullopt;
}

std::string base64_encode(std::string_view bytes) {
  std::string out = encoded(bytes, standard_alphabet);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

}  // namespace noun::inline v0::wire
