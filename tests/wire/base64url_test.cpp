// Base64 in both alphabets.
#include "wire/base64url.hpp"

#include <gtest/gtest.h>

namespace noun::wire {
namespace base64url_test {

using namespace std::literals;

TEST(Base64, the_vectors_of_rfc_4648_are_encoded) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, the_url_alphabet_has_no_padding_plus_or_slash) {
  EXPECT_EQ(base64url_encode("f"), "Zg");
  EXPECT_EQ(base64url_encode("\xFB\xFF\xFE"), "-__-");
  EXPECT_EQ(base64_encode("\xFB\xFF\xFE"), "+//+");
}

TEST(Base64, the_credentials_of_rfc_7617_are_encoded) {
  EXPECT_EQ(base64_encode("Aladdin:open sesame"), "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(Base64, every_byte_at_every_length_comes_back) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, what_no_encoder_wrote_is_refused) {
  for (const auto* text : {"Zg==", "Z", "Zm9vY", "Zm 9", "Zm9v\n", "+//+", "Zm9=", "Zm.9"})
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  EXPECT_EQ(base64url_decode("Zm9\0"sv), std::nullopt);
  EXPECT_EQ(base64url_decode("Zm9\xFF"), std::nullopt);
}

TEST(Base64, the_standard_alphabet_is_read_with_or_without_padding) {
  EXPECT_EQ(base64_decode("Zm9vYg=="), "foob");
  EXPECT_EQ(base64_decode("Zm9vYg"), "foob");
  EXPECT_EQ(base64_decode("Zm9vYh=="), "foob") << "unused bits may be set";
  EXPECT_EQ(base64_decode("+//+"), "\xFB\xFF\xFE");
  for (const auto* text : {"-__-", "Z", "Zm9v=Yg", "Zm9vYg===", "Zm 9"})
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
}

TEST(Base64, unused_bits_that_are_set_are_refused) {
  EXPECT_EQ(base64url_decode("Zh"), std::nullopt);
  EXPECT_EQ(base64url_decode("Zm9"), std::nullopt);
  EXPECT_EQ(base64url_decode("Zm8"), "fo");
}

}  // namespace base64url_test
}  // namespace noun::wire
