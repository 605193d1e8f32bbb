#include "wire/digest.hpp"

#include <cstring>
#include <memory>
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

struct Free {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

Context sha256_context() {
  Context context(EVP_MD_CTX_new());
  require(context && EVP_DigestInit_ex2(context.get(), EVP_sha256(), nullptr) == 1);
  return context;
}

constinit thread_local bool has_thread_context_ended = false;

struct ThreadContext {
  ThreadContext() = default;
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;
  ~ThreadContext() { has_thread_context_ended = true; }

  const Context context = sha256_context();
};

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

Digest KeyedHash::of(std::string_view text) const {
  // To make one takes as long as two short texts. At its end a thread may still hash, in destructors of other objects.
  thread_local const ThreadContext own;
  const auto late = has_thread_context_ended ? sha256_context() : nullptr;
  auto* const context = late ? late.get() : own.context.get();
  unsigned char whole[EVP_MAX_MD_SIZE];
  require(EVP_DigestInit_ex2(context, nullptr, nullptr) == 1 &&
          EVP_DigestUpdate(context, seed_.data(), seed_.size()) == 1 &&
          EVP_DigestUpdate(context, text.data(), text.size()) == 1 &&
          EVP_DigestFinal_ex(context, whole, nullptr) == 1);
  Digest digest;
  std::memcpy(digest.data(), whole, digest.size());
  return digest;
}

}}}  // namespace noun::wire
