#include "sqlite/entry_digest.hpp"

#include <algorithm>
#include <new>

namespace noun { inline namespace v0 { namespace sqlite {
namespace {

constexpr std::uint64_t fnv_start = 0xcbf29ce484222325U;

std::uint64_t fnv(std::uint64_t hash, std::string_view text) noexcept {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// libcrypto fails here only if memory runs out.
void require(bool done) {
  if (!done) throw std::bad_alloc();
}

}  // namespace

std::int64_t id_of(const CacheKey& key) noexcept {
  return static_cast<std::int64_t>(fnv(fnv(fnv_start, key.group), key.name));
}

std::int64_t id_of(std::string_view group) noexcept { return static_cast<std::int64_t>(fnv(fnv_start, group)); }

EntryDigest::EntryDigest(std::string_view database_key) : context_(EVP_CIPHER_CTX_new()) {
  std::array<unsigned char, key_size> key{};
  std::copy_n(database_key.begin(), std::min(database_key.size(), key.size()), key.begin());
  require(context_ && EVP_EncryptInit_ex2(context_.get(), EVP_aes_128_gcm(), key.data(), nullptr, nullptr) == 1);
}

std::string_view EntryDigest::of(const CacheKey& key, std::string_view bytes) {
  // The sizes first: no two keys with their bytes are the same text.
  std::array<unsigned char, 16> sizes{};
  for (unsigned i = 0; i < 8; ++i) {
    sizes[i] = static_cast<unsigned char>(std::uint64_t{key.group.size()} >> (8 * i));
    sizes[8 + i] = static_cast<unsigned char>(std::uint64_t{key.name.size()} >> (8 * i));
  }
  // Where tags have to be secret a nonce is used once. These are not secret.
  constexpr std::array<unsigned char, 12> nonce{};
  auto* const context = context_.get();
  require(EVP_EncryptInit_ex2(context, nullptr, nullptr, nonce.data(), nullptr) == 1);
  add({reinterpret_cast<const char*>(sizes.data()), sizes.size()});
  add(key.group);
  add(key.name);
  add(bytes);
  int none = 0;
  require(EVP_EncryptFinal_ex(context, digest_.data(), &none) == 1 &&
          EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(size), digest_.data()) == 1);
  return {reinterpret_cast<const char*>(digest_.data()), size};
}

void EntryDigest::add(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), most))) {
    const auto part = text.substr(0, most);
    int ignored = 0;
    require(EVP_EncryptUpdate(context_.get(), nullptr, &ignored, reinterpret_cast<const unsigned char*>(part.data()),
                              static_cast<int>(part.size())) == 1);
  }
}

}}}  // namespace noun::sqlite
