// Bytes made fit to be shown.
#include "wire/printable.hpp"

#include <gtest/gtest.h>

#include "wire/json_scan.hpp"

namespace noun::wire {
namespace printable_test {

using namespace std::literals;

TEST(PrintableExcerpt, what_is_printable_stays) {
  EXPECT_EQ(printable_excerpt("<h1>502 Bad G\u00E4teway</h1> \U0001F600", 100),
            "<h1>502 Bad G\u00E4teway</h1> \U0001F600");
  EXPECT_EQ(printable_excerpt("", 100), "");
}

TEST(PrintableExcerpt, controls_become_dots) {
  EXPECT_EQ(printable_excerpt("a\0b\r\n\x1B[31m\x7F"sv, 100), "a.b...[31m.");
  EXPECT_EQ(printable_excerpt("\u0085\u009B\u2028", 100), "...");
}

TEST(PrintableExcerpt, marks_that_turn_the_line_around_become_dots) {
  EXPECT_EQ(printable_excerpt("\u202Egnp.exe\u2066\u200F\u061C\uFEFF", 100), ".gnp.exe....");
}

TEST(PrintableExcerpt, broken_bytes_become_replacement_characters) {
  EXPECT_EQ(printable_excerpt("a\xFF\xC3(", 100), "a\uFFFD\uFFFD(");
}

TEST(PrintableExcerpt, what_is_too_long_is_cut_and_says_so) {
  EXPECT_EQ(printable_excerpt("abcdef", 6), "abcdef");
  EXPECT_EQ(printable_excerpt("abcdefg", 6), "abc\u2026");
  EXPECT_EQ(printable_excerpt("ab\u00FCde\u00FC", 7), "ab\u00FC\u2026");
}

TEST(PrintableExcerpt, no_character_is_cut_in_two) {
  const std::string text = "\u00E4\u20AC\U0001F600" + std::string("xyz\u00E4\u20AC\U0001F600");
  for (std::size_t max = 0; max <= text.size() + 1; ++max) {
    const auto shown = printable_excerpt(text, max);
    EXPECT_LE(shown.size(), max);
    EXPECT_TRUE(valid_utf8(shown)) << max;
  }
}

TEST(PrintableExcerpt, where_no_ellipsis_fits_nothing_is_shown_of_a_long_text) {
  EXPECT_EQ(printable_excerpt("abcdef", 2), "");
  EXPECT_EQ(printable_excerpt("abcdef", 3), "\u2026");
  EXPECT_EQ(printable_excerpt("ab", 2), "ab");
}

}  // namespace printable_test
}  // namespace noun::wire
