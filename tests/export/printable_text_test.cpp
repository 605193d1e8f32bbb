// Text of a service, for a terminal.
#include "printable_text.hpp"

#include <gtest/gtest.h>

namespace export_test {
namespace printable_text_test {

using noun_export::printable;

TEST(PrintableText, is_left_as_it_is) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("a b~ \u00a0\u00e9 \u0101 \u20ac \U0001F600"), "a b~ \u00a0\u00e9 \u0101 \u20ac \U0001F600");
}

TEST(PrintableText, does_not_move_the_cursor) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\nc\x7f"
                      "d\te"),
            "a [2Jb  c d e");
  EXPECT_EQ(printable("\u009b2J\u0080\u009f"), " 2J  ");
}

TEST(PrintableText, is_utf_8) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "?2J");
  EXPECT_EQ(printable("\xc2"), "?");
  EXPECT_EQ(printable("\xc3"
                      "a"),
            "?a");
  EXPECT_EQ(printable("\xe2\x82"), "??");
  EXPECT_EQ(printable("\xc0\x9b\xf5\x80\x80\x80\xff"), "???????");
}

}  // namespace printable_text_test
}  // namespace export_test
