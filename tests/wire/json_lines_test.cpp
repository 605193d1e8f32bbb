#include "wire/json_lines.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "stream_splits.hpp"

namespace noun::wire { namespace json_lines_test {

using namespace std::literals;
using wire_test::ReadEvent;
using wire_test::ReadStream;
using Events = std::vector<ReadEvent>;

constexpr std::size_t max_bytes = 1000;

ReadStream read(JsonFraming framing, std::string_view bytes, bool is_complete = true, std::size_t max = max_bytes) {
  return wire_test::read_in_every_split([=] { return JsonLinesReader(framing, max); }, bytes, is_complete);
}

Events lines(std::string_view bytes, bool is_complete = true) {
  return read(JsonFraming::lines, bytes, is_complete).events;
}

/// `^` stands for RS.
std::string with_separators(std::string text) {
  for (auto& c : text)
    if (c == '^') c = '\x1E';
  return text;
}

/// The end of the body makes no difference to a sequence.
Events sequence(std::string bytes) {
  bytes = with_separators(std::move(bytes));
  const auto events = read(JsonFraming::sequence, bytes).events;
  EXPECT_EQ(read(JsonFraming::sequence, bytes, false).events, events);
  return events;
}

Events texts(std::initializer_list<const char*> all) {
  Events events;
  for (const auto* text : all) events.push_back({text});
  return events;
}

ReadEvent cut(std::string data) { return {.data = std::move(data), .is_truncated = true}; }

TEST(JsonLines, a_text_ends_with_lf_or_crlf) {
  EXPECT_EQ(lines("{\"a\":1}\n[2]\r\n3\n"), texts({"{\"a\":1}", "[2]", "3"}));
  EXPECT_EQ(lines("1\r2\n"), texts({"1\r2"})) << "a CR alone ends no line";
  EXPECT_EQ(lines("1\r\r\n"), texts({"1\r"}));
  EXPECT_EQ(lines(" 1 \n\t2\n"), texts({" 1 ", "\t2"}));
  EXPECT_EQ(lines("\x1E"
                  "1\n"),
            texts({"\x1E"
                   "1"}))
      << "a record separator is a byte like others";
  EXPECT_EQ(lines("1\0\n\0\n"sv), (Events{{"1\0"s}, {"\0"s}}));
}

TEST(JsonLines, lines_of_white_space_are_skipped) {
  EXPECT_EQ(lines(""), Events());
  EXPECT_EQ(lines("\n\n1\n\r\n \t\r\n\n2\n\n"), texts({"1", "2"}));
  EXPECT_EQ(lines("1\n \r", false), texts({"1"}));
}

TEST(JsonLines, a_byte_order_mark_at_the_start_is_skipped) {
  EXPECT_EQ(lines("\xEF\xBB\xBF{}\n[]\n"), texts({"{}", "[]"}));
  EXPECT_EQ(lines("\xEF\xBB\xBF\n1\n"), texts({"1"}));
  EXPECT_EQ(lines("\xEF\xBB\xBF"), Events());
  EXPECT_EQ(lines("\xEF\xBB\xBF\xEF\xBB\xBF"
                  "1\n"),
            texts({"\xEF\xBB\xBF"
                   "1"}));
  EXPECT_EQ(lines("\n\xEF\xBB\xBF"
                  "1\n"),
            texts({"\xEF\xBB\xBF"
                   "1"}));
  EXPECT_EQ(lines("\xEF\xBB"
                  "1\n"),
            texts({"\xEF\xBB"
                   "1"}));
}

TEST(JsonLines, the_last_line_needs_no_lf_if_the_body_is_complete) {
  EXPECT_EQ(lines("1\n{\"a\":2}"), texts({"1", "{\"a\":2}"}));
  EXPECT_EQ(lines("1\n2\r"), texts({"1", "2"}));
  EXPECT_EQ(lines("1\n{\"a\":2}", false), (Events{{"1"}, cut("{\"a\":2}")}));
  EXPECT_EQ(lines("1\n2\n", false), texts({"1", "2"}));
}

TEST(JsonLines, a_last_line_with_open_brackets_is_truncated_also_if_the_body_is_complete) {
  EXPECT_EQ(lines("1\n{\"a\":[2]"), (Events{{"1"}, cut("{\"a\":[2]")}));
  EXPECT_EQ(lines("1\n\"a\\\""), (Events{{"1"}, cut("\"a\\\"")}));
  EXPECT_EQ(lines("{\"a\":\n\"}{\""), texts({"{\"a\":", "\"}{\""}));
}

TEST(JsonLines, the_last_text_may_be_followed_by_the_end) {
  JsonLinesReader reader(JsonFraming::lines, max_bytes);
  std::string_view rest = "1\n";
  EXPECT_TRUE(reader.take(rest));
  EXPECT_FALSE(reader.finish(true));
}

TEST(JsonLines, a_line_above_the_limit_ends_the_reader) {
  const auto read_five = [](std::string_view bytes) { return read(JsonFraming::lines, bytes, true, 5); };
  EXPECT_EQ(read_five("12345\n1234\r\n12345"), (ReadStream{texts({"12345", "1234", "12345"})}));
  EXPECT_EQ(read_five("123456\n1\n"), (ReadStream{{}, EventPlace{1, 0}}));
  EXPECT_EQ(read_five("1\n\n12345\r\n1\n"), (ReadStream{texts({"1"}), EventPlace{2, 3}}));
  EXPECT_EQ(read_five("1\n      "), (ReadStream{texts({"1"}), EventPlace{2, 2}}));
}

TEST(JsonLines, what_is_too_large_is_not_kept) {
  JsonLinesReader reader(JsonFraming::lines, max_bytes);
  const std::string filler(max_bytes, 'x');
  for (auto i = 0; i < 3; ++i) {
    std::string_view rest = filler;
    EXPECT_FALSE(reader.take(rest));
    EXPECT_EQ(reader.too_large().has_value(), i > 0);
  }
  std::string_view rest = "\n1\n";
  EXPECT_FALSE(reader.take(rest));
  EXPECT_FALSE(reader.finish(true));
}

TEST(JsonLines, a_text_in_one_piece_is_not_copied) {
  const std::string bytes = "1\n{\"a\":1}\r\n";
  std::string_view rest = bytes;
  JsonLinesReader reader(JsonFraming::lines, max_bytes);
  EXPECT_EQ(reader.take(rest)->data, "1");
  const auto event = reader.take(rest);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->data.data(), bytes.data() + 2);
}

TEST(JsonSequence, a_text_starts_with_rs_and_ends_with_lf) {
  EXPECT_EQ(sequence(""), Events());
  EXPECT_EQ(sequence("^{\"a\":1}\n^[2]\n^3\n^\"x\"\n^true\n^null\n"),
            texts({"{\"a\":1}", "[2]", "3", "\"x\"", "true", "null"}));
  EXPECT_EQ(sequence("^{\"a\":1}\r\n^ 2 \n"), texts({"{\"a\":1}", " 2 "}));
}

TEST(JsonSequence, empty_texts_are_skipped) {
  EXPECT_EQ(sequence("^^\n^ \r\n^\n\n^1\n\n \n^^"), texts({"1"}));
  EXPECT_EQ(sequence("^\n\n1\n"), texts({"1"})) << "LF before the text";
}

TEST(JsonSequence, a_text_has_several_lines) {
  EXPECT_EQ(sequence("^{\n  \"a\": [\n    1\n  ]\n}\n^[\n]\n"), texts({"{\n  \"a\": [\n    1\n  ]\n}", "[\n]"}));
  EXPECT_EQ(sequence("^{\"[{\\\"[\": \"\\\\\"}\n^1\n"), texts({"{\"[{\\\"[\": \"\\\\\"}", "1"}))
      << "brackets in a string";
}

TEST(JsonSequence, a_text_ends_with_lf_if_no_rs_follows) {
  for (const auto* text : {"{\"[{\\\"[\": \"\\\\\"}", "\"\\\\\"", "[{}, []]", "]", "}}", "1"})
    EXPECT_EQ(sequence(std::string("^") + text + "\n7\n^"), (Events{{text}, cut("7")})) << text;
}

TEST(JsonSequence, a_text_is_returned_with_its_lf) {
  JsonLinesReader reader(JsonFraming::sequence, max_bytes);
  std::string_view rest = "\x1E{\n}";
  EXPECT_FALSE(reader.take(rest));
  rest = "\n";
  EXPECT_EQ(reader.take(rest), (StreamEvent{.data = "{\n}"}));
}

TEST(JsonSequence, a_byte_order_mark_at_the_start_is_skipped) {
  EXPECT_EQ(sequence("\xEF\xBB\xBF^1\n"), texts({"1"}));
  EXPECT_EQ(sequence("\xEF\xBB\xBF\n^1\n"), texts({"1"}));
  EXPECT_EQ(sequence("^\xEF\xBB\xBF"
                     "1\n"),
            texts({"\xEF\xBB\xBF"
                   "1"}))
      << "not in a text";
}

TEST(JsonSequence, a_text_without_its_lf_is_truncated_unless_it_shows_its_end) {
  for (const auto* after : {"", "^7\n"}) {
    const auto read = [after](const char* text) {
      auto events = sequence(std::string("^") + text + after);
      const bool has_next = events.size() == 2 && events[1] == ReadEvent{"7"};
      EXPECT_EQ(has_next, *after != '\0') << text;
      return events.empty() ? ReadEvent{} : events[0];
    };
    for (const auto* whole : {"{\"a\":1}", "[]", "\"a\"", "{}  ", "1 ", "true\t", "[1,\n2]"})
      EXPECT_EQ(read(whole), ReadEvent{whole}) << whole;
    for (const auto* part : {"{\"a\":1", "[", "[[]", "\"a", "\"a\\\"", "1", "-1.5e3", "true", "null", "[\n1"})
      EXPECT_EQ(read(part), cut(part)) << part;
  }
}

TEST(JsonSequence, nothing_of_a_truncated_text_counts_for_the_next_one) {
  EXPECT_EQ(sequence("^\"a\\^\"\"^[^[]^{}^12^"), (Events{cut("\"a\\"), {"\"\""}, cut("["), {"[]"}, {"{}"}, cut("12")}));
}

TEST(JsonSequence, a_text_with_open_brackets_is_truncated_at_the_end_of_the_stream) {
  EXPECT_EQ(sequence("^[1,\n"), Events{cut("[1,")});
  EXPECT_EQ(sequence("^{\"a\n"), Events{cut("{\"a")});
  EXPECT_EQ(sequence("^[1,\n^{\"a\r\n^2\n"), texts({"[1,", "{\"a", "2"})) << "not with LF and the next RS";
  EXPECT_EQ(sequence("^[\n\n^1\n"), texts({"[\n", "1"})) << "one LF is its end";
}

TEST(JsonSequence, a_text_without_rs_is_truncated) {
  EXPECT_EQ(sequence("1\n^2\n3\n4\n^5\n"), (Events{cut("1"), {"2"}, cut("3"), cut("4"), {"5"}}));
  EXPECT_EQ(sequence("\"a\":1}\n^{}\n"), (Events{cut("\"a\":1}"), {"{}"}}));
  EXPECT_EQ(sequence("{}^[]\n"), (Events{cut("{}"), {"[]"}}));
}

TEST(JsonSequence, closing_brackets_alone_do_no_harm) {
  EXPECT_EQ(sequence("^]}\n^{\n]}\n^{}\n"), texts({"]}", "{\n]}", "{}"}));
}

TEST(JsonSequence, a_text_above_the_limit_ends_the_reader) {
  const auto read_five = [](std::string bytes) {
    return read(JsonFraming::sequence, with_separators(std::move(bytes)), true, 5);
  };
  EXPECT_EQ(read_five("^12345\n^[\n1\n]\n"), (ReadStream{texts({"12345", "[\n1\n]"})}));
  EXPECT_EQ(read_five("^1\n\n^123456\n^1\n"), (ReadStream{texts({"1"}), EventPlace{2, 5}}));
  EXPECT_EQ(read_five("^[\n\n\n\n\n\n"), (ReadStream{{}, EventPlace{1, 1}}));
  EXPECT_EQ(read_five("^[1234\n^1\n"), (ReadStream{texts({"[1234", "1"})})) << "without its LF";
  EXPECT_EQ(read_five("\n\n\n\n\n\n^\n\n\n\n\n\n"), ReadStream()) << "empty lines are not kept";
}

}}  // namespace noun::wire::json_lines_test
