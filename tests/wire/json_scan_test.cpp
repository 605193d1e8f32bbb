#include "wire/json_scan.hpp"

#include <gtest/gtest.h>

#include "table.hpp"

namespace noun::wire { namespace json_scan_test {

using namespace std::literals;

using wire_test::repeated;
using wire_test::Table;

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

TEST(JsonElements, every_element_is_the_bytes_of_its_value) {
  const Table<Elements> arrays = {{R"([1, "a,]", {"b": [2, 3]} ,[4], null,-1.5e3, true])",
                                   {"1", R"("a,]")", R"({"b": [2, 3]})", "[4]", "null", "-1.5e3", "true"}},
                                  {"\xEF\xBB\xBF \t\r\n[ 1 ,\n2 ] \r\n", {"1", "2"}},
                                  {" [ ] ", {}},
                                  {R"(["]\",[{\\","}"])", {R"("]\",[{\\")", R"("}")"}},
                                  {R"([{"a" 1}, abc, 01, "\x", [1,,2], {"a":1e400}])",
                                   {R"({"a" 1})", "abc", "01", R"("\x")", "[1,,2]", R"({"a":1e400})"}},
                                  {"[\"\xFF\"]", {"\"\xFF\""}}};
  for (const auto& [text, elements] : arrays) EXPECT_EQ(split(text), elements) << text;
}

struct Found {
  std::string_view text, pointer;
  Elements elements;
};

TEST(JsonElements, a_pointer_leads_to_the_array) {
  constexpr std::string_view document = R"({"x":[0],"data":{"list":[[9],[1,2]]},"y":"]"})";
  for (const auto& [text, pointer, elements] : {Found{document, "/x", {"0"}},
                                                {document, "/data/list", {"[9]", "[1,2]"}},
                                                {document, "/data/list/1", {"1", "2"}},
                                                {R"([{"items":[3]}])", "/0/items", {"3"}},
                                                {R"({"it\u0065ms":[1]})", "/items", {"1"}},
                                                {R"({"a/b":{"m~n":[1]}})", "/a~1b/m~0n", {"1"}},
                                                {R"({"":{"":[1]}})", "//", {"1"}},
                                                {R"({"~":[1], "~2":[2]})", "/~2", {"2"}},
                                                {R"({"\q":[1]})", "/q", {}},
                                                {R"({"a":[1],"a":[2]})", "/a", {"1"}}})
    EXPECT_EQ(split(text, pointer), elements) << text << pointer;
}

TEST(JsonElements, a_last_star_is_the_first_member_that_is_an_array) {
  for (const auto& [text, pointer, elements] :
       {Found{R"({"_embedded":{"n":1,"o":{"x":[0]},"orders":[1,2],"others":[3]}})", "/_embedded/*", {"1", "2"}},
        {R"({"count":2,"things":[7]})", "/*", {"7"}},
        {R"({"a":{"*":[1]},"b":[2]})", "/a/*", {"1"}},
        {R"({"*":{"x":[3]}})", "/*/x", {"3"}}})
    EXPECT_EQ(split(text, pointer), elements) << text << pointer;
  for (const auto* text : {R"({"_embedded":{}})", R"({"_embedded":{"a":1}})", R"({"_embedded":null})", "{}", "null"}) {
    EXPECT_EQ(complaint(text, "/_embedded/*"), "none") << text;
    EXPECT_TRUE(json_elements(text, "/_embedded/*").absent) << text;
  }
}

TEST(JsonElements, of_an_object_are_names_and_values) {
  constexpr auto any_depth = std::numeric_limits<std::size_t>::max();
  const struct {
    std::string_view text;
    std::string_view pointer;
    Elements members;
  } cases[] = {
      {R"({"a": 1, "b" :{"c":[2]} , "\"": 3})", "", {R"("a")", "1", R"("b")", R"({"c":[2]})", R"("\"")", "3"}},
      {"{}", "", {}},
      {R"({"x": {"a": 1}})", "/x", {R"("a")", "1"}},
      {R"({"x": null})", "/x", {}},
      {R"({"y": 1, "x": [1], "z": {"a": 1}})", "/*", {R"("a")", "1"}},
  };
  for (const auto& [text, pointer, members] : cases) {
    const auto result = json_elements(text, pointer, any_depth, '{');
    EXPECT_FALSE(result.error) << text;
    EXPECT_EQ(result.elements, members) << text;
  }
  for (const auto* text : {"[1]", "7", R"({"a" 1})", R"({"a": 1)", R"({"a": 1} 2)", "{1: 2}"}) {
    const auto result = json_elements(text, "", any_depth, '{');
    EXPECT_TRUE(result.error) << text;
    EXPECT_TRUE(result.elements.empty()) << text;
  }
  EXPECT_TRUE(json_elements(R"({"a": [[1]]})", "", 2, '{').error);
  EXPECT_FALSE(json_elements(R"({"a": [[1]]})", "", 3, '{').error);
  EXPECT_TRUE(json_elements("{}", "/x", any_depth, '{').absent);
}

TEST(JsonElements, are_not_read_beyond_the_allowed_depth) {
  constexpr std::string_view text = R"({"a": {"items": [[1], {"b": []}]}, "c": "[[[[["})";
  const auto split = [&](std::string_view pointer, std::size_t depth) { return json_elements(text, pointer, depth); };
  EXPECT_EQ(split("/a/items", 4).error->what, "the text is nested too deep");
  EXPECT_TRUE(split("/a/items", 4).elements.empty());
  EXPECT_EQ(split("/a/items", 5).elements.size(), 2U);
  EXPECT_TRUE(split("/a/items", 2).error);
  EXPECT_TRUE(split("/c", 4).error);
  EXPECT_EQ(split("/c", 5).error->what, "array expected, string found");
  EXPECT_TRUE(json_elements(R"({"a": {"items": []}})", "/a/items", 2).error);
  EXPECT_FALSE(json_elements(R"({"a": {"items": []}})", "/a/items", 3).error);
}

TEST(JsonValue, is_the_only_element) {
  EXPECT_EQ(json_value(R"({"a": [1, 2] })", "/a").elements, Elements{"[1, 2]"});
  EXPECT_EQ(json_value("null", "").elements, Elements{"null"});
  EXPECT_TRUE(json_value(R"({"a": 1})", "/b").absent);
  EXPECT_EQ(json_value(R"({"a": 1)", "/a").error->what, "the text ends inside a value");
  EXPECT_TRUE(json_value(R"({"a": 1)", "/a").elements.empty());
}

TEST(JsonElements, null_or_a_missing_value_has_no_elements) {
  for (const auto* text :
       {R"({"data":null})", R"({"data":{"list":null}})", R"({"data":{}})", "{}", "null", R"({"Data":[1]})"})
    EXPECT_EQ(split(text, "/data/list"), Elements{}) << text;
  EXPECT_EQ(split("[1]", "/7/x"), Elements{});
  EXPECT_EQ(split("[]", "/0"), Elements{});
}

using Text = std::pair<std::string_view, std::string_view>;

// Errors, each with the texts and pointers that cause it.
const Table<std::vector<Text>> errors = {
    {"array expected, object found", {{R"({"a":1})", ""}, {R"({"a":{}})", "/a"}}},
    {"array expected, string found", {{"\"x\"", ""}}},
    {"array expected, number found", {{"-1", ""}}},
    {"array expected, boolean found", {{"true", ""}}},
    {"array expected, null found", {{"null", ""}}},
    {"array expected, no JSON value found", {{"<html>", ""}}},
    {"array expected, end of text found", {{"", ""}}},
    {"object expected, array found", {{"[1]", "/data"}, {"[1]", "/01"}, {"[1]", "/-"}, {"[[1]]", "/*"}}},
    {"object expected, string found", {{R"({"data":"x"})", "/data/list"}}},
    {"object expected, number found", {{R"({"a":5})", "/a/*"}}},
    {"object expected, end of text found", {{"", "/data"}}},
    {"value expected, ',' found", {{"[1,,2]", ""}, {"[,1]", ""}, {R"({"b":,"a":[1]})", "/a"}}},
    {"value expected, ']' found", {{"[1,]", ""}}},
    {"',' expected between two values", {{"[1 2]", ""}, {"[[1][2]]", ""}, {"[\"a\"\"b\"]", ""}, {"[1:2]", ""}}},
    {"',' expected between two values", {{"[1}", ""}, {R"({"b":1 "a":[1]})", "/a"}, {"[1 2]", "/1"}}},
    {"',' expected between two values", {{R"({"a":[1] "b":2})", "/a"}}},
    {"key expected, number found", {{"{1:2}", "/a"}}},
    {"key expected, '}' found", {{R"({"b":1,})", "/a"}}},
    {"':' expected after a key", {{R"({"a" [1]})", "/a"}, {R"({"a" 5})", "/*"}}},
    {"no JSON value", {{R"({"a":nil})", "/a"}, {"nil", "/a"}}},
    {"a closing bracket does not match", {{"[[1}]", ""}, {R"({"a":[1],"b":{]})", "/a"}}},
    {"the text ends inside a value", {{"[[1", ""}, {R"({"a":[1],"b":)", "/*"}}},
    {"a string has no end", {{"[\"a", ""}, {"[\"a\\\"", ""}, {"[{\"a", ""}, {"{\"a", "/a"}}},
    {"text after the end of the document", {{"[1][2]", ""}, {"[1] x", ""}, {"[1]]", ""}, {"[1]\0"sv, ""}}},
    {"text after the end of the document", {{"{}null", "/a"}, {"null null", "/a"}}},
    {"a JSON pointer must begin with '/'", {{"{}", "data"}}}};

TEST(JsonElements, an_error_has_what_was_found_and_where) {
  for (const auto& [error, texts] : errors)
    for (const auto& [text, pointer] : texts) EXPECT_EQ(complaint(text, pointer), error) << text << ' ' << pointer;
  EXPECT_EQ(json_elements("[1,,2]", "").error->offset, 3U);
  EXPECT_EQ(json_elements("\xEF\xBB\xBF[1 2]", "").error->offset, 6U);
}

TEST(JsonElements, a_truncated_document_is_an_error_at_every_length) {
  constexpr std::string_view text = R"({"x":{"y":"z"},"data":[1,{"a":[true]},"b\"c"],"n":[{"m":2}]})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(complaint(text.substr(0, length), "/data"), "none") << length;
    EXPECT_NE(complaint(text.substr(0, length), "/absent"), "none") << length;
  }
  EXPECT_EQ(complaint(text, "/data"), "none");
}

TEST(JsonElements, a_million_brackets_and_elements_take_linear_time_and_no_stack) {
  EXPECT_EQ(complaint(repeated("[", 1'000'000)), "the text ends inside a value");
  EXPECT_EQ(complaint(repeated("{\"a\":", 1'000'000), "/b"), "the text ends inside a value");
  EXPECT_EQ(split(repeated("[", 1'000'000) + repeated("]", 1'000'000)).size(), 1U);
  EXPECT_EQ(split("[0" + repeated(",{}", 1'000'000) + "]").size(), 1'000'001U);
  EXPECT_EQ(split("{" + repeated("\"\\u0061b\":0,", 100'000) + "\"a\":[7]}", "/a"), (Elements{"7"}));
  EXPECT_EQ(complaint("[[1]]", repeated("/0", 200'000)), "object expected, number found");
}

TEST(JsonAt, the_value_is_its_bytes) {
  constexpr std::string_view text = R"( {"a": {"b": [1, "x" , 2.50 ]}, "next": "https:\/\/a" } )";
  for (const auto& [pointer, value] :
       Table<std::string_view>{{"", R"({"a": {"b": [1, "x" , 2.50 ]}, "next": "https:\/\/a" })"},
                               {"/a/b/1", "\"x\""},
                               {"/a/b/2", "2.50"},
                               {"/next", R"("https:\/\/a")"}})
    EXPECT_EQ(json_at(text, pointer), value) << pointer;
  EXPECT_EQ(json_at("7", ""), "7");
}

TEST(JsonAt, missing_and_malformed_values_are_nothing) {
  for (const auto* pointer : {"/b", "/a/1", "/a/b/3", "/a/b/x", "/a/b/0/c", "a"})
    EXPECT_EQ(json_at(R"({"a":{"b":[1,2]}})", pointer), std::nullopt) << pointer;
  EXPECT_EQ(json_at("", ""), std::nullopt);
  EXPECT_EQ(json_at("[", ""), std::nullopt);
  EXPECT_EQ(json_at(R"({"a" 1})", "/a"), std::nullopt);
}

TEST(JsonShape, brackets_outside_strings_nest) {
  for (const auto& [text, depth] : Table<std::size_t>{
           {"", 0}, {"7", 0}, {"[]", 1}, {R"([{"a":[1]},{}])", 3}, {R"(["[[[[\"[[[["])", 1}, {"[\"[[", 1}, {"]]][", 1}})
    EXPECT_EQ(json_shape(text).depth, depth) << text;
}

TEST(JsonShape, a_million_brackets_are_counted) {
  EXPECT_EQ(json_shape(repeated("[", 1'000'000)).depth, 1'000'000U);
}

TEST(JsonShape, arrays_objects_and_scalars_are_counted_and_keys_are_not) {
  for (const auto& [text, values] : Table<std::size_t>{{"7", 1},
                                                       {"[]", 1},
                                                       {" [ ] ", 1},
                                                       {"[0]", 2},
                                                       {"[[],[],[]]", 4},
                                                       {R"({"a,[{":[1,"2,3",{}],"b":null})", 6},
                                                       {R"([{"":{"":0}}])", 4},
                                                       {R"(["a\",",\",[,]"])", 3},
                                                       {"[1,2,\"", 4}})
    EXPECT_EQ(json_shape(text).values, values) << text;
}

TEST(JsonTextAt, decodes_a_string) {
  EXPECT_EQ(json_text_at(R"({"a":[1,"b\u00e9\n\"c"]})", "/a/1"), "b\xC3\xA9\n\"c");
  EXPECT_EQ(json_text_at(R"("")", ""), "");
  for (const auto* text : {"1", "null", "[\"a\"]", "{\"a\":1}", "\"a", "\"\\q\"", "\"\xFF\"", "", "a"})
    EXPECT_EQ(json_text_at(text, ""), std::nullopt) << text;
}

TEST(JsonScalarAt, is_a_scalar_as_text) {
  const std::string_view json = R"({"a":"https:\/\/h\/x","b":-1.5e3,"c":true,"d":"","e":null,"f":[1],"g":{},"h":"\q"})";
  EXPECT_EQ(json_scalar_at(json, "/a"), "https://h/x");
  EXPECT_EQ(json_scalar_at(json, "/b"), "-1.5e3");
  EXPECT_EQ(json_scalar_at(json, "/c"), "true");
  EXPECT_EQ(json_scalar_at(json, "/d"), "");
  for (const auto* pointer : {"/e", "/f", "/g", "/h", "/i", ""})
    EXPECT_EQ(json_scalar_at(json, pointer), std::nullopt) << pointer;
  EXPECT_EQ(json_scalar_at("1", ""), std::nullopt);
}

}}  // namespace noun::wire::json_scan_test
