#include "wire/base64url.hpp"

#include <gtest/gtest.h>

#include "table.hpp"

namespace noun::wire { namespace base64url_test {

using namespace std::literals;

using wire_test::Table;

TEST(Base64, the_vectors_of_rfc_4648_and_7617_are_encoded_and_decoded) {
  const Table<std::string_view> texts = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"},
                                         {"\xFB\xFF\xFE", "+//+"}};
  for (const auto& [bytes, text] : texts) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
  EXPECT_EQ(base64_encode("Aladdin:open sesame"), "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(Base64, the_url_alphabet_has_no_padding_plus_or_slash) {
  EXPECT_EQ(base64url_encode("f"), "Zg");
  EXPECT_EQ(base64url_encode("\xFB\xFF\xFE"), "-__-");
}

TEST(Base64, every_byte_at_every_length_round_trips) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, invalid_encodings_are_refused) {
  for (const auto text : {"Zg=="sv, "Z"sv, "Zm9vY"sv, "Zm 9"sv, "Zm9v\n"sv, "+//+"sv, "Zm9="sv, "Zm.9"sv, "Zm9\0"sv,
                          "Zm9\xFF"sv, "Zh"sv, "Zm9"sv})
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
}

TEST(Base64, the_standard_alphabet_is_read_without_padding_and_with_unused_bits_set) {
  for (const auto* text : {"Zm9vYg", "Zm9vYh=="}) EXPECT_EQ(base64_decode(text), "foob") << text;
  for (const auto* text : {"-__-", "Z", "Zm9v=Yg", "Zm9vYg===", "Zm 9"})
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
}

TEST(Base64, either_alphabet_is_read_exactly) {
  for (const auto* text : {"-_8", "-_8=", "+/8", "+/8="}) EXPECT_EQ(base64_decode_exactly(text), "\xfb\xff") << text;
  EXPECT_EQ(base64_decode_exactly(""), "");
  for (const auto* text : {"Zm9vYh==", "Zm9vYg=", "Zm9vYg===", "Zm9v====", "+_8=", "Z", "Zm 9"})
    EXPECT_EQ(base64_decode_exactly(text), std::nullopt) << text;
}

}}  // namespace noun::wire::base64url_test
