#include "wire/spelling.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace spelling_test {

TEST(LengthOfSpelling, accepts_each_spelling_of_a_letter) {
  for (const std::string_view text : {"a/b+", "a\\/b+", "a\\u002Fb\\u002b", "a%2Fb%2b", "%61\\/b\\+", "A/B+", "%41%252fb%25252B",
                                      "&#97;&#x2F;&#X62;&#43;"})
    EXPECT_EQ(length_of_spelling(std::string(text) + " and more", "a/b+"), text.size()) << text;
  EXPECT_EQ(length_of_spelling("a\\\\b", "a\\b"), 4U);
  EXPECT_EQ(length_of_spelling("a\\b", "a\\b"), 3U);
  EXPECT_EQ(length_of_spelling("50%", "50%"), 3U);
  EXPECT_EQ(length_of_spelling("%2525", "%"), 3U);
  for (const std::string_view text : {"a b", "a+b", "a%20b", "a%2520b", "a%2Bb", "a%252Bb", "a&#32;b"})
    EXPECT_EQ(length_of_spelling(text, "a b"), text.size()) << text;
  EXPECT_EQ(length_of_spelling("&amp;&lt;&gt;&quot;&apos;&", "&<>\"'&"), 26U);
}

TEST(LengthOfSpelling, a_word_that_looks_escaped_spells_itself) {
  for (const std::string_view word : {"a%25b", "a\\\\b", "a&amp;b", "a&#38;b", "a\\u0026b", "a%2525"})
    EXPECT_EQ(length_of_spelling(std::string(word) + " and more", word), word.size()) << word;
}

TEST(LengthOfSpelling, knows_characters_that_are_not_ascii_by_their_code) {
  const std::string word = "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";  // U+E4, U+20AC, U+1F600
  for (const std::string text : {word.c_str(), "\\u00e4\\u20AC\\uD83D\\uDE00", "&#228;&#x20AC;&#128512;",
                                 "%C3%a4%E2%82%AC%F0%9F%98%80", "\\u00E4\xE2\x82\xAC&#x1F600;"})
    EXPECT_EQ(length_of_spelling(text + " and more", word), text.size()) << text;
  for (const char* text : {"\\u00e4\\u20AC\\uD83D", "\\u00e4\\u20AC\\uD83D\\uDE01", "\\u00e4\\u20AC\\uD83D\\u00e4",
                           "\\u00e4\\u20AD\\uD83D\\uDE00", "\\u00e4\\uD83D\\uDE00"})
    EXPECT_EQ(length_of_spelling(text, word), 0U) << text;
  // What is no UTF-8 is compared byte by byte.
  EXPECT_EQ(length_of_spelling("%E4\xE4x", "\xE4\xE4x"), 5U);
  EXPECT_EQ(length_of_spelling("\\u0000x", std::string("\xE4x")), 0U);
}

TEST(LengthOfSpelling, is_nothing_for_another_word) {
  for (const char* text : {"", "a", "a/", "a/c", "a%2", "a%25", "a%252", "a%2Eb", "a&#47b", "a&#;b", "a&#x;b",
                           "a&amp;b", "a&#65583;b", "a+b", "a%2Gb", "a\\u002", "a\\u00zzb", "a%2Ebb", "xa/b"})
    EXPECT_EQ(length_of_spelling(text, "a/b"), 0U) << text;
  EXPECT_EQ(length_of_spelling("anything", ""), 0U);
}

}}  // namespace noun::wire::spelling_test
