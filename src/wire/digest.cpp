#include "wire/digest.hpp"

#include <cstring>
#include <new>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace noun { inline namespace v0 { namespace wire {
namespace {

/// libcrypto fails here only if memory runs out.
void require(bool done) {
  if (!done) throw std::bad_alloc();
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view text) {
  constexpr std::size_t size = 32;
  unsigned char code[size];
  // A null pointer would mean the key of the call before.
  const auto* begin = key.empty() ? "" : key.data();
  require(HMAC(EVP_sha256(), begin, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
               text.size(), code, nullptr) != nullptr);
  return {reinterpret_cast<const char*>(code), size};
}

bool equal_in_constant_time(std::string_view one, std::string_view other) noexcept {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::size_t DigestHash::operator()(const Digest& digest) const noexcept {
  std::size_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

void KeyedHash::Free::operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }

KeyedHash::KeyedHash(const HashSeed& seed) : seed_(seed), context_(EVP_MD_CTX_new()) {
  require(context_ && EVP_DigestInit_ex2(context_.get(), EVP_sha256(), nullptr) == 1);
}

Digest KeyedHash::of(std::string_view text) {
  unsigned char whole[EVP_MAX_MD_SIZE];
  auto* const context = context_.get();
  require(EVP_DigestInit_ex2(context, nullptr, nullptr) == 1 &&
          EVP_DigestUpdate(context, seed_.data(), seed_.size()) == 1 &&
          EVP_DigestUpdate(context, text.data(), text.size()) == 1 &&
          EVP_DigestFinal_ex(context, whole, nullptr) == 1);
  Digest digest;
  std::memcpy(digest.data(), whole, digest.size());
  return digest;
}

}}}  // namespace noun::wire
