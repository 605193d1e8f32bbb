#include <algorithm>
#include <new>

#include <windows.h>

#include <bcrypt.h>

#include "wire/digest.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::size_t sha256_size = 32;
using Sha256 = std::array<unsigned char, sha256_size>;

/// BCrypt fails here only if memory runs out.
void require(NTSTATUS status) {
  if (status != 0) throw std::bad_alloc();
}

/// Hashes texts one after the other. With a null key a digest, otherwise an authentication.
class Hash {
 public:
  Hash(BCRYPT_ALG_HANDLE algorithm, std::string_view key) {
    require(::BCryptCreateHash(algorithm, &hash_, nullptr, 0, bytes_of(key), static_cast<ULONG>(key.size()), 0));
  }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  ~Hash() { ::BCryptDestroyHash(hash_); }

  void add(std::string_view text) {
    require(::BCryptHashData(hash_, bytes_of(text), static_cast<ULONG>(text.size()), 0));
  }
  Sha256 finish() {
    Sha256 digest;
    require(::BCryptFinishHash(hash_, digest.data(), sha256_size, 0));
    return digest;
  }

 private:
  /// BCrypt does not write to them.
  static unsigned char* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  }

  BCRYPT_HASH_HANDLE hash_ = nullptr;
};

BCRYPT_ALG_HANDLE algorithm(ULONG flags) {
  BCRYPT_ALG_HANDLE opened = nullptr;
  require(::BCryptOpenAlgorithmProvider(&opened, BCRYPT_SHA256_ALGORITHM, nullptr, flags));
  return opened;
}

/// Never closed, as all that are opened here: a global client may outlive this file's statics.
BCRYPT_ALG_HANDLE plain_algorithm() {
  static const auto plain = algorithm(0);
  return plain;
}

std::string text_of(const Sha256& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

}  // namespace

std::string sha256(std::string_view text) {
  Hash hash(plain_algorithm(), {});
  hash.add(text);
  return text_of(hash.finish());
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  static const auto keyed = algorithm(BCRYPT_ALG_HANDLE_HMAC_FLAG);
  Hash hash(keyed, key);
  hash.add(text);
  return text_of(hash.finish());
}

bool equal_in_constant_time(std::string_view one, std::string_view other) noexcept {
  if (one.size() != other.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference = static_cast<unsigned char>(difference | static_cast<unsigned char>(one[i] ^ other[i]));
  return difference == 0;
}

Digest KeyedHash::of(std::string_view text) const {
  Hash hash(plain_algorithm(), {});
  hash.add({seed_.data(), seed_.size()});
  hash.add(text);
  const auto whole = hash.finish();
  Digest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

}}}  // namespace noun::wire
