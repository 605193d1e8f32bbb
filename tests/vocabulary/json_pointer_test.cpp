#include "vocabulary/json_pointer.hpp"

#include <gtest/gtest.h>

namespace vocabulary_test { namespace json_pointer_test {

using noun::detail::name_of;
using noun::detail::pointer_to;

TEST(JsonPointer, writes_a_tilde_and_a_slash_of_a_name_as_escapes) {
  EXPECT_EQ(pointer_to("items"), "/items");
  EXPECT_EQ(pointer_to("a/b~c"), "/a~1b~0c");
  EXPECT_EQ(pointer_to("~1"), "/~01");
  EXPECT_EQ(pointer_to(""), "/");
}

TEST(JsonPointer, names_have_no_escapes) {
  EXPECT_EQ(name_of("a~1b~0c"), "a/b~c");
  EXPECT_EQ(name_of("~01"), "~1");
  EXPECT_EQ(name_of("~2~"), "~2~");
}

}}  // namespace vocabulary_test::json_pointer_test
