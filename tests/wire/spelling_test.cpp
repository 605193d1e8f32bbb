#include "wire/spelling.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace spelling_test {

TEST(LengthOfSpelling, accepts_each_spelling_of_a_letter) {
  for (const std::string_view text : {"a/b+", "a\\/b+", "a\\u002Fb\\u002b", "a%2Fb%2b", "%61\\/b\\+"})
    EXPECT_EQ(length_of_spelling(std::string(text) + " and more", "a/b+"), text.size()) << text;
  EXPECT_EQ(length_of_spelling("a\\\\b", "a\\b"), 4U);
  EXPECT_EQ(length_of_spelling("a\\b", "a\\b"), 3U);
  EXPECT_EQ(length_of_spelling("50%", "50%"), 3U);
}

TEST(LengthOfSpelling, is_nothing_for_another_word) {
  for (const char* text : {"", "a", "a/", "a/c", "A/b", "a%2", "a%2Gb", "a\\u002", "a\\u00zzb", "a%2Ebb", "xa/b"})
    EXPECT_EQ(length_of_spelling(text, "a/b"), 0U) << text;
  EXPECT_EQ(length_of_spelling("anything", ""), 0U);
}

}}  // namespace noun::wire::spelling_test
