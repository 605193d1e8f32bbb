#include "decision/event_feed.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace noun_test { namespace event_feed_test {

using namespace std::chrono_literals;
using noun::Continuation;
using noun::Errc;
using noun::EventFeed;
using noun::Headers;
using noun::Response;
using noun::StreamEnd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Next = Continuation::Next;

Response head(std::string_view type, int status = 200) {
  return {.status = status, .headers = {{"Content-Type", type}}};
}

EventFeed::Settings with(EventFeed::Settings settings = {}) {
  settings.max_event = 100;
  return settings;
}

std::vector<std::string> take(EventFeed& feed, std::string_view bytes) {
  std::vector<std::string> texts;
  feed.on_bytes(bytes.size());
  while (const auto event = feed.take(bytes)) texts.emplace_back(event->event.data);
  EXPECT_THAT(bytes, IsEmpty()) << "all is read, or not needed";
  return texts;
}

std::string field(EventFeed& feed, std::string_view name) {
  Headers headers;
  feed.add_fields(headers);
  return std::string(headers.get(name).value_or("-"));
}

TEST(EventFeed, has_failed_if_the_body_is_in_a_coding) {
  for (const std::string_view coding : {"gzip", "br", "unknown"}) {
    EventFeed feed(with());
    auto coded = head("text/event-stream");
    coded.headers.add("Content-Encoding", coding);
    EXPECT_FALSE(feed.on_head(coded));
    ASSERT_TRUE(feed.failure()) << coding;
    EXPECT_EQ(feed.failure()->code, Errc::protocol);
    EXPECT_TRUE(feed.failed());
  }
  EventFeed feed(with());
  auto plain = head("text/event-stream");
  plain.headers.add("Content-Encoding", "identity");
  EXPECT_TRUE(feed.on_head(plain));
}

TEST(EventFeed, ends_where_its_settings_say) {
  struct Row {
    StreamEnd ends;
    std::string_view body;
    Next next;
    bool is_complete;
  };
  for (const auto& row : std::vector<Row>{
           {StreamEnd::at_close, "data: 1\n\n", Next::nothing, true},
           {StreamEnd::at_close, "data: 1\n\ndata: 2", Next::retry, false},
           {StreamEnd::at_marker, "data: 1\n\n", Next::retry, false},
           {StreamEnd::at_marker, "data: 1\n\ndata: end\n\n", Next::nothing, true},
           {StreamEnd::at_marker, "data: 1\n\nevent: last\ndata: 2\n\n", Next::nothing, true},
           {StreamEnd::never, "data: 1\n\n", Next::retry, false},
       }) {
    EventFeed feed(with({.rules = {.end_marker = "end", .end_events = {"last"}}, .ends = row.ends}));
    ASSERT_TRUE(feed.on_head(head("text/event-stream")));
    take(feed, row.body);
    EXPECT_EQ(feed.on_end(), row.next) << row.body;
    EXPECT_EQ(feed.has_ended(), row.is_complete) << row.body;
    EXPECT_TRUE(feed.stuck()) << "it does not reconnect";
  }
}

TEST(EventFeed, takes_nothing_after_its_end) {
  EventFeed feed(with({.rules = {.end_marker = "end"}}));
  ASSERT_TRUE(feed.on_head(head("text/event-stream")));
  EXPECT_THAT(take(feed, "data: 1\n\ndata: end\n\ndata: 2\n\n"), ElementsAre("1"));
  EXPECT_THAT(take(feed, "data: 3\n\n"), IsEmpty());
  EXPECT_EQ(feed.events(), 1U);
}

/// Settings with a function that keeps the last items.
EventFeed::Settings keeping(std::vector<std::string>& last, EventFeed::Settings settings = {}) {
  settings.on_last = [&last](std::string_view item, std::uint64_t number) {
    last.push_back(std::to_string(number) + ": " + std::string(item));
  };
  return with(std::move(settings));
}

TEST(EventFeed, delivers_a_last_line_that_only_the_end_has_ended) {
  std::vector<std::string> last;
  EventFeed feed(keeping(last));
  ASSERT_TRUE(feed.on_head(head("application/x-ndjson")));
  EXPECT_THAT(take(feed, "1\n2"), ElementsAre("1"));
  EXPECT_EQ(feed.on_end(), Next::nothing);
  EXPECT_THAT(last, ElementsAre("2: 2"));
  EXPECT_EQ(feed.on_end(), Next::nothing);
  EXPECT_THAT(last, ElementsAre("2: 2"));
}

TEST(EventFeed, ends_at_a_marker_in_a_last_line_that_only_the_end_has_ended) {
  for (const auto& [type, body] : {std::pair("application/x-ndjson", "1\n\"end\""),
                                   std::pair("application/json-seq", "\x1e" "1\n\x1e\"end\"")}) {
    std::vector<std::string> last;
    EventFeed feed(keeping(last, {.rules = {.end_marker = "\"end\""}, .ends = StreamEnd::at_marker}));
    ASSERT_TRUE(feed.on_head(head(type)));
    EXPECT_THAT(take(feed, body), ElementsAre("1"));
    EXPECT_EQ(feed.on_end(), Next::nothing) << type;
    EXPECT_TRUE(feed.has_ended());
    EXPECT_THAT(last, IsEmpty()) << "the marker is no item";
  }
}

TEST(EventFeed, forgets_a_line_of_a_connection_that_was_lost) {
  std::vector<std::string> last;
  EventFeed feed(keeping(last, {.reconnects = true}));
  ASSERT_TRUE(feed.on_head(head("application/x-ndjson")));
  EXPECT_THAT(take(feed, "1\n2"), ElementsAre("1"));
  ASSERT_FALSE(feed.on_head(head("text/html")));
  EXPECT_EQ(feed.on_end(), Next::retry);
  EXPECT_THAT(last, IsEmpty());
}

TEST(EventFeed, continues_after_the_last_id_on_another_connection) {
  EventFeed feed(with({.ends = StreamEnd::never, .reconnects = true, .last_event_id = "1"}));
  EXPECT_EQ(field(feed, "Last-Event-ID"), "1");
  ASSERT_TRUE(feed.on_head(head("text/event-stream")));
  EXPECT_FALSE(feed.take_progress());
  take(feed, ": a comment\n");
  EXPECT_TRUE(feed.take_progress());
  take(feed, "retry: 5000\nid: 2\ndata: a\n\nid: 3\ndata: cut");
  EXPECT_EQ(feed.wait(), 5s);
  EXPECT_EQ(feed.on_end(), Next::retry);
  EXPECT_FALSE(feed.stuck());
  EXPECT_EQ(field(feed, "Last-Event-ID"), "2");
  ASSERT_TRUE(feed.on_head(head("text/event-stream")));
  EXPECT_THAT(take(feed, "data: b\n\n"), ElementsAre("b"));
  EXPECT_EQ(field(feed, "Last-Event-ID"), "2") << "kept over the connections";
  EXPECT_FALSE(feed.on_head(head("", 204)));
  EXPECT_EQ(feed.on_end(), Next::nothing);
}

TEST(EventFeed, waits_before_it_reconnects_whatever_the_server_asks_for) {
  EventFeed feed(with({.ends = StreamEnd::never, .reconnects = true}));
  ASSERT_TRUE(feed.on_head(head("text/event-stream")));
  take(feed, "retry: 0\ndata: a\n\n");
  EXPECT_EQ(feed.wait(), 250ms);
  take(feed, "retry: 251\n\n");
  EXPECT_EQ(feed.wait(), 251ms);
}

TEST(EventFeed, sends_no_id_that_a_field_cannot_have) {
  auto settings = with({.ends = StreamEnd::never, .reconnects = true});
  settings.max_event = 100'000;
  EventFeed feed(settings);
  ASSERT_TRUE(feed.on_head(head("text/event-stream")));
  for (const auto& id : {std::string("a\x01") + "b", std::string("\x7f"), std::string(16 * 1024 + 1, 'i')}) {
    take(feed, "id: " + id + "\ndata: a\n\n");
    EXPECT_EQ(field(feed, "Last-Event-ID"), "-") << id.size();
  }
  take(feed, "id: a\tb\ndata: a\n\n");
  EXPECT_EQ(field(feed, "Last-Event-ID"), "a\tb");
}

TEST(EventFeed, reads_only_streams) {
  for (const auto* type : {"application/json", "text/html", ""}) {
    EventFeed feed(with({.reconnects = true}));
    EXPECT_FALSE(feed.on_head(head(type))) << type;
    EXPECT_EQ(feed.on_end(), Next::retry);
    EXPECT_EQ(feed.early_end().code, Errc::protocol);
    EXPECT_TRUE(feed.early_end().would_repeat);
  }
  EventFeed named(with({.format = noun::StreamFormat::json_lines}));
  EXPECT_TRUE(named.on_head(head("application/json")));
  EXPECT_FALSE(named.on_head(head("application/x-ndjson", 500)));
}

TEST(EventFeed, fails_for_good) {
  EventFeed large(with({.reconnects = true}));
  ASSERT_TRUE(large.on_head(head("application/jsonl")));
  EXPECT_THAT(take(large, "1\n" + std::string(200, '2')), ElementsAre("1"));
  EXPECT_TRUE(large.failed());
  EXPECT_EQ(large.stuck_fault().code, Errc::too_large);
  EventFeed reported(with({.rules = {.error_events = {"error"}}, .reconnects = true}));
  ASSERT_TRUE(reported.on_head(head("text/event-stream")));
  EXPECT_THAT(take(reported, "event: error\ndata: {}\n\ndata: 1\n\n"), IsEmpty());
  EXPECT_EQ(reported.stuck_fault().code, Errc::server_error);
  EXPECT_EQ(reported.stuck_fault().body, "{}");
}

TEST(EventFeed, of_json_sets_the_parameters_of_the_program) {
  EventFeed feed(with({.reconnects = true, .resume_with = [](std::string_view last) {
                         return noun::Query{{"since", std::string(last)}};
                       }}));
  EXPECT_EQ(feed.url("http://a/b?since=0&x=1"), "http://a/b?since=0&x=1");
  ASSERT_TRUE(feed.on_head(head("application/x-ndjson")));
  take(feed, "7\n8\n9");
  EXPECT_EQ(feed.url("http://a/b?since=0&x=1"), "http://a/b?since=8&x=1");
}

TEST(EventFeed, shows_a_name_whole_or_not_at_all) {
  for (const auto& [size, shown] : 
       {std::pair(std::size_t{60}, std::string(60, 'x')), std::pair(std::size_t{61}, std::string("a text of 61 bytes"))}) {
    EventFeed feed(with());
    EXPECT_FALSE(feed.on_head(head(std::string(size, 'x'))));
    EXPECT_EQ(feed.early_end().what, "the response is no stream: its Content-Type is " + shown);
  }
  for (const auto& [size, shown] : 
       {std::pair(std::size_t{20}, std::string(20, 'x')), std::pair(std::size_t{21}, std::string("a text of 21 bytes"))}) {
    const auto fault = noun::fault_of_coding({{"Content-Encoding", std::string(size, 'x')}});
    EXPECT_EQ(fault->what, "the body is encoded (" + shown + "), although the request asked for none");
  }
}

}}  // namespace noun_test::event_feed_test
