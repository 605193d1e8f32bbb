#include "wire/stream_event.hpp"

#include <gtest/gtest.h>

namespace noun::wire { namespace stream_event_test {

TEST(StreamFormat, is_named_by_the_content_type) {
  EXPECT_EQ(stream_format("text/event-stream"), StreamFormat::event_stream);
  for (const auto* type : {"application/x-ndjson", "application/jsonl", "application/stream+json"})
    EXPECT_EQ(stream_format(type), StreamFormat::json_lines) << type;
  for (const auto* type : {"application/json-seq", "application/geo+json-seq"})
    EXPECT_EQ(stream_format(type), StreamFormat::json_sequence) << type;
}

TEST(StreamFormat, ignores_case_space_and_parameters) {
  for (const auto* type : {"text/event-stream;charset=utf-8", "text/event-stream ; charset=\"utf-8\"; x=y",
                           " Text/Event-Stream\t", "TEXT/EVENT-STREAM;"})
    EXPECT_EQ(stream_format(type), StreamFormat::event_stream) << type;
  EXPECT_EQ(stream_format("Application/JSON-Seq; a=b"), StreamFormat::json_sequence);
  EXPECT_EQ(stream_format("application/Geo+JSON-Seq; a=b"), StreamFormat::json_sequence);
}

TEST(StreamFormat, is_nothing_for_another_type) {
  for (const auto* type : {"", ";", "application/json", "text/event", "text/event-streams", "text", "multipart/mixed",
                           "application/json;text/event-stream", "text/event-stream, text/event-stream", "+json-seq",
                           "application/x+json-sequence", "application/xjson-seq"})
    EXPECT_EQ(stream_format(type), std::nullopt) << type;
}

}}  // namespace noun::wire::stream_event_test
