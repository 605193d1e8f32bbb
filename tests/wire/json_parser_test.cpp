// Tests of reading JSON: the events are those of nlohmann's parser, whichever parser reads.
#include <noun/detail/json_tree.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace noun { namespace json_parser_test {

using Json = nlohmann::json;

/// Writes events as text.
class Trace final : public detail::JsonEvents {
 public:
  void null() override { text_ += "null "; }
  void boolean(bool value) override { text_ += fmt::format("{} ", value); }
  void integer(std::int64_t value) override { text_ += fmt::format("integer:{} ", value); }
  void positive(std::uint64_t value) override { text_ += fmt::format("positive:{} ", value); }
  void real(double value) override { text_ += fmt::format("real:{} ", value); }
  void text(std::string_view value) override { text_ += fmt::format("text:{} ", value); }
  void begin_array() override { text_ += "array "; }
  void begin_object() override { text_ += "object "; }
  void key(std::string_view key) override { text_ += fmt::format("key:{} ", key); }
  void end() override { text_ += "end "; }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

/// Writes nlohmann's events as text.
class NlohmannTrace final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return trace_.null(), true; }
  bool boolean(bool value) override { return trace_.boolean(value), true; }
  bool number_integer(number_integer_t value) override { return trace_.integer(value), true; }
  bool number_unsigned(number_unsigned_t value) override { return trace_.positive(value), true; }
  bool number_float(number_float_t value, const string_t& text) override {
    // An integer beyond 64 bits.
    if (text.find_first_of(".eE") == std::string::npos) return false;
    return trace_.real(value), true;
  }
  bool string(string_t& value) override { return trace_.text(value), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return trace_.begin_object(), true; }
  bool key(string_t& value) override { return trace_.key(value), true; }
  bool end_object() override { return trace_.end(), true; }
  bool start_array(std::size_t) override { return trace_.begin_array(), true; }
  bool end_array() override { return trace_.end(), true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
  const std::string& str() const { return trace_.str(); }

 private:
  Trace trace_;
};

/// The events of a text; nothing if it is refused.
std::optional<std::string> events_of(std::string_view text) {
  Trace trace;
  return detail::read_json(text, trace) ? std::nullopt : std::optional(trace.str());
}

std::optional<std::string> events_by_nlohmann(std::string_view text) {
  NlohmannTrace trace;
  return Json::sax_parse(text, &trace) ? std::optional(trace.str()) : std::nullopt;
}

TEST(JsonParser, reports_a_value_in_the_order_of_its_text) {
  EXPECT_EQ(events_of(" {\"a\" : [ 1 , -2,\t3.5, 1e2,\r\n\"x\\ny\", {}, []], \"b\":null,\"a\":true} "),
            "object key:a array positive:1 integer:-2 real:3.5 real:100 text:x\ny object end array end end key:b null "
            "key:a true end ");
  EXPECT_EQ(events_of("false"), "false ");
  EXPECT_EQ(events_of("\"\""), "text: ");
}

TEST(JsonParser, numbers_are_those_of_nlohmann) {
  for (const auto* text : {"0",
                           "-0",
                           "0.0",
                           "-0.0",
                           "7",
                           "-7",
                           "10",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "18446744073709551615",
                           "1.5",
                           "-1.25e-3",
                           "1E5",
                           "1e+5",
                           "0e0",
                           "0.1",
                           "1e308",
                           "1e-400",
                           "\xEF\xBB\xBF[]",
                           "[-0]",
                           "{\"a\":-0,\"b\":0,\"c\":\"1-0\"}",
                           "1.7976931348623157e308",
                           "2.2250738585072014e-308",
                           "123456789012345678901234567890.5",
                           "0.30000000000000004",
                           "9007199254740993.0",
                           "4750134862337265e9",
                           "3.14159265358979323846264338327950288"}) {
    const auto expected = events_by_nlohmann(text);
    EXPECT_NE(expected, std::nullopt) << text;
    EXPECT_EQ(events_of(text), expected) << text;
  }
}

TEST(JsonParser, what_is_not_json_or_has_a_number_without_a_type_is_refused) {
  for (const auto* text : {"",
                           " ",
                           "-",
                           "+1",
                           "01",
                           "-01",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "1.e5",
                           "0x1",
                           "1 2",
                           "1a",
                           "NaN",
                           "Infinity",
                           "nul",
                           "nulll",
                           "True",
                           "[",
                           "]",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1:2]",
                           "{\"a\":1:\"b\":2}",
                           "{",
                           "{}}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{1:1}",
                           "{\"a\" 1}",
                           "[1}",
                           "{\"a\":1]",
                           "{,}",
                           "\"",
                           "\"a",
                           "\"\\",
                           "\"\\\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\u\"",
                           "\"\\ud800\"",
                           "\"\\ud800x\"",
                           "\"\\ud800\\n\"",
                           "\"\\ud800\\ud800\"",
                           "\"\\udc00\"",
                           "\"\n\"",
                           "\"\x1F\"",
                           "\"\x80\"",
                           "\"\xC3\"",
                           "\"\xC0\xAF\"",
                           "\"\xED\xA0\x80\"",
                           "\"\xF4\x90\x80\x80\"",
                           "'a'",
                           "[1]//",
                           "18446744073709551616",
                           "-9223372036854775809",
                           "1e999",
                           "-1e999"}) {
    EXPECT_EQ(events_by_nlohmann(text), std::nullopt) << text;
    EXPECT_EQ(events_of(text), std::nullopt) << text;
  }
  EXPECT_EQ(events_of(std::string_view("1\0", 2)), std::nullopt);
}

TEST(JsonParser, strings_are_those_of_nlohmann_wherever_their_characters_are) {
  for (const auto* part :
       {"",        "\\\"",           "\\\\", "\\/",    "\\b\\f\\n\\r\\t", "\\u0000",    "\\u001f", "\\u00FC",
        "\\u20ac", "\\ud83d\\ude00", "\x7F", "\u00FC", "\u20AC",          "\U0001F600", "\\",      "\"",
        "\x1F",    "\xFF",           "\\q",  "!#[]~"})
    for (std::size_t before = 0; before < 18; ++before)
      for (std::size_t after = 0; after < 10; ++after) {
        const auto text = '"' + std::string(before, 'a') + part + std::string(after, 'b') + '"';
        EXPECT_EQ(events_of(text), events_by_nlohmann(text)) << text;
      }
}

TEST(JsonParser, deep_nesting_is_read) {
  constexpr std::size_t depth = 100'000;
  const auto events = events_of(std::string(depth, '[') + std::string(depth, ']'));
  ASSERT_NE(events, std::nullopt);
  EXPECT_EQ(events->size(), depth * std::string_view("array end ").size());
  EXPECT_EQ(events_of(std::string(depth, '[')), std::nullopt);
}

}}  // namespace noun::json_parser_test
