#include "wire/ascii.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace noun::wire { namespace ascii_test {

TEST(Ascii, classes_hold_at_their_borders) {
  EXPECT_TRUE(is_digit('0') && is_digit('9') && is_upper('A') && is_upper('Z') && is_lower('a') && is_lower('z'));
  EXPECT_FALSE(is_digit('/') || is_digit(':') || is_alpha('@') || is_alpha('[') || is_alpha('`') || is_alpha('{'));
  EXPECT_TRUE(is_control('\0') && is_control('\x1F') && is_control('\x7F'));
  EXPECT_FALSE(is_control(' ') || is_control('\x80'));
}

TEST(Ascii, hexadecimal_digits_have_values_in_both_cases) {
  for (const auto& [digit, value] : {std::pair('0', 0), {'a', 10}, {'F', 15}, {'g', -1}})
    EXPECT_EQ(hex_value(digit), value) << digit;
}

TEST(Ascii, only_the_letters_of_ascii_change_case) {
  EXPECT_EQ(lowered("ÄbC[@"), "Äbc[@");
  EXPECT_TRUE(same_ignoring_case("GMT", "gmt"));
  EXPECT_FALSE(same_ignoring_case("GMT", "gm") || same_ignoring_case("gm", "GMT"));
  EXPECT_FALSE(same_ignoring_case("[", "{"));
}

TEST(Ascii, only_space_at_both_ends_is_trimmed) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed("\na\n"), "\na\n");
  EXPECT_EQ(trimmed("  \t"), "");
}

TEST(Ascii, a_cursor_that_does_not_find_a_number_stays) {
  Cursor cursor("12345x");
  EXPECT_EQ(cursor.take_number(2, 4), std::nullopt);
  EXPECT_EQ(cursor.take_number(6, 9), std::nullopt);
  EXPECT_EQ(cursor.rest(), "12345x");
  EXPECT_EQ(cursor.take_number(5, 5), 12345);
  EXPECT_TRUE(cursor.at('x') && cursor.take('x') && cursor.done());
  EXPECT_FALSE(cursor.at_digit() || cursor.at('x') || cursor.take('x') || cursor.take_ows());
}

}}  // namespace noun::wire::ascii_test
