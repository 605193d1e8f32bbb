#include "wire/digest.hpp"

#include <thread>
#include <unordered_set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace noun::wire { namespace digest_test {

template <class Bytes>
std::string hex(const Bytes& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

TEST(Sha256, has_the_vectors_of_fips_180) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(HmacSha256, has_the_vectors_of_rfc_4231) {
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, with_an_empty_key_is_not_that_of_the_key_before) {
  const auto empty = hmac_sha256("", "");
  EXPECT_EQ(hex(empty), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
  EXPECT_NE(hmac_sha256("key", ""), empty);
  EXPECT_EQ(hmac_sha256({}, {}), empty);
}

TEST(EqualInConstantTime, compares_size_and_bytes) {
  EXPECT_TRUE(equal_in_constant_time("", {}));
  EXPECT_TRUE(equal_in_constant_time("ab", "ab"));
  EXPECT_FALSE(equal_in_constant_time("ab", "ac"));
  EXPECT_FALSE(equal_in_constant_time("ab", "a"));
}

TEST(KeyedHash, is_sha256_of_the_seed_and_the_text_cut_to_128_bits) {
  KeyedHash hash({'a', 'b', 'c', 'd', 'b', 'c', 'd', 'e', 'c', 'd', 'e', 'f', 'd', 'e', 'f', 'g'});
  const auto vector = "248d6a61d20638b8e5c026930c3e6039";
  EXPECT_EQ(hex(hash.of("efghfghighijhijkijkljklmklmnlmnomnopnopq")), vector);
  EXPECT_NE(hex(hash.of("")), vector);
  EXPECT_EQ(hex(hash.of("efghfghighijhijkijkljklmklmnlmnomnopnopq")), vector) << "each text is hashed alone";
}

TEST(KeyedHash, differs_by_seed) {
  KeyedHash one({1});
  KeyedHash other({2});
  EXPECT_NE(one.of("a"), other.of("a"));
  EXPECT_EQ(one.seed(), HashSeed{1});
  const std::unordered_set<Digest, DigestHash> set = {one.of("a"), one.of("b"), one.of("a")};
  EXPECT_EQ(set.size(), 2U);
  EXPECT_TRUE(set.contains(one.of("b")));
}

/// As of a global client, whose destructor is called after those of the thread.
TEST(KeyedHash, is_the_same_at_the_end_of_a_thread) {
  struct Last {
    ~Last() {
      if (digest != nullptr) *digest = KeyedHash({}).of("a");
    }
    Digest* digest = nullptr;
  };
  Digest digest = {};
  std::thread([&] {
    thread_local Last last;
    last.digest = &digest;
    KeyedHash({}).of("a");
  }).join();
  EXPECT_EQ(digest, KeyedHash({}).of("a"));
}

}  // namespace digest_test
}  // namespace noun::wire
