#include "wire/spelling.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace noun::wire { namespace spelling_test {
namespace {

/// How many bytes at the start of `text` spell `word`.
std::size_t length_of_spelling(std::string_view text, std::string_view word) {
  const std::vector<std::string> words = {std::string(word)};
  const auto parts = SpellingSearch(words).find(text);
  return parts.empty() || parts.front().begin > 0 ? 0 : parts.front().end;
}

std::vector<TextPart> found(std::string_view text, const std::vector<std::string>& words) {
  return SpellingSearch(words).find(text);
}

std::string repeated(std::string_view each, std::size_t count) {
  std::string text;
  while (count-- > 0) text += each;
  return text;
}

}  // namespace

TEST(SpellingSearch, finds_every_word_wherever_it_is) {
  using Parts = std::vector<TextPart>;
  EXPECT_EQ(found("a secret and another", {"secret", "other"}), (Parts{{2, 8}, {15, 20}}));
  EXPECT_EQ(found("secret-key secret", {"secret", "secret-key"}), (Parts{{0, 10}, {11, 17}}));
  EXPECT_EQ(found("xabcdx", {"abc", "bcd"}), (Parts{{1, 5}})) << "overlapping words are one part";
  EXPECT_EQ(found("abab", {"ab"}), (Parts{{0, 4}})) << "so are those that touch";
  EXPECT_EQ(found("aabaab", {"aab", "abaa"}), (Parts{{0, 6}}));
  EXPECT_EQ(found("%2%41bcdef", {"abcdef"}), (Parts{{2, 10}})) << "after what looks like the start of an escape";
  EXPECT_EQ(found("%41/bcdef \\secret", {"41/bcdef", "secret"}), (Parts{{1, 9}, {10, 17}}));
  EXPECT_EQ(found("nothing", {"secret", ""}), Parts{});
  EXPECT_EQ(found("", {"secret"}), Parts{});
}

TEST(SpellingSearch, finds_a_long_word_as_a_whole) {
  std::string word;
  for (int i = 0; i < 200; ++i) word += std::to_string(i * i) + '/';
  EXPECT_EQ(length_of_spelling(word + " and more", word), word.size());
  auto escaped = word;
  for (auto at = escaped.find('/'); at != std::string::npos; at = escaped.find('/', at + 2)) escaped.insert(at, "\\");
  EXPECT_EQ(length_of_spelling(escaped + " and more", word), escaped.size());
  EXPECT_EQ(length_of_spelling(word.substr(0, 255), word), 0U);
  EXPECT_EQ(length_of_spelling(word.substr(0, 300), word), 256U) << "the start of it is secret too";
}

TEST(SpellingSearch, follows_several_ways_to_read_a_text) {
  EXPECT_EQ(length_of_spelling("%25%2525 and %", "%%25"), 8U);
  EXPECT_EQ(length_of_spelling("+%2B&#43;\\u002b\\+", "++ +\\+"), 17U);
  EXPECT_EQ(length_of_spelling(repeated("\\u0061", 300), std::string(300, 'A')), 1800U);
}

TEST(SpellingSearch, accepts_each_spelling_of_a_letter) {
  for (const std::string_view text : {"a/b+", "a\\/b+", "a\\u002Fb\\u002b", "a%2Fb%2b", "%61\\/b\\+", "A/B+",
                                      "%41%252fb%25252B", "&#97;&#x2F;&#X62;&#43;"})
    EXPECT_EQ(length_of_spelling(std::string(text) + " and more", "a/b+"), text.size()) << text;
  EXPECT_EQ(length_of_spelling("a\\\\b", "a\\b"), 4U);
  EXPECT_EQ(length_of_spelling("a\\b", "a\\b"), 3U);
  EXPECT_EQ(length_of_spelling("50%", "50%"), 3U);
  EXPECT_EQ(length_of_spelling("%2525", "%"), 5U);
  for (const std::string_view text : {"a b", "a+b", "a%20b", "a%2520b", "a%2Bb", "a%252Bb", "a&#32;b"})
    EXPECT_EQ(length_of_spelling(text, "a b"), text.size()) << text;
  EXPECT_EQ(length_of_spelling("&amp;&lt;&gt;&quot;&apos;&", "&<>\"'&"), 26U);
}

TEST(SpellingSearch, a_word_that_looks_escaped_spells_itself) {
  for (const std::string_view word : {"a%25b", "a\\\\b", "a&amp;b", "a&#38;b", "a\\u0026b", "a%2525"})
    EXPECT_EQ(length_of_spelling(std::string(word) + " and more", word), word.size()) << word;
}

TEST(SpellingSearch, knows_characters_that_are_not_ascii_by_their_code) {
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

TEST(SpellingSearch, is_nothing_for_another_word) {
  for (const char* text : {"", "a", "a/", "a/c", "a%2", "a%25", "a%252", "a%2Eb", "a&#47b", "a&#;b", "a&#x;b",
                           "a&amp;b", "a&#65583;b", "a+b", "a%2Gb", "a\\u002", "a\\u00zzb", "a%2Ebb", "xa/b"})
    EXPECT_EQ(length_of_spelling(text, "a/b"), 0U) << text;
  EXPECT_EQ(length_of_spelling("anything", ""), 0U);
}

}}  // namespace noun::wire::spelling_test
