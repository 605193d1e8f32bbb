// Tests of private keys: the signatures of RFC 9421, and keys that are refused.
#include "os/signing_key.hpp"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "wire/base64url.hpp"
#include "wire/vectors.hpp"

namespace noun_test { namespace signing_key_test {

constexpr std::string_view ed25519 = "ed25519";
constexpr std::string_view ecdsa_p256 = "ecdsa-p256-sha256";
constexpr std::string_view ecdsa_p384 = "ecdsa-p384-sha384";
constexpr std::string_view rsa_pss = "rsa-pss-sha512";
constexpr std::string_view rsa_v1_5 = "rsa-v1_5-sha256";
using ::testing::HasSubstr;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

/// A key of tests/data/message_signature_keys.json.
std::string example_key(const std::string& id) {
  for (const auto& key : noun::wire_test::vectors("message_signature_keys.json"))
    if (key.id() == id) return key.data.value("private", "");
  return {};
}

std::string pem_of(const Owned<EVP_PKEY>& key, const char* passphrase = nullptr) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), passphrase == nullptr ? nullptr : EVP_aes_128_cbc(), nullptr, 0,
                                nullptr, const_cast<char*>(passphrase));
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string curve_key(const char* curve) { return pem_of(Owned<EVP_PKEY>(EVP_EC_gen(curve))); }

std::shared_ptr<const noun::SigningKey> read(const std::string& pem, std::string_view algorithm) {
  auto key = noun::read_signing_key(pem, algorithm);
  if (const auto* fault = std::get_if<std::string>(&key)) ADD_FAILURE() << *fault;
  return std::get<std::shared_ptr<const noun::SigningKey>>(std::move(key));
}

std::string fault_of(const std::string& pem, std::string_view algorithm) {
  const auto key = noun::read_signing_key(pem, algorithm);
  const auto* fault = std::get_if<std::string>(&key);
  return fault == nullptr ? "" : *fault;
}

/// An ECDSA signature as OpenSSL has it.
std::string der_of(const std::string& numbers) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  const auto half = static_cast<int>(numbers.size() / 2);
  const Owned<ECDSA_SIG> signature(ECDSA_SIG_new());
  ECDSA_SIG_set0(signature.get(), BN_bin2bn(bytes, half, nullptr), BN_bin2bn(bytes + half, half, nullptr));
  unsigned char* der = nullptr;
  const auto size = i2d_ECDSA_SIG(signature.get(), &der);
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

/// Whether OpenSSL accepts a signature by the key.
bool verifies(const std::string& pem, std::string_view algorithm, const std::string& text, std::string signature) {
  const Owned<BIO> in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  const bool is_pss = algorithm == rsa_pss;
  const bool is_ecdsa = algorithm == ecdsa_p256 || algorithm == ecdsa_p384;
  const auto* hash = algorithm == ed25519      ? nullptr
                     : is_pss                  ? EVP_sha512()
                     : algorithm == ecdsa_p384 ? EVP_sha384()
                                               : EVP_sha256();
  EXPECT_EQ(EVP_DigestVerifyInit(context.get(), &options, hash, nullptr, key.get()), 1);
  if (is_pss) {
    EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(options, 64);
  }
  if (is_ecdsa) signature = der_of(signature);
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

TEST(SigningKey, signs_the_examples_of_rfc_9421_as_openssl_verifies_them) {
  int exact = 0;
  for (const auto& vector : noun::wire_test::vectors("message_signatures.json")) {
    if (vector.data.at("algorithm") == "hmac-sha256") continue;
    SCOPED_TRACE(vector.id());
    const auto algorithm = vector.data.at("algorithm").get<std::string>();
    const auto pem = example_key(vector.data.at("key").get<std::string>());
    const auto base = vector.data.at("base").get<std::string>();
    const auto expected = noun::wire::base64_decode(vector.data.at("signature").get<std::string>()).value();
    const auto signature = read(pem, algorithm)->sign(base);
    EXPECT_EQ(signature.size(), expected.size());
    EXPECT_TRUE(verifies(pem, algorithm, base, signature));
    EXPECT_TRUE(verifies(pem, algorithm, base, expected));
    EXPECT_FALSE(verifies(pem, algorithm, base + ".", signature));
    if (algorithm != ed25519) continue;
    EXPECT_EQ(signature, expected) << "it has no random part";
    ++exact;
  }
  EXPECT_EQ(exact, 2);
}

TEST(SigningKey, signs_with_the_algorithms_that_rfc_9421_has_no_example_of) {
  const auto rsa = example_key("test-key-rsa");
  EXPECT_TRUE(verifies(rsa, rsa_v1_5, "text", read(rsa, rsa_v1_5)->sign("text")));
  EXPECT_TRUE(verifies(rsa, rsa_pss, "text", read(rsa, rsa_pss)->sign("text")));
  const auto curve = curve_key("P-384");
  const auto key = read(curve, ecdsa_p384);
  // A number below 2^376, which DER shortens, comes up once in 256 signatures.
  for (int i = 0; i < 300; ++i) {
    const auto text = std::to_string(i);
    const auto signature = key->sign(text);
    EXPECT_EQ(signature.size(), 96U);
    EXPECT_TRUE(verifies(curve, ecdsa_p384, text, signature));
  }
}

TEST(SigningKey, that_is_not_one_of_the_algorithm_is_refused) {
  EXPECT_THAT(fault_of(example_key("test-key-ecc-p256"), ed25519), HasSubstr("needs an Ed25519 key"));
  EXPECT_THAT(fault_of(example_key("test-key-ed25519"), ecdsa_p256), HasSubstr("a key of the curve P-256"));
  EXPECT_THAT(fault_of(curve_key("P-384"), ecdsa_p256), HasSubstr("a key of the curve P-256"));
  EXPECT_THAT(fault_of(curve_key("P-256"), ecdsa_p384), HasSubstr("a key of the curve P-384"));
  EXPECT_THAT(fault_of(example_key("test-key-rsa-pss"), rsa_v1_5), HasSubstr("not for RSA-PSS alone"));
  EXPECT_THAT(fault_of(pem_of(Owned<EVP_PKEY>(EVP_RSA_gen(1024))), rsa_pss), HasSubstr("2048 bits or more"));
  EXPECT_EQ(fault_of(example_key("test-key-rsa"), rsa_v1_5), "");
}

TEST(SigningKey, that_cannot_be_read_is_refused) {
  for (const auto* text : {"", "secret", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"})
    EXPECT_EQ(fault_of(text, ed25519), "the key is not a private key in PEM") << text;
  const auto curve = Owned<EVP_PKEY>(EVP_EC_gen("P-256"));
  EXPECT_THAT(fault_of(pem_of(curve, "passphrase"), ecdsa_p256), HasSubstr("has a passphrase"));
}

}  // namespace signing_key_test
}  // namespace noun_test
