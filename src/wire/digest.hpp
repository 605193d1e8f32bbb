#pragma once
/// @file
/// Digests: the authentication of a text by a key, and short hashes that nobody can make collide. Computed by libcrypto, or by the system (src/os).

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// The 32 bytes of HMAC-SHA256; any key, also an empty one.
/// @throws std::bad_alloc  if memory runs out.
/// @source RFC 2104; FIPS 180-4.
std::string hmac_sha256(std::string_view key, std::string_view text);
/// The 32 bytes of SHA-256.
/// @throws std::bad_alloc  if memory runs out.
/// @source FIPS 180-4.
std::string sha256(std::string_view text);
/// Compares texts in a time that depends on their sizes only.
bool equal_in_constant_time(std::string_view one, std::string_view other) noexcept;

using Digest = std::array<char, 16>;
/// Its bytes as text.
inline std::string to_text(const Digest& digest) { return {digest.data(), digest.size()}; }
/// For unordered containers: a digest is distributed evenly.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
  }
};
using HashSeed = std::array<char, 16>;

/// SHA-256 of a seed and a text, cut to 128 bits. The same in every process and build. Who does not know the seed
/// cannot look for texts that collide; who knows it needs 2^64 attempts. A text of up to 39 bytes takes one block.
/// @source FIPS 180-4; SipHash costs half as much for short texts, but is missing from OpenSSL's FIPS provider.
class KeyedHash {
 public:
  explicit KeyedHash(const HashSeed& seed) noexcept : seed_(seed) {}

  /// @throws std::bad_alloc  if memory runs out.
  NOUN_API Digest of(std::string_view text) const;
  const HashSeed& seed() const noexcept { return seed_; }

 private:
  HashSeed seed_;
};

}}}  // namespace noun::wire
