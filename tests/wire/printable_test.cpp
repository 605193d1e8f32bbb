#include "wire/printable.hpp"

#include <gtest/gtest.h>

#include "table.hpp"
#include "wire/utf8.hpp"

namespace noun::wire { namespace printable_test {

using namespace std::literals;

using wire_test::Table;

TEST(PrintableExcerpt, controls_and_direction_marks_become_dots_and_invalid_bytes_replacements) {
  for (const auto& [text, shown] :
       Table<std::string_view>{{"<h1>502 Bad G\u00E4teway</h1> \U0001F600", "<h1>502 Bad G\u00E4teway</h1> \U0001F600"},
                               {"", ""},
                               {"a\0b\x1B[31m\x7F"sv, "a.b.[31m."},
                               {"\u0085\u009B\u2028", "..."},
                               {"\u202Egnp.exe\u2066\u200F\u061C\uFEFF", ".gnp.exe...."},
                               {"a\xFF\xC3(", "a\uFFFD\uFFFD("}})
    EXPECT_EQ(printable_excerpt(text, 100), shown);
}

TEST(PrintableExcerpt, white_space_is_collapsed_and_the_words_are_kept) {
  for (const auto& [text, shown] : Table<std::string_view>{{"{\r\n  \"a\":\t1\n}\n", "{ \"a\": 1 }"},
                                                           {"  one\n\n\ntwo  ", "one two"},
                                                           {" \n ", ""},
                                                           {"a\u2028b", "a.b"}})
    EXPECT_EQ(printable_excerpt(text, 100), shown);
  EXPECT_EQ(printable_excerpt("abc" + std::string(1000, '\n') + "d", 6), "abc d");
  EXPECT_EQ(printable_excerpt("abcde  ", 6), "abcde");
}

TEST(PrintableExcerpt, long_text_is_cut_with_an_ellipsis_if_it_fits) {
  EXPECT_EQ(printable_excerpt("abcdef", 6), "abcdef");
  EXPECT_EQ(printable_excerpt("abcdefg", 6), "abc\u2026");
  EXPECT_EQ(printable_excerpt("ab\u00FCde\u00FC", 7), "ab\u00FC\u2026");
  EXPECT_EQ(printable_excerpt("abcdef", 2), "");
  EXPECT_EQ(printable_excerpt("abcdef", 3), "\u2026");
  EXPECT_EQ(printable_excerpt("ab", 2), "ab");
}

TEST(PrintableExcerpt, no_character_is_cut_in_two) {
  const std::string text = "\u00E4\u20AC\U0001F600xyz\u00E4\u20AC\U0001F600";
  for (std::size_t max = 0; max <= text.size() + 1; ++max) {
    const auto shown = printable_excerpt(text, max);
    EXPECT_LE(shown.size(), max);
    EXPECT_TRUE(valid_utf8(shown)) << max;
  }
}

TEST(PrintableOrSize, is_the_whole_text_or_none_of_it) {
  EXPECT_EQ(printable_or_size("abc\n def", 8), "abc def");
  EXPECT_EQ(printable_or_size("abc\n def", 7), "a text of 8 bytes");
  EXPECT_EQ(printable_or_size("\xFF\xFF", 2), "\uFFFD\uFFFD");
  EXPECT_EQ(printable_or_size("", 0), "");
}

}}  // namespace noun::wire::printable_test
