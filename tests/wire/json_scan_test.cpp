// JSON as bytes: splitting, pointing, measuring depth, judging UTF-8.
#include "wire/json_scan.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire {
namespace json_scan_test {

using namespace std::literals;

using Elements = std::vector<std::string_view>;

Elements split(std::string_view text, std::string_view pointer = "") {
  const auto result = json_elements(text, pointer);
  EXPECT_FALSE(result.error) << text << ": " << result.error->what;
  return result.elements;
}

std::string complaint(std::string_view text, std::string_view pointer = "") {
  const auto result = json_elements(text, pointer);
  EXPECT_TRUE(result.elements.empty() || !result.error) << text;
  return result.error ? result.error->what : "none";
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(JsonElements, every_element_is_the_bytes_of_its_value) {
  EXPECT_EQ(split(R"([1, "a,]", {"b": [2, 3]} ,[4], null,-1.5e3, true])"),
            (Elements{"1", R"("a,]")", R"({"b": [2, 3]})", "[4]", "null", "-1.5e3", "true"}));
}

TEST(JsonElements, space_and_a_byte_order_mark_are_skipped) {
  EXPECT_EQ(split("\xEF\xBB\xBF \t\r\n[ 1 ,\n2 ] \r\n"), (Elements{"1", "2"}));
  EXPECT_EQ(split(" [ ] "), Elements{});
}

TEST(JsonElements, brackets_commas_and_escaped_quotes_in_strings_are_text) {
  EXPECT_EQ(split(R"(["]\",[{\\","}"])"), (Elements{R"("]\",[{\\")", R"("}")"}));
}

TEST(JsonElements, an_element_keeps_its_own_errors) {
  EXPECT_EQ(split(R"([{"a" 1}, abc, 01, "\x", [1,,2], {"a":1e400}])"),
            (Elements{R"({"a" 1})", "abc", "01", R"("\x")", "[1,,2]", R"({"a":1e400})"}));
  EXPECT_EQ(split("[\"\xFF\"]"), (Elements{"\"\xFF\""}));
}

TEST(JsonElements, a_pointer_leads_to_the_array) {
  constexpr std::string_view text = R"({"x":[0],"data":{"list":[[9],[1,2]]},"y":"]"})";
  EXPECT_EQ(split(text, "/x"), (Elements{"0"}));
  EXPECT_EQ(split(text, "/data/list"), (Elements{"[9]", "[1,2]"}));
  EXPECT_EQ(split(text, "/data/list/1"), (Elements{"1", "2"}));
  EXPECT_EQ(split(R"([{"items":[3]}])", "/0/items"), (Elements{"3"}));
}

TEST(JsonElements, keys_and_tokens_are_compared_unescaped) {
  EXPECT_EQ(split(R"({"it\u0065ms":[1]})", "/items"), (Elements{"1"}));
  EXPECT_EQ(split(R"({"a/b":{"m~n":[1]}})", "/a~1b/m~0n"), (Elements{"1"}));
  EXPECT_EQ(split(R"({"":{"":[1]}})", "//"), (Elements{"1"}));
  EXPECT_EQ(split(R"({"~":[1], "~2":[2]})", "/~2"), (Elements{"2"}));
  EXPECT_EQ(split(R"({"\q":[1]})", "/q"), Elements{});
}

TEST(JsonElements, a_star_is_the_first_member_that_is_an_array) {
  EXPECT_EQ(split(R"({"_embedded":{"n":1,"o":{"x":[0]},"orders":[1,2],"others":[3]}})", "/_embedded/*"),
            (Elements{"1", "2"}));
  EXPECT_EQ(split(R"({"count":2,"things":[7]})", "/*"), (Elements{"7"}));
  EXPECT_EQ(split(R"({"a":{"*":[1]},"b":[2]})", "/a/*"), (Elements{"1"}));
  EXPECT_EQ(split(R"({"*":{"x":[3]}})", "/*/x"), (Elements{"3"})) << "a star that is not the last token is a name";
  for (const auto* text : {R"({"_embedded":{}})", R"({"_embedded":{"a":1}})", R"({"_embedded":null})", "{}", "null"}) {
    const auto result = json_elements(text, "/_embedded/*");
    EXPECT_FALSE(result.error) << text;
    EXPECT_TRUE(result.absent) << text;
  }
  EXPECT_EQ(complaint("[[1]]", "/*"), "object expected, array found");
  EXPECT_EQ(complaint(R"({"a":5})", "/a/*"), "object expected, number found");
  EXPECT_EQ(complaint(R"({"a" 5})", "/*"), "':' expected after a key");
  EXPECT_EQ(complaint(R"({"a":[1],"b":)", "/*"), "the text ends inside of a value");
}

TEST(JsonElements, of_equal_keys_the_first_counts) { EXPECT_EQ(split(R"({"a":[1],"a":[2]})", "/a"), (Elements{"1"})); }

TEST(JsonElements, behind_a_pointer_null_and_nothing_are_no_elements) {
  for (const auto* text :
       {R"({"data":null})", R"({"data":{"list":null}})", R"({"data":{}})", "{}", "null", R"({"Data":[1]})"})
    EXPECT_EQ(split(text, "/data/list"), Elements{}) << text;
  EXPECT_EQ(split("[1]", "/7/x"), Elements{});
  EXPECT_EQ(split("[]", "/0"), Elements{});
}

TEST(JsonElements, what_is_there_instead_of_an_array_is_named) {
  EXPECT_EQ(complaint(R"({"a":1})"), "array expected, object found");
  EXPECT_EQ(complaint("\"x\""), "array expected, string found");
  EXPECT_EQ(complaint("-1"), "array expected, number found");
  EXPECT_EQ(complaint("true"), "array expected, boolean found");
  EXPECT_EQ(complaint("null"), "array expected, null found");
  EXPECT_EQ(complaint("<html>"), "array expected, no JSON value found");
  EXPECT_EQ(complaint(""), "array expected, end of text found");
  EXPECT_EQ(complaint(R"({"a":{}})", "/a"), "array expected, object found");
}

TEST(JsonElements, what_is_there_instead_of_an_object_is_named) {
  EXPECT_EQ(complaint("[1]", "/data"), "object expected, array found");
  EXPECT_EQ(complaint(R"({"data":"x"})", "/data/list"), "object expected, string found");
  EXPECT_EQ(complaint("[1]", "/01"), "object expected, array found");
  EXPECT_EQ(complaint("[1]", "/-"), "object expected, array found");
  EXPECT_EQ(complaint("", "/data"), "object expected, end of text found");
}

TEST(JsonElements, misplaced_commas_are_errors) {
  EXPECT_EQ(complaint("[1,,2]"), "value expected, ',' found");
  EXPECT_EQ(complaint("[1,]"), "value expected, ']' found");
  EXPECT_EQ(complaint("[,1]"), "value expected, ',' found");
  EXPECT_EQ(complaint("[1 2]"), "',' expected between two values");
  EXPECT_EQ(complaint("[[1][2]]"), "',' expected between two values");
  EXPECT_EQ(complaint("[\"a\"\"b\"]"), "',' expected between two values");
  EXPECT_EQ(complaint("[1:2]"), "',' expected between two values");
  EXPECT_EQ(complaint("[1}"), "',' expected between two values");
}

TEST(JsonElements, on_the_way_to_the_array_members_must_be_whole) {
  EXPECT_EQ(complaint("{1:2}", "/a"), "key expected, number found");
  EXPECT_EQ(complaint(R"({"b":1,})", "/a"), "key expected, '}' found");
  EXPECT_EQ(complaint(R"({"a" [1]})", "/a"), "':' expected after a key");
  EXPECT_EQ(complaint(R"({"b":1 "a":[1]})", "/a"), "',' expected between two values");
  EXPECT_EQ(complaint(R"({"b":,"a":[1]})", "/a"), "value expected, ',' found");
  EXPECT_EQ(complaint(R"({"a":[1] "b":2})", "/a"), "',' expected between two values");
  EXPECT_EQ(complaint("[1 2]", "/1"), "',' expected between two values");
  EXPECT_EQ(complaint(R"({"a":nil})", "/a"), "no JSON value");
  EXPECT_EQ(complaint("nil", "/a"), "no JSON value");
}

TEST(JsonElements, a_cut_document_is_an_error_wherever_it_is_cut) {
  constexpr std::string_view text = R"({"x":{"y":"z"},"data":[1,{"a":[true]},"b\"c"],"n":[{"m":2}]})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(complaint(text.substr(0, length), "/data"), "none") << length;
    EXPECT_NE(complaint(text.substr(0, length), "/absent"), "none") << length;
  }
  EXPECT_EQ(complaint(text, "/data"), "none");
}

TEST(JsonElements, brackets_that_do_not_match_are_errors) {
  EXPECT_EQ(complaint("[[1}]"), "a bracket closes what is not open");
  EXPECT_EQ(complaint(R"({"a":[1],"b":{]})", "/a"), "a bracket closes what is not open");
  EXPECT_EQ(complaint("[[1"), "the text ends inside of a value");
  EXPECT_EQ(complaint("[\"a"), "a string does not end");
  EXPECT_EQ(complaint("[\"a\\\""), "a string does not end");
  EXPECT_EQ(complaint("[{\"a"), "a string does not end");
  EXPECT_EQ(complaint("{\"a", "/a"), "a string does not end");
}

TEST(JsonElements, a_second_document_is_an_error) {
  EXPECT_EQ(complaint("[1][2]"), "text behind the end of the document");
  EXPECT_EQ(complaint("[1] x"), "text behind the end of the document");
  EXPECT_EQ(complaint("[1]]"), "text behind the end of the document");
  EXPECT_EQ(complaint("{}null", "/a"), "text behind the end of the document");
  EXPECT_EQ(complaint("null null", "/a"), "text behind the end of the document");
  EXPECT_EQ(complaint("[1]\0"sv), "text behind the end of the document");
}

TEST(JsonElements, an_error_says_where) {
  EXPECT_EQ(json_elements("[1,,2]", "").error->offset, 3U);
  EXPECT_EQ(json_elements("\xEF\xBB\xBF[1 2]", "").error->offset, 6U);
}

TEST(JsonElements, a_pointer_without_a_slash_is_an_error) {
  EXPECT_EQ(complaint("{}", "data"), "a JSON pointer begins with '/'");
}

TEST(JsonElements, a_million_brackets_and_elements_take_linear_time_and_no_stack) {
  EXPECT_EQ(complaint(repeated("[", 1'000'000)), "the text ends inside of a value");
  EXPECT_EQ(complaint(repeated("{\"a\":", 1'000'000), "/b"), "the text ends inside of a value");
  EXPECT_EQ(split(repeated("[", 1'000'000) + repeated("]", 1'000'000)).size(), 1U);
  EXPECT_EQ(split("[0" + repeated(",{}", 1'000'000) + "]").size(), 1'000'001U);
  EXPECT_EQ(split("{" + repeated("\"\\u0061b\":0,", 100'000) + "\"a\":[7]}", "/a"), (Elements{"7"}));
  EXPECT_EQ(complaint("[[1]]", repeated("/0", 200'000)), "object expected, number found");
}

TEST(JsonAt, the_value_is_its_bytes) {
  constexpr std::string_view text = R"( {"a": {"b": [1, "x" , 2.50 ]}, "next": "https:\/\/a" } )";
  EXPECT_EQ(json_at(text, ""), R"({"a": {"b": [1, "x" , 2.50 ]}, "next": "https:\/\/a" })");
  EXPECT_EQ(json_at(text, "/a/b/1"), "\"x\"");
  EXPECT_EQ(json_at(text, "/a/b/2"), "2.50");
  EXPECT_EQ(json_at(text, "/next"), R"("https:\/\/a")");
  EXPECT_EQ(json_at("7", ""), "7");
}

TEST(JsonAt, what_is_not_there_or_does_not_scan_is_nothing) {
  for (const auto* pointer : {"/b", "/a/1", "/a/b/3", "/a/b/x", "/a/b/0/c", "a"})
    EXPECT_EQ(json_at(R"({"a":{"b":[1,2]}})", pointer), std::nullopt) << pointer;
  EXPECT_EQ(json_at("", ""), std::nullopt);
  EXPECT_EQ(json_at("[", ""), std::nullopt);
  EXPECT_EQ(json_at(R"({"a" 1})", "/a"), std::nullopt);
}

TEST(JsonDepth, brackets_outside_strings_nest) {
  EXPECT_EQ(json_depth(""), 0U);
  EXPECT_EQ(json_depth("7"), 0U);
  EXPECT_EQ(json_depth("[]"), 1U);
  EXPECT_EQ(json_depth(R"([{"a":[1]},{}])"), 3U);
  EXPECT_EQ(json_depth(R"(["[[[[\"[[[["])"), 1U);
  EXPECT_EQ(json_depth("[\"[["), 1U);
  EXPECT_EQ(json_depth("]]]["), 1U);
}

TEST(JsonDepth, a_million_brackets_are_counted_and_counting_stops_where_it_is_enough) {
  const auto deep = repeated("[", 1'000'000);
  EXPECT_EQ(json_depth(deep), 1'000'000U);
  EXPECT_EQ(json_depth(deep, 129), 129U);
  EXPECT_EQ(json_depth("[[]]", 129), 2U);
}

TEST(ValidUtf8, good_text_of_any_length_and_alignment_is_valid) {
  for (std::size_t before = 0; before < 20; ++before)
    for (std::size_t after = 0; after < 20; ++after) {
      const auto text = std::string(before, 'a') + "\u00FC\u20AC\U0001F600" + std::string(after, 'b');
      EXPECT_TRUE(valid_utf8(text));
      EXPECT_FALSE(valid_utf8(std::string(before, 'a') + "\xFF" + std::string(after, 'b')));
    }
  EXPECT_TRUE(valid_utf8(""));
}

TEST(ValidUtf8, surrogates_long_forms_and_cut_characters_are_not) {
  for (const auto* bad : {"\xED\xA0\x80", "\xC0\xAF", "\xF4\x90\x80\x80", "abc\xE2\x82", "12345678\xC3"})
    EXPECT_FALSE(valid_utf8(bad));
}

TEST(JsonTextAt, is_the_text_that_a_string_stands_for) {
  EXPECT_EQ(json_text_at(R"({"a":[1,"b\u00e9\n\"c"]})", "/a/1"), "b\xC3\xA9\n\"c");
  EXPECT_EQ(json_text_at(R"("")", ""), "");
  for (const auto* text : {"1", "null", "[\"a\"]", "{\"a\":1}", "\"a", "\"\\q\"", "\"\xFF\"", "", "a"})
    EXPECT_EQ(json_text_at(text, ""), std::nullopt) << text;
}

}  // namespace json_scan_test
}  // namespace noun::wire
