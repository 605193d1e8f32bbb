#include "wire/digest.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "vocabulary/idle.hpp"

namespace noun { inline namespace v0 { namespace wire {
namespace {

constexpr std::size_t sha256_size = 32;

/// libcrypto fails here only if memory runs out.
void require(bool done) {
  if (!done) throw std::bad_alloc();
}

struct Free {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

Context sha256_context() {
  Context context(EVP_MD_CTX_new());
  require(context && EVP_DigestInit_ex2(context.get(), EVP_sha256(), nullptr) == 1);
  return context;
}

constinit Idle<EVP_MD_CTX, Free> idle;

}  // namespace

std::string sha256(std::string_view text) {
  unsigned char digest[sha256_size];
  require(EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha256(), nullptr) == 1);
  return {reinterpret_cast<const char*>(digest), sha256_size};
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  unsigned char code[sha256_size];
  // A null pointer would mean the key of the call before.
  const auto* begin = key.empty() ? "" : key.data();
  require(HMAC(EVP_sha256(), begin, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
               text.size(), code, nullptr) != nullptr);
  return {reinterpret_cast<const char*>(code), sha256_size};
}

bool equal_in_constant_time(std::string_view one, std::string_view other) noexcept {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

Digest KeyedHash::of(std::string_view text) const {
  // To make one takes as long as two short texts.
  auto context = idle.take();
  if (!context) context = sha256_context();
  unsigned char whole[EVP_MAX_MD_SIZE];
  require(EVP_DigestInit_ex2(context.get(), nullptr, nullptr) == 1 &&
          EVP_DigestUpdate(context.get(), seed_.data(), seed_.size()) == 1 &&
          EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1 &&
          EVP_DigestFinal_ex(context.get(), whole, nullptr) == 1);
  idle.keep(std::move(context));
  Digest digest;
  std::memcpy(digest.data(), whole, digest.size());
  return digest;
}

}}}  // namespace noun::wire
