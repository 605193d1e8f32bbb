// Tests of items as lines, exactly as the server wrote them.
#include "json_line.hpp"

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace export_test { namespace json_line_test {

using noun_export::JsonLine;
using noun_export::line_at;

/// The line, or the fault.
std::string line(std::string_view json, std::string_view pointer = "") {
  std::string fault;
  const auto line = line_at(json, pointer, fault);
  EXPECT_EQ(line.has_value(), fault.empty());
  return line ? line->text : "fault: " + fault;
}

TEST(JsonLine, has_every_digit) {
  for (const auto* number :
       {"0", "-0", "-0.0", "1", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "1e400", "-1E+400", "1e-400",
        "0.10", "1.000", "1E5", "3.141592653589793238462643383279", "1.7976931348623157e309"}) {
    EXPECT_EQ(line(number), number);
    const auto item = std::string(R"({"a":[)") + number + "," + number + R"(],"b":)" + number + "}";
    EXPECT_EQ(line(item), item);
    EXPECT_EQ(line(item, "/a/1"), number);
  }
  EXPECT_EQ(line(std::string(1000, '9')), std::string(1000, '9'));
}

TEST(JsonLine, is_the_received_text_on_one_line) {
  const std::pair<const char*, const char*> cases[] = {
      // Members keep their order, also duplicate ones.
      {R"( { "z" : 1 , "a" : [ true , false , null , { } , [ ] ] , "z" : "2" } )",
       R"({"z":1,"a":[true,false,null,{},[]],"z":"2"})"},
      {"{\r\n\t\"a\" :\n[1,\n2]\n}", R"({"a":[1,2]})"},
      {R"("one\ntwo\u000a\u0000")", R"("one\ntwo\n\u0000")"},
      {R"({"\u00e9\"\\\/":"\ud83d\ude00 é 1e5 -0"})", "{\"é\\\"\\\\/\":\"😀 é 1e5 -0\"}"},
  };
  for (const auto& [json, text] : cases) EXPECT_EQ(line(json), text);
}

// RFC 8259, section 8.2: Python's json.dumps writes them.
TEST(JsonLine, has_the_lone_surrogates_as_sent) {
  for (const auto* text : {R"("\ud800")", R"("\uDFFF\n\u00e9")", R"("\ud800\ud83d\ude00")", R"("\udc00\ud800")",
                           R"({"\ud800":["\uDBFF"],"a":"\\ud800"})"})
    EXPECT_EQ(line(text), text);
  const auto* const item = R"({"\udc41":1,"a":"\ud83d\ude00","b":"x\ud83d","\ud83d\ude00":2})";
  EXPECT_EQ(line(item, "/b"), R"("x\ud83d")");
  EXPECT_EQ(line(item, "/a"), "\"😀\"");
  EXPECT_EQ(line(item, "/😀"), "2");
  EXPECT_EQ(line(item, "/\uff41"), "fault: there is no value at '/\uff41'");
}

TEST(JsonLine, is_the_part_at_a_pointer) {
  const auto* const item = R"({"a":{"b":[10,{"c":"x"},[1,2]],"":0,"a/b":1,"m~n":2,"~1":3},"b":7,"c":1,"c":[2]})";
  const std::pair<std::string, std::string> cases[] = {
      {"/b", "7"},
      {"/a/b", R"([10,{"c":"x"},[1,2]])"},
      {"/a/b/0", "10"},
      {"/a/b/1", R"({"c":"x"})"},
      {"/a/b/1/c", R"("x")"},
      {"/a/b/2/1", "2"},
      {"/a/", "0"},
      {"/a/a~1b", "1"},
      {"/a/m~0n", "2"},
      {"/a/~01", "3"},
      {"/c", "[2]"},  // the last of members with one name
  };
  for (const auto& [pointer, part] : cases) EXPECT_EQ(line(item, pointer), part) << pointer;
}

TEST(JsonLine, reports_a_missing_value_at_a_pointer) {
  const auto* const item = R"({"a":{"b":[10]},"c":1})";
  for (const auto* pointer : {"/b", "/a/c", "/a/b/1", "/a/b/00", "/a/b/-", "/a/b/0/0", "/c/0", "/", "/a/"})
    EXPECT_EQ(line(item, pointer), "fault: there is no value at '" + std::string(pointer) + "'");
  for (const auto* pointer : {"a", "/a~", "/a~2", "~0"})
    EXPECT_EQ(line(item, pointer), "fault: '" + std::string(pointer) + "' is not a JSON pointer");
  EXPECT_EQ(line(R"({"a":{"b":1},"a":{"c":2}})", "/a/b"), "fault: there is no value at '/a/b'");
}

TEST(JsonLine, requires_valid_json) {
  for (const auto* text :
       {"",     " ",     "{",     "[1,]",    "{\"a\"}",  "[1 2]",       "01",       "+1",
        "1.",   ".5",    "-",     "1e",      "1e5.5",    "1e5e5",       "1-1",      "--1",
        "0x1",  "1true", "true1", "nul",     "NaN",      "[1}",         "{1:2}",    "1 1",
        "/**/", "\"",    "\"\\",  "\"\\x\"", "\"a\nb\"", "\"\\ud8\"", "\"\\ud8zz\"", "\"\\ud800\\x\"", "\"\xff\"",
        "\"\xed\xa0\x80\""})
    EXPECT_TRUE(line(text).starts_with("fault: ")) << text;
  EXPECT_EQ(line(std::string_view("{}\0{}", 5)), "fault: it contains a zero byte");
  EXPECT_EQ(line("[1,]"), "fault: syntax error while parsing value - unexpected ']'; expected '[', '{', or a literal");
}

// If nlohmann can represent all numbers, the same texts are valid, and their lines have the same value.
TEST(JsonLine, agrees_with_nlohmann) {
  const std::string pieces[] = {"{", "}", "[", "]", ",", ":", "\"a\"", "1", "-", "0", ".5", "e-", " ", "null"};
  std::uint32_t state = 1;
  std::size_t good = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    state = state * 1664525U + 1013904223U;
    const auto length = 1 + (state >> 16U) % 6;
    for (std::uint32_t k = 0; k < length; ++k) {
      state = state * 1664525U + 1013904223U;
      text += pieces[(state >> 16U) % std::size(pieces)];
    }
    std::string fault;
    const auto line = line_at(text, "", fault);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    ASSERT_EQ(line.has_value(), !json.is_discarded()) << text;
    if (!line) continue;
    ++good;
    ASSERT_EQ(nlohmann::json::parse(line->text), json) << text;
  }
  EXPECT_GT(good, 1000);
}

TEST(JsonLine, accepts_deep_nesting) {
  constexpr std::size_t depth = 1'000'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  EXPECT_EQ(line(deep), deep);
}

TEST(JsonLine, is_the_decoded_type_of_items) {
  const auto line = noun::Codec<JsonLine>::decode(R"({ "id": 1.0 })");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, R"({"id":1.0})");
  const auto cut = noun::Codec<JsonLine>::decode("{");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code(), noun::Errc::decode);
  EXPECT_TRUE(cut.error().what().starts_with("syntax error while parsing object key")) << cut.error().message();
}

}  // namespace json_line_test
}  // namespace export_test
