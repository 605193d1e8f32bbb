#include "wire/event_stream.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "stream_splits.hpp"

namespace noun::wire { namespace event_stream_test {

using namespace std::literals;
using wire_test::ReadEvent;
using wire_test::ReadStream;
using Events = std::vector<ReadEvent>;

constexpr std::size_t max_bytes = 1000;
const ReadEvent dropped = {.data = "", .is_truncated = true};

ReadStream read(std::string_view bytes, std::size_t max = max_bytes) {
  return wire_test::read_in_every_split([max] { return EventStreamReader(max); }, bytes);
}

ReadEvent message(std::string data, std::string id = "") { return {std::move(data), "message", std::move(id)}; }

struct Row {
  const char* rule;
  std::string_view bytes;
  Events events;
};

void expect_rows(const std::vector<Row>& rows) {
  for (const auto& [rule, bytes, events] : rows) EXPECT_EQ(read(bytes), ReadStream{events}) << rule;
}

TEST(EventStream, reads_the_examples_of_the_standard) {
  expect_rows({
      {"data in two lines",
       "data: This is the first message.\n\ndata: This is the second message, it\n"
       "data: has two lines.\n\ndata: This is the third message.\n\n",
       {message("This is the first message."), message("This is the second message, it\nhas two lines."),
        message("This is the third message.")}},
      {"events with a type",
       "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
       {{"73857293", "add"}, {"2153", "remove"}, {"113411", "add"}}},
      {"stock ticker", "data: YHOO\ndata: +2\ndata: 10\n\n", {message("YHOO\n+2\n10")}},
      {"ids, a comment and a space in the data",
       ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
       {message("first event", "1"), message("second event", ""), message(" third event", "")}},
      {"empty data, and an event that is not ended",
       "data\n\ndata\ndata\n\ndata:",
       {message(""), message("\n"), dropped}},
      {"a space after the colon", "data:test\n\ndata: test\n\n", {message("test"), message("test")}},
  });
}

TEST(EventStream, a_line_ends_with_cr_or_lf_or_both) {
  expect_rows({
      {"LF", "data:a\ndata:b\n\ndata:c\n\n", {message("a\nb"), message("c")}},
      {"CR", "data:a\rdata:b\r\rdata:c\r\r", {message("a\nb"), message("c")}},
      {"CRLF", "data:a\r\ndata:b\r\n\r\ndata:c\r\n\r\n", {message("a\nb"), message("c")}},
      {"mixed", "data:a\ndata:b\r\ndata:c\rdata:d\r\n\ndata:e\r\r\n", {message("a\nb\nc\nd"), message("e")}},
      {"LF and CR are two", "data:a\n\rdata:b\n\r", {message("a"), message("b")}},
      {"no other character",
       "data:a\vb\fc\xC2\x85"
       "d\xE2\x80\xA8"
       "e\n\n",
       {message("a\vb\fc\xC2\x85"
                "d\xE2\x80\xA8"
                "e")}},
  });
}

TEST(EventStream, an_event_ends_with_its_cr_before_the_lf_arrives) {
  EventStreamReader reader(max_bytes);
  const auto data_of = [&reader](std::string_view rest) {
    const auto event = reader.take(rest);
    EXPECT_TRUE(rest.empty());
    return event ? std::string(event->data) : "none";
  };
  EXPECT_EQ(data_of("data:a\r\n\r"), "a");
  EXPECT_EQ(data_of("\n"), "none");
  EXPECT_EQ(data_of("data:b\r"), "none");
  EXPECT_EQ(data_of("\ndata:c\r"), "none");
  EXPECT_EQ(data_of("\r"), "b\nc");
  EXPECT_EQ(data_of("\n\ndata:d\r\r"), "d");
  EXPECT_EQ(data_of(""), "none");
  EXPECT_EQ(data_of("\ndata:e\n\n"), "e");
}

TEST(EventStream, skips_one_byte_order_mark_at_its_start) {
  expect_rows({
      {"before a field",
       "\xEF\xBB\xBF"
       "data:a\n\n",
       {message("a")}},
      {"before a comment", "\xEF\xBB\xBF:data:a\n\n", {}},
      {"alone in a line", "\xEF\xBB\xBF\ndata:a\n\n", {message("a")}},
      {"before the longest name",
       "\xEF\xBB\xBF"
       "event:a\ndata\n\n",
       {{"", "a"}}},
      {"before the longest name without a colon",
       "\xEF\xBB\xBF"
       "event\ndata\n\n",
       {message("")}},
      {"twice",
       "\xEF\xBB\xBF\xEF\xBB\xBF"
       "data:a\ndata:b\n\n",
       {message("b")}},
      {"in another line",
       "data:a\n\xEF\xBB\xBF"
       "data:b\n\n",
       {message("a")}},
      {"after an empty line",
       "\n\xEF\xBB\xBF"
       "data:b\ndata:c\n\n",
       {message("c")}},
      {"a part of one",
       "\xEF\xBB"
       "data:a\ndata:b\n\n",
       {message("b")}},
      {"alone", "\xEF\xBB\xBF", {}},
      {"in a value", "data:\xEF\xBB\xBF\n\n", {message("\xEF\xBB\xBF")}},
  });
}

TEST(EventStream, removes_one_space_after_the_colon) {
  expect_rows({
      {"one of two", "data:  a\n\n", {message(" a")}},
      {"no tab", "data:\ta\n\n", {message("\ta")}},
      {"only the first colon separates", "data:a: b:c\n\n", {message("a: b:c")}},
      {"a space alone", "data: \n\n", {message("")}},
      {"two spaces alone", "data:  \n\n", {message(" ")}},
      {"spaces at the end stay", "data: a \n\n", {message("a ")}},
      {"none before it", "data : a\ndata: b\n\n", {message("b")}},
  });
}

TEST(EventStream, ignores_comments_and_unknown_fields) {
  const std::string long_line(2 * max_bytes, 'x');
  const std::string streams[] = {":a\n:\n: data:x\ndata:a\n\n",
                                 "DATA:x\nData:x\n data:x\ndat:x\ndatax:x\ndatax\ndat\ndata:a\n\n",
                                 "x\nx:\n:x:data\nevents: x\nids: 1\nretrys: 1\n\xFF: x\ndata:a\n\n",
                                 "data:a\n:" + long_line + '\n' + long_line + '\n' + long_line + ": x\n\n"};
  for (const auto& bytes : streams) EXPECT_EQ(read(bytes), ReadStream{{message("a")}}) << bytes;
}

TEST(EventStream, without_data_there_is_no_event) {
  expect_rows({
      {"empty lines", "\n\n\r\r\r\n\r\n", {}},
      {"a type alone, which the next event does not get", "event:a\n\ndata:b\n\n", {message("b")}},
      {"an id alone, which the next event gets", "id:1\n\ndata:b\n\n", {message("b", "1")}},
      {"a type and an id", "event:a\nid:1\n\ndata:b\n\n", {message("b", "1")}},
  });
}

TEST(EventStream, the_type_is_that_of_its_last_field) {
  expect_rows({
      {"after the data", "data:a\nevent:b\n\n", {{"a", "b"}}},
      {"the last counts", "event:a\nevent:b\ndata:c\n\n", {{"c", "b"}}},
      {"an empty one is message", "event:a\nevent\ndata:c\n\n", {message("c")}},
      {"each event has its own", "event:a\ndata:b\n\ndata:c\n\n", {{"b", "a"}, message("c")}},
      {"it is any text", "event: a b\t\xC3\xBC \ndata\n\n", {{"", "a b\t\xC3\xBC "}}},
  });
}

TEST(EventStream, an_id_stays_until_another_one) {
  expect_rows({
      {"for the events after it",
       "id:1\ndata:a\n\ndata:b\n\nid:2\ndata:c\n\n",
       {message("a", "1"), message("b", "1"), message("c", "2")}},
      {"the last counts", "id:1\nid:2\ndata:a\n\n", {message("a", "2")}},
      {"an empty one resets it", "id:1\ndata:a\n\nid\ndata:b\n\n", {message("a", "1"), message("b")}},
      {"one with NUL is ignored",
       "id:1\ndata:a\n\nid:2\0\ndata:b\n\nid:\0\ndata:c\n\n"sv,
       {message("a", "1"), message("b", "1"), message("c", "1")}},
      {"also beside another", "id:1\nid:2\0x\ndata:a\n\n"sv, {message("a", "1")}},
  });
}

TEST(EventStream, nul_is_allowed_elsewhere) {
  expect_rows({{"in data and type", "event:a\0b\ndata:\0\ndata:c\0\n\n"sv, {{"\0\nc\0"s, "a\0b"s}}},
               {"not in a name", "da\0ta:x\ndata\0:x\ndata:a\n\n"sv, {message("a")}}});
}

TEST(EventStream, the_last_id_is_that_of_an_event_that_ended) {
  const auto last_id = [](std::string_view bytes) {
    EventStreamReader reader(max_bytes, "before");
    wire_test::read_pieces(reader, {bytes});
    return reader.last_event_id();
  };
  EXPECT_EQ(last_id(""), "before");
  EXPECT_EQ(last_id("data:a\n\n"), "before");
  EXPECT_EQ(last_id("id:1\ndata:a\n\n"), "1");
  EXPECT_EQ(last_id("id:1\n\n"), "1");
  EXPECT_EQ(last_id("id\n\n"), "");
  EXPECT_EQ(last_id("id:1\ndata:a\n\nid:2\ndata:b\n"), "1");
  EXPECT_EQ(last_id("id:1\ndata:a\n\nid:2"), "1");
}

TEST(EventStream, goes_on_with_the_id_of_the_stream_before) {
  const auto make = [] { return EventStreamReader(max_bytes, "7"); };
  EXPECT_EQ(wire_test::read_in_every_split(make, "data:a\n\nid:8\ndata:b\n\n"),
            (ReadStream{{message("a", "7"), message("b", "8")}}));
}

TEST(EventStream, retry_is_digits) {
  const auto retry = [](std::string_view bytes) {
    EventStreamReader reader(max_bytes);
    EXPECT_EQ(wire_test::read_pieces(reader, {bytes}).events, Events());
    return reader.retry();
  };
  EXPECT_EQ(retry("retry:2500\n"), 2500ms) << "before its event ends";
  EXPECT_EQ(retry("retry: 0\n\n"), 0ms);
  EXPECT_EQ(retry("retry:1\nretry:0020\n\n"), 20ms);
  EXPECT_EQ(retry("retry:9223372036854\n\n"), 9223372036854ms);
  for (const auto* digits : {"9223372036855", "9223372036854775807", "9223372036854775808", "99999999999999999999999"})
    EXPECT_EQ(retry("retry:"s + digits + '\n'), Duration::max()) << digits;
  for (const auto value :
       {""sv, " "sv, "-1"sv, "+1"sv, "1.5"sv, "1e3"sv, "0x1"sv, " 1"sv, "1 "sv, "1s"sv, "\xD9\xA1"sv, "1\0"sv})
    EXPECT_EQ(retry("retry: "s.append(value) + "\n\n"), std::nullopt) << value;
  EXPECT_EQ(retry("retry\n\n"), std::nullopt);
  EXPECT_EQ(retry("retry:7\nretry:x\nretry\n\n"), 7ms) << "an invalid one changes nothing";
}

TEST(EventStream, retry_needs_its_line_end) {
  EventStreamReader reader(max_bytes);
  EXPECT_EQ(wire_test::read_pieces(reader, {"retry:7\nretry:8"}).events, Events{dropped});
  EXPECT_EQ(reader.retry(), 7ms);
}

TEST(EventStream, an_event_without_its_empty_line_is_dropped) {
  for (const auto* end :
       {"data:b\n", "data:b", "data:", "data", "d", "id:1\n", "id:1", "id", "event:a\n", "event\n", "retr"})
    for (const auto* start : {"", "data:a\n\n", ":\n", "data:a\r\n\r\n", "\xEF\xBB\xBF"}) {
      const auto bytes = std::string(start) + end;
      const bool has_event = bytes.starts_with("data:a");
      EXPECT_EQ(read(bytes), (ReadStream{has_event ? Events{message("a"), dropped} : Events{dropped}})) << bytes;
    }
}

TEST(EventStream, nothing_is_dropped_after_an_empty_line_but_comments_and_unknown_fields) {
  for (const auto* end : {"", ":", ":data", ":\n", "x:", "unknown field", "unknown\n", "retry:1\n", "\r", "\n"})
    EXPECT_EQ(read(std::string("data:a\n\n") + end), ReadStream{{message("a")}}) << end;
}

TEST(EventStream, the_last_event_may_be_followed_by_the_end) {
  EventStreamReader reader(max_bytes);
  std::string_view rest = "data:a\n\n";
  EXPECT_TRUE(reader.take(rest));
  EXPECT_FALSE(reader.finish(true));
}

TEST(EventStream, an_event_above_the_limit_ends_the_reader) {
  const auto too_large = [](std::string_view bytes, Events before, std::uint64_t offset) {
    const EventPlace place{before.size() + 1, offset};
    EXPECT_EQ(read(bytes, 5), (ReadStream{std::move(before), place})) << bytes;
  };
  too_large("data:123456\n\n", {}, 0);
  too_large("data:12345\n\ndata:123456\n\ndata:1\n\n", {message("12345")}, 12);
  too_large("data:12\r\n\r\n:comment\r\nx:y\r\n\r\ndata: 12\ndata:\ndata:1\ndata:\n\n", {message("12")}, 28);
  too_large("event:12\nid:12\ndata:12\n\n", {}, 0);
  too_large("event:12\nevent:12\nevent:12\n", {}, 0);
  too_large("id:\n\nid:123456", {}, 5);
  too_large("data\n\nretry:123456\n", {message("")}, 6);
  too_large("data\ndata\ndata\ndata\ndata\ndata\ndata\n", {}, 0);
  EXPECT_EQ(read("event:12\ndata:123\n\ndata:1\ndata\ndata:12\n\nretry:12345\n\nid:12345\n\ndata:12345\n\n", 5),
            (ReadStream{{{"123", "12"}, message("1\n\n12"), message("12345", "12345")}}));
}

TEST(EventStream, what_is_too_large_is_not_kept) {
  EventStreamReader reader(max_bytes);
  std::string_view rest = "data:a\n\ndata:b\ndata:";
  EXPECT_EQ(reader.take(rest)->data, "a");
  EXPECT_FALSE(reader.take(rest));
  const std::string filler(max_bytes, 'x');
  for (auto i = 0; i < 3; ++i) {
    rest = filler;
    EXPECT_FALSE(reader.take(rest));
    EXPECT_EQ(reader.too_large(), (EventPlace{2, 8}));
  }
  rest = "\n\ndata:c\n\n";
  EXPECT_FALSE(reader.take(rest));
  EXPECT_FALSE(reader.finish(true));
}

TEST(EventStream, the_start_of_what_is_too_large_is_not_used) {
  EventStreamReader reader(5);
  EXPECT_TRUE(wire_test::read_pieces(reader, {"retry:1234", "56\n\n"}).too_large);
  EXPECT_EQ(reader.retry(), std::nullopt);
}

TEST(EventStream, data_in_one_piece_is_not_copied) {
  const std::string bytes = "id:1\r\nevent:a\r\ndata: {\"a\":1}\r\n\r\n";
  std::string_view rest = bytes;
  EventStreamReader reader(max_bytes);
  const auto event = reader.take(rest);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->data.data(), bytes.data() + bytes.find('{'));
}

TEST(EventStream, reads_long_lines_with_any_end) {
  for (const auto* end : {"\n", "\r", "\r\n"})
    for (const std::size_t size : {100U, 127U, 128U, 129U, 383U, 384U, 500U, 896U}) {
      const std::string data(size - 5, 'x');
      const auto bytes = "data:" + data + end + "data" + end + end + "data:a" + end + end;
      EXPECT_EQ(read(bytes), (ReadStream{{message(data + '\n'), message("a")}})) << size;
    }
}

}}  // namespace noun::wire::event_stream_test
