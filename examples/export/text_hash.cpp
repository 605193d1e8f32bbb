#include "text_hash.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

namespace noun_export {

void TextHash::Free::operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }

TextHash::TextHash() : seed_(), context_(EVP_MD_CTX_new()) {
  if (!context_ || EVP_DigestInit_ex2(context_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  if (RAND_bytes(seed_.data(), static_cast<int>(seed_.size())) != 1)
    throw std::runtime_error("the system has no random numbers; check the configuration of OpenSSL");
}

TextDigest TextHash::of(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> whole;
  auto* const context = context_.get();
  if (EVP_DigestInit_ex2(context, nullptr, nullptr) != 1 ||
      EVP_DigestUpdate(context, seed_.data(), seed_.size()) != 1 ||
      EVP_DigestUpdate(context, text.data(), text.size()) != 1 ||
      EVP_DigestFinal_ex(context, whole.data(), nullptr) != 1)
    throw std::bad_alloc();
  TextDigest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

std::string fingerprint_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> whole;
  if (SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), whole.data()) == nullptr)
    throw std::bad_alloc();
  std::string digits;
  for (std::size_t at = 0; at < 8; ++at) digits += fmt::format("{:02x}", whole[at]);
  return digits;
}

}  // namespace noun_export
