#include "wire/utf8.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace utf8_test {

using namespace std::literals;

std::size_t length(std::string_view text) { return first_character(text).length; }

TEST(Utf8, characters_of_every_length_are_read) {
  EXPECT_EQ(first_character("az").code_point, U'a');
  EXPECT_EQ(length("\0"sv), 1U);
  EXPECT_EQ(first_character("\u00FC!").code_point, U'\u00FC');
  EXPECT_EQ(first_character("\u20AC!").code_point, U'\u20AC');
  EXPECT_EQ(first_character("\U0001F600!").code_point, U'\U0001F600');
  EXPECT_EQ(length("\U0001F600!"), 4U);
}

TEST(Utf8, the_borders_of_every_length_hold) {
  for (const auto* good : {"\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(length(good), std::string_view(good).size()) << good;
}

TEST(Utf8, overlong_surrogate_too_large_and_truncated_sequences_are_invalid) {
  for (const auto* bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
                          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE"})
    EXPECT_EQ(length(bad), 0U);
  for (const auto* cut : {"\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3(", "\xE2(\xAC", "\xE2\x82(", "\xF0\x9F\x98("})
    EXPECT_EQ(length(cut), 0U);
}

TEST(ValidUtf8, valid_text_of_any_length_and_alignment_is_accepted) {
  for (std::size_t before = 0; before < 20; ++before)
    for (std::size_t after = 0; after < 20; ++after) {
      const auto text = std::string(before, 'a') + "\u00FC\u20AC\U0001F600" + std::string(after, 'b');
      EXPECT_TRUE(valid_utf8(text));
      EXPECT_FALSE(valid_utf8(std::string(before, 'a') + "\xFF" + std::string(after, 'b')));
    }
  EXPECT_TRUE(valid_utf8(""));
}

TEST(ValidUtf8, surrogates_overlong_and_truncated_sequences_are_rejected) {
  for (const auto* bad : {"\xED\xA0\x80", "\xC0\xAF", "\xF4\x90\x80\x80", "abc\xE2\x82", "12345678\xC3"})
    EXPECT_FALSE(valid_utf8(bad));
}

}}  // namespace noun::wire::utf8_test
