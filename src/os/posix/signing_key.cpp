#include "os/signing_key.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <new>
#include <utility>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "os/abandon.hpp"
#include "os/process_exit.hpp"

namespace noun { inline namespace v0 {
namespace {

struct Free {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const noexcept { ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

template <class T>
Owned<T> required(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return Owned<T>(made);
}

/// What libcrypto calls for a passphrase, in place of asking at the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

bool is_of_curve(const EVP_PKEY* key, int curve) {
  std::array<char, 64> name{};
  std::size_t size = 0;
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, name.data(), name.size(), &size) == 1 && OBJ_txt2nid(name.data()) == curve;
}

bool is_long_rsa(const EVP_PKEY* key, bool may_be_pss) {
  constexpr int least_bits = 2048;
  const auto kind = EVP_PKEY_get_base_id(key);
  return (kind == EVP_PKEY_RSA || (may_be_pss && kind == EVP_PKEY_RSA_PSS)) && EVP_PKEY_get_bits(key) >= least_bits;
}

/// What an algorithm needs of a key, and does with it.
struct Scheme {
  std::string_view name;
  const char* need;
  bool (*fits)(const EVP_PKEY* key);
  /// Null for none.
  const EVP_MD* (*hash)() = nullptr;
  /// The size of each of the two numbers of an ECDSA signature; 0 for other ones.
  int number_size = 0;
  bool is_pss = false;
};
constexpr Scheme schemes[] = {
    {.name = "ed25519",
     .need = "an Ed25519 key",
     .fits = [](const EVP_PKEY* key) { return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519; }},
    {.name = "ecdsa-p256-sha256",
     .need = "a key of the curve P-256",
     .fits = [](const EVP_PKEY* key) { return is_of_curve(key, NID_X9_62_prime256v1); },
     .hash = EVP_sha256,
     .number_size = 32},
    {.name = "ecdsa-p384-sha384",
     .need = "a key of the curve P-384",
     .fits = [](const EVP_PKEY* key) { return is_of_curve(key, NID_secp384r1); },
     .hash = EVP_sha384,
     .number_size = 48},
    {.name = "rsa-pss-sha512",
     .need = "an RSA key of 2048 bits or more",
     .fits = [](const EVP_PKEY* key) { return is_long_rsa(key, true); },
     .hash = EVP_sha512,
     .is_pss = true},
    {.name = "rsa-v1_5-sha256",
     .need = "an RSA key of 2048 bits or more that is not for RSA-PSS alone",
     .fits = [](const EVP_PKEY* key) { return is_long_rsa(key, false); },
     .hash = EVP_sha256}};

/// The two numbers of an ECDSA signature one after the other, in place of their DER structure.
/// @source RFC 9421, section 3.3.4.
std::string numbers_of(std::string_view der, int size) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const auto signature = required(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  std::string numbers(2 * static_cast<std::size_t>(size), '\0');
  auto* out = reinterpret_cast<unsigned char*>(numbers.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, size);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + size, size);
  return numbers;
}

class LibcryptoKey final : public SigningKey {
 public:
  LibcryptoKey(Owned<EVP_PKEY> key, const Scheme& scheme) : key_(std::move(key)), scheme_(scheme) {}
  ~LibcryptoKey() override {
    // OpenSSL has freed what keys need.
    if (process_ends()) keep_reachable(key_.release());
  }

  std::string sign(std::string_view text) const override {
    const auto context = required(EVP_MD_CTX_new());
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    std::string signature;
    bool done = begin(context.get()) && EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
    if (done) {
      signature.resize(size);
      done = EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                            text.size()) == 1;
    }
    ERR_clear_error();
    if (!done) return {};
    signature.resize(size);
    return scheme_.number_size == 0 ? signature : numbers_of(signature, scheme_.number_size);
  }

 private:
  bool begin(EVP_MD_CTX* context) const {
    EVP_PKEY_CTX* options = nullptr;
    const auto* hash = scheme_.hash == nullptr ? nullptr : scheme_.hash();
    if (EVP_DigestSignInit(context, &options, hash, nullptr, key_.get()) != 1) return false;
    // The salt is as long as the hash (RFC 9421, section 3.3.1).
    return !scheme_.is_pss || (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
                               EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1);
  }

  Owned<EVP_PKEY> key_;
  const Scheme& scheme_;
};

}  // namespace

std::variant<std::shared_ptr<const SigningKey>, std::string> read_signing_key(std::string_view pem,
                                                                              std::string_view algorithm) {
  const auto* scheme =
      std::find_if(std::begin(schemes), std::end(schemes), [&](const Scheme& each) { return each.name == algorithm; });
  if (scheme == std::end(schemes)) return "the algorithm is not known";
  const auto text = required(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  bool has_passphrase = false;
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_passphrase, &has_passphrase));
  ERR_clear_error();
  if (has_passphrase) return "the key has a passphrase; decrypt it with openssl pkey";
  if (!key) return "the key is not a private key in PEM";
  if (!scheme->fits(key.get())) return std::string("the algorithm needs ") + scheme->need;
  return std::make_shared<const LibcryptoKey>(std::move(key), *scheme);
}

}}  // namespace noun
