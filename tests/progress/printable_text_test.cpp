// Tests of text of a server for a terminal.
#include "printable_text.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace progress_test { namespace printable_text_test {

using progress::printable;

TEST(PrintableText, is_utf8_that_does_not_move_the_cursor) {
  const std::string unchanged = "a b~ \u00a0\u00e9 \u0101 \u20ac \U0001F600";
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {unchanged, unchanged},
      {"a\x1b[2Jb\r\nc\x7f"
       "d\te",
       "a [2Jb  c d e"},
      {"\u009b2J\u0080\u009f", " 2J  "},
      {"\x9b"
       "2J",
       "?2J"},
      {"\xc2", "?"},
      {"\xc3"
       "a",
       "?a"},
      {"\xe2\x82", "??"},
      {"a\u202eb\u2066c\u200fd\u061ce\u2028f\ufeff", "a b c d e f "},
      {"\xe0\x82\x9b\xf0\x80\x82\x9b", "???????"},
      {"\xc0\x9b\xf5\x80\x80\x80\xff", "???????"},
  };
  for (const auto& [text, printed] : cases) EXPECT_EQ(printable(text), printed);
}

}  // namespace printable_text_test
}  // namespace progress_test
