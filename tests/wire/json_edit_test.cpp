#include "wire/json_edit.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace json_edit_test {

std::string with(std::string_view text, std::string_view pointer, std::string_view value) {
  return with_json_at(text, pointer, value).value_or("none");
}

struct Case {
  std::string_view text, pointer, value, expected;
};

TEST(JsonEdit, a_member_is_replaced_or_added_in_front_and_all_other_bytes_stay) {
  for (const auto& [text, pointer, value, expected] :
       {Case{R"({ "z":1.10 , "c" : "old","a":12345678901234567890123 })", "/c", R"("new")",
             R"({ "z":1.10 , "c" : "new","a":12345678901234567890123 })"},
        {R"({"a":{"b":[1,{"c":null}]}})", "/a/b/1/c", "[2]", R"({"a":{"b":[1,{"c":[2]}]}})"},
        {R"([1,2])", "/1", "3", "[1,3]"},
        {R"({"a":1})", "", "[]", "[]"},
        {R"({"size":2})", "/after", R"("x")", R"({"after":"x","size":2})"},
        {"{}", "/after", "1", R"({"after":1})"},
        {"{ }", "/after", "1", R"({"after":1 })"},
        {"", "/after", "1", R"({"after":1})"},
        {"\n{\n\"a\": 1}\n", "/b", "2", "\n{\"b\":2,\n\"a\": 1}\n"}})
    EXPECT_EQ(with(text, pointer, value), expected);
}

TEST(JsonEdit, missing_objects_are_created_with_escaped_names) {
  for (const auto& [text, pointer, value, expected] :
       {Case{R"({"query":"q"})", "/variables/after", R"("x")", R"({"variables":{"after":"x"},"query":"q"})"},
        {R"({"variables":null})", "/variables/after", "1", R"({"variables":{"after":1}})"},
        {R"({"variables":{"n":5}})", "/variables/after", "1", R"({"variables":{"after":1,"n":5}})"},
        {"", "/a/b/c", "1", R"({"a":{"b":{"c":1}}})"},
        {"{}", "/a~1b~0c", "1", R"({"a/b~c":1})"},
        {"{}", "/a\"b", "1", R"({"a\"b":1})"},
        {R"({"a/b":1})", "/a~1b", "2", R"({"a/b":2})"}})
    EXPECT_EQ(with(text, pointer, value), expected);
}

TEST(JsonEdit, invalid_json_and_pointers_without_a_target_are_refused) {
  for (const auto* text : {"{", "a=b", R"({"a":1} x)", R"({"a" 1})"}) EXPECT_EQ(with(text, "/a", "1"), "none") << text;
  for (const auto* value : {"", "{", "abc", R"("\q")"}) EXPECT_EQ(with("{}", "/a", value), "none") << value;
  for (const auto* pointer : {"/5", "/a"}) EXPECT_EQ(with("[1]", pointer, "1"), "none") << pointer;
  EXPECT_EQ(with(R"({"a":"text"})", "/a/b", "1"), "none");
  EXPECT_EQ(with("{}", "a", "1"), "none");
}

TEST(JsonEdit, a_nul_byte_does_not_end_json) {
  EXPECT_EQ(with("{}", "/a", {"1\0x", 3}), "none");
  EXPECT_EQ(with({"{}\0x", 4}, "/a", "1"), "none");
}

TEST(JsonEdit, a_byte_order_mark_may_begin_a_document_but_not_a_value) {
  EXPECT_EQ(with("\xEF\xBB\xBF{}", "/a", "1"), "\xEF\xBB\xBF{\"a\":1}");
  EXPECT_EQ(with("{}", "/a", "\xEF\xBB\xBF" "1"), "none");
}

TEST(JsonQuoted, text_is_escaped_and_invalid_utf8_is_replaced) {
  EXPECT_EQ(json_quoted("a\"\\\n"), R"("a\"\\\n")");
  EXPECT_EQ(json_quoted("\xFF"), "\"\xEF\xBF\xBD\"");
}

}}  // namespace noun::wire::json_edit_test
