#pragma once
// A hash of a text that is the same in every process and on every machine.

#include <cstdint>
#include <string_view>

namespace noun_export {

/// FNV-1a, 64 bits.
/// @source http://www.isthe.com/chongo/tech/comp/fnv/
constexpr std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

}  // namespace noun_export
