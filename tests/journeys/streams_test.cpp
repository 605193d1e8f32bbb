// Streams of events, as a program reads them.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace noun_test { namespace streams_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::EventText;
using noun::Json;
using noun::Method;
using noun::StreamEnd;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const noun::Headers event_stream = {{"Content-Type", "text/event-stream; charset=utf-8"}};
const noun::Headers json_lines = {{"Content-Type", "application/x-ndjson"}};

struct Streams : ::testing::Test {
  noun::Client client(noun::ClientOptions options = {}) {
    options.transport = script;
    options.clock = clock;
    options.retry.max_attempts = 3;
    return noun::Client("https://api.example.com", std::move(options));
  }
  std::string sent(std::size_t index, std::string_view header) const {
    return std::string(script->requests().at(index).headers.get(header).value_or("-"));
  }

  std::shared_ptr<noun::testing::ManualClock> clock = std::make_shared<noun::testing::ManualClock>();
  std::shared_ptr<noun::testing::ScriptedTransport> script = std::make_shared<noun::testing::ScriptedTransport>(clock);
};

/// What a stream delivered, and the code of its error.
template <class T = EventText>
struct Read {
  explicit Read(noun::Stream<T> stream) {
    for (auto& each : stream) {
      if (!each) {
        error = each.error();
        continue;
      }
      if constexpr (std::same_as<T, EventText>) texts.push_back(each->value.text);
      else texts.push_back(each->value.dump());
      events.push_back(each->event);
      ids.push_back(each->id);
    }
    last_event_id = stream.last_event_id();
  }
  Errc code() const { return error.value().code(); }

  std::vector<std::string> texts;
  std::vector<std::string> events;
  std::vector<std::string> ids;
  std::optional<noun::Error> error;
  std::string last_event_id;
};

TEST_F(Streams, deliver_server_sent_events) {
  script->expect(Method::get, "/events")
      .with_header("Accept-Encoding", "identity")
      .reply(200, "data: {\"a\":1}\n\nevent: change\nid: 7\ndata: {\ndata: \"a\":2}\n\n: nothing\n\ndata: 3\n\n", event_stream);
  const auto api = client();
  auto stream = api.stream<Json>({.path = "events"});
  EXPECT_THAT(script->requests(), IsEmpty());
  const Read<Json> read(std::move(stream));
  EXPECT_FALSE(read.error);
  EXPECT_THAT(read.texts, ElementsAre("{\"a\":1}", "{\"a\":2}", "3"));
  EXPECT_THAT(read.events, ElementsAre("message", "change", "message"));
  EXPECT_THAT(read.ids, ElementsAre("", "7", "7"));
  EXPECT_EQ(read.last_event_id, "7");
  EXPECT_THAT(sent(0, "Accept"), HasSubstr("text/event-stream"));
  EXPECT_EQ(sent(0, "Last-Event-ID"), "-");
}

TEST_F(Streams, deliver_json_in_lines) {
  script->expect(Method::post, "/query").reply(200, "{\"a\":1}\r\n\n[2]\n3", json_lines);
  script->expect(Method::get, "/sequence").reply(200, "\x1e{\"a\":\n1}\n\x1e[2]\n", {{"Content-Type", "application/json-seq"}});
  script->expect(Method::get, "/lines").reply(200, "1\n2\n", {{"Content-Type", "text/plain"}});
  const auto api = client();
  EXPECT_THAT(Read<Json>(api.stream({.method = Method::post, .path = "query", .body = "{}"})).texts,
              ElementsAre("{\"a\":1}", "[2]", "3"));
  EXPECT_THAT(Read<Json>(api.stream({.path = "sequence"})).texts, ElementsAre("{\"a\":1}", "[2]"));
  EXPECT_THAT(Read<Json>(api.stream({.path = "lines"}, {.format = noun::StreamFormat::json_lines})).texts,
              ElementsAre("1", "2"));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, follow_no_redirect_to_another_origin) {
  for (const auto method : {Method::get, Method::post, Method::query})
    script->expect(method, "/events").reply(307, "", {{"Location", "https://cdn.example.com/events"}});
  const auto api = client();
  for (const auto method : {Method::get, Method::post, Method::query}) {
    const Read<Json> read(api.stream({.method = method, .path = "events", .body = method == Method::get ? "" : "{}"}));
    EXPECT_EQ(read.code(), Errc::refused);
  }
  EXPECT_EQ(script->requests().size(), 3U);
}

TEST_F(Streams, end_at_their_marker) {
  const std::string body = "data: 1\n\ndata: [DONE]\n\ndata: 2\n\n";
  script->expect(Method::post, "/chat").reply(200, body, event_stream);
  script->expect(Method::post, "/chat").reply(200, "data: 1\n\n", event_stream);
  script->expect(Method::post, "/messages").reply(200, "event: a\ndata: 1\n\nevent: message_stop\ndata: 2\n\nevent: b\ndata: 3\n\n",
                                                  event_stream);
  const noun::Request request{.method = Method::post, .path = "chat", .body = "{}"};
  const auto api = client({.dialect = noun::dialects::openai()});
  const Read<> whole(api.stream<EventText>(request));
  EXPECT_FALSE(whole.error);
  EXPECT_THAT(whole.texts, ElementsAre("1"));
  const Read<> cut(api.stream<EventText>(request));
  EXPECT_THAT(cut.texts, ElementsAre("1"));
  EXPECT_EQ(cut.code(), Errc::truncated);
  EXPECT_THAT(cut.error->message(), HasSubstr("1 event was delivered"));
  const Read<> typed(client({.dialect = noun::dialects::anthropic()})
                         .stream<EventText>({.method = Method::post, .path = "messages", .body = "{}"}));
  EXPECT_FALSE(typed.error);
  EXPECT_THAT(typed.texts, ElementsAre("1", "2"));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, report_an_error_event_as_the_error) {
  script->expect(Method::post, "/messages")
      .reply(200, "data: 1\n\nevent: error\ndata: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
             event_stream);
  const Read<> read(client({.dialect = noun::dialects::anthropic()})
                        .stream<EventText>({.method = Method::post, .path = "messages", .body = "{}"}));
  EXPECT_THAT(read.texts, ElementsAre("1"));
  EXPECT_EQ(read.code(), Errc::server_error);
  EXPECT_THAT(read.error->message(), AllOf(HasSubstr("after 1 event"), HasSubstr("Overloaded")));
  EXPECT_THAT(read.error->response()->body, HasSubstr("overloaded_error"));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, continue_after_the_last_id) {
  script->expect(Method::get, "/events")
      .with_header("Last-Event-ID", "1")
      .reply(200, "retry: 2500\nid: 2\ndata: a\n\nid: 3\ndata: lost", event_stream);
  script->expect(Method::get, "/events").reply(503);
  script->expect(Method::get, "/events").with_header("Last-Event-ID", "2").reply(200, "id: 3\ndata: b\n\nid: 4\ndata: c\n\n", event_stream).cut(20);
  script->expect(Method::get, "/events").with_header("Last-Event-ID", "3").reply(204);
  const Read<> read(client().stream<EventText>({.path = "events"}, {.last_event_id = "1", .reconnect = true}));
  EXPECT_FALSE(read.error) << read.error->message();
  EXPECT_THAT(read.texts, ElementsAre("a", "b"));
  EXPECT_EQ(read.last_event_id, "3");
  EXPECT_THAT(clock->waits(), Contains(2500ms));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, of_json_continue_as_the_program_says) {
  script->expect(Method::get, "/db/_changes?feed=continuous&since=0").reply(200, "{\"seq\":\"1-a\"}\n{\"seq\":\"2 b\"}\n{\"se", json_lines).cut(30);
  script->expect(Method::get, "/db/_changes?feed=continuous&since=2%20b").reply(200, "\n{\"seq\":3}\n", json_lines);
  script->expect(Method::get, "/db/_changes?feed=continuous&since=3").reply(404, "{}");
  const Read<Json> read(client().stream(
      {.path = "db/_changes", .query = {{"feed", "continuous"}, {"since", "0"}}},
      {.reconnect = true, .resume_with = [](std::string_view change) {
         const auto place = Json::parse(change).at("seq");
         return noun::Query{{"since", place.is_string() ? place.get<std::string>() : place.dump()}};
       }}));
  EXPECT_EQ(read.texts.size(), 3U);
  EXPECT_EQ(read.code(), Errc::not_found);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, of_json_deliver_a_last_line_without_line_break_before_they_continue) {
  script->expect(Method::get, "/changes").reply(200, "1\n2", json_lines);
  script->expect(Method::get, "/changes?since=2").reply(200, "3\n{\"seq\":", json_lines);
  script->expect(Method::get, "/changes?since=3").reply(200, "4", json_lines);
  script->expect(Method::get, "/changes?since=4").reply(204);
  const Read<Json> read(client().stream({.path = "changes"}, {.reconnect = true, .resume_with = [](std::string_view item) {
                                                                return noun::Query{{"since", std::string(item)}};
                                                              }}));
  EXPECT_FALSE(read.error) << read.error->message();
  EXPECT_THAT(read.texts, ElementsAre("1", "2", "3", "4"));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, of_json_deliver_a_last_line_without_line_break_at_the_end_of_its_response) {
  script->expect(Method::get, "/changes").reply(200, "1\n2", json_lines);
  script->expect(Method::get, "/changes").reply(200, "3\n", json_lines).stay_open();
  std::mutex mutex;
  std::condition_variable changed;
  bool is_taken = false;
  bool was_taken = false;
  // The next request is sent when the last item was taken, or after a time that no test should take.
  const auto api = client({.observer = [&](const noun::Event& event) {
    if (event.kind != noun::EventKind::retrying) return;
    std::unique_lock lock(mutex);
    was_taken = changed.wait_for(lock, 10s, [&] { return is_taken; });
  }});
  auto stream = api.stream<int>({.path = "changes"}, {.reconnect = true});
  auto at = stream.begin();
  EXPECT_EQ((*at)->value, 1);
  ++at;
  EXPECT_EQ((*at)->value, 2);
  {
    const std::lock_guard lock(mutex);
    is_taken = true;
    changed.notify_all();
  }
  ++at;
  EXPECT_EQ((*at)->value, 3);
  EXPECT_TRUE(was_taken);
}

TEST_F(Streams, of_json_deliver_a_last_line_without_line_break_before_the_function_that_continues_throws) {
  script->expect(Method::get, "/changes").reply(200, "1\n2", json_lines);
  const Read<Json> read(client().stream(
      {.path = "changes"}, {.reconnect = true, .resume_with = [](std::string_view) -> noun::Query { throw std::runtime_error("broken"); }}));
  EXPECT_THAT(read.texts, ElementsAre("1", "2"));
  EXPECT_EQ(read.code(), Errc::cancelled);
}

TEST_F(Streams, end_at_a_marker_without_line_break) {
  script->expect(Method::get, "/changes").reply(200, "1\n\"done\"", json_lines);
  const Read<Json> read(client().stream({.path = "changes"}, {.rules = noun::StreamRules{.end_marker = "\"done\""}}));
  EXPECT_FALSE(read.error) << read.error->message();
  EXPECT_THAT(read.texts, ElementsAre("1"));
}

TEST_F(Streams, end_at_their_deadline_although_more_has_arrived) {
  // More than the program has taken waits, and nothing more is read from what has arrived.
  std::string body;
  for (int i = 0; i < 2000; ++i) body += "data: " + std::string(100, 'x') + "\n\n";
  script->expect(Method::get, "/events").reply(200, body, event_stream);
  auto stream = client().stream<EventText>({.path = "events"}, {.deadline = 1s});
  std::size_t taken = 0;
  std::optional<noun::Error> error;
  for (auto& each : stream) {
    if (!each) error = each.error();
    else if (++taken == 1) clock->advance(2s);
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::deadline_exceeded);
  EXPECT_LT(taken, 600U) << "64 KiB of events were kept, and one piece was read";
}

TEST_F(Streams, report_an_exception_of_the_function_that_continues) {
  script->expect(Method::get, "/changes").reply(200, "1\n", json_lines);
  const Read<Json> read(client().stream(
      {.path = "changes"}, {.reconnect = true, .resume_with = [](std::string_view) -> noun::Query { throw std::runtime_error("broken"); }}));
  EXPECT_THAT(read.texts, ElementsAre("1"));
  EXPECT_THAT(read.error.value().message(), HasSubstr("resume_with threw an exception: broken"));
}

TEST_F(Streams, earn_the_retries_of_a_long_life) {
  constexpr int drops = 20;
  for (int i = 0; i < drops; ++i) {
    script->expect(Method::get, "/events").reply(200, "id: 1\ndata: a\n\n", event_stream);
    script->expect(Method::get, "/events").reply(503);
  }
  script->expect(Method::get, "/events").reply(204);
  const Read<> read(client({.budget = {.capacity = 2, .per_success = 1}})
                        .stream<EventText>({.path = "events"}, {.reconnect = true}));
  EXPECT_FALSE(read.error) << read.error->message();
  EXPECT_EQ(read.texts.size(), std::size_t{drops});
}

TEST_F(Streams, give_up_where_nothing_arrives) {
  script->expect(Method::get, "/events").reply(200, "", event_stream).times(3);
  const Read<> read(client().stream<EventText>({.path = "events"}, {.reconnect = true}));
  EXPECT_EQ(read.code(), Errc::truncated);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, are_not_posted_twice) {
  script->expect(Method::post, "/chat").reply(200, "data: 1\n\ndata: 2\n\n", event_stream).cut(12);
  const noun::Request request{.method = Method::post, .path = "chat", .body = "{}"};
  const Read<> read(client().stream<EventText>(request));
  EXPECT_THAT(read.texts, ElementsAre("1"));
  EXPECT_EQ(read.code(), Errc::truncated);
  EXPECT_EQ(Read<>(client().stream<EventText>(request, {.reconnect = true})).code(), Errc::invalid_argument);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, refuse_another_type) {
  script->expect(Method::get, "/events").reply(200, "{\"items\":[]}", {{"Content-Type", "application/json"}});
  script->expect(Method::get, "/events").reply(200, "");
  script->expect(Method::get, "/events").reply(403, "{\"title\":\"no access\"}", {{"Content-Type", "application/problem+json"}});
  const auto api = client();
  const Read<> other(api.stream<EventText>({.path = "events"}, {.reconnect = true}));
  EXPECT_EQ(other.code(), Errc::protocol);
  EXPECT_THAT(other.error->message(), HasSubstr("application/json"));
  EXPECT_EQ(other.error->response()->body, "{\"items\":[]}");
  EXPECT_EQ(Read<>(api.stream<EventText>({.path = "events"})).code(), Errc::protocol);
  const Read<> refused(api.stream<EventText>({.path = "events"}));
  EXPECT_EQ(refused.code(), Errc::forbidden);
  EXPECT_THAT(refused.error->message(), HasSubstr("no access"));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, pass_over_bad_items_if_told_to) {
  const std::string body = "data: {\"a\":1}\n\ndata: {\"a\":\n\ndata: \"\xff\"\n\ndata: 2\n\n";
  script->expect(Method::get, "/events").reply(200, body, event_stream).times(2);
  const Read<Json> stopped(client().stream({.path = "events"}));
  EXPECT_THAT(stopped.texts, ElementsAre("{\"a\":1}"));
  EXPECT_EQ(stopped.code(), Errc::decode);
  EXPECT_THAT(stopped.error->message(), HasSubstr("event 2 of the stream"));
  const Read<Json> passed(client().stream({.path = "events"}, {.bad_items = noun::BadItems::deliver}));
  EXPECT_THAT(passed.texts, ElementsAre("{\"a\":1}", "2"));
  EXPECT_THAT(passed.error.value().message(), HasSubstr("event 3 of the stream"));
}

TEST_F(Streams, limit_an_event) {
  script->expect(Method::get, "/events").reply(200, "data: 1\n\ndata: " + std::string(200, 'x') + "\n\n", event_stream);
  const Read<> read(client({.limits = {.body = 100}}).stream<EventText>({.path = "events"}, {.reconnect = true}));
  EXPECT_THAT(read.texts, ElementsAre("1"));
  EXPECT_EQ(read.code(), Errc::too_large);
  EXPECT_THAT(read.error->message(), AllOf(HasSubstr("event 2"), HasSubstr("byte 9"), HasSubstr("limits.body")));
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, ask_for_credentials_once_more_after_each_401) {
  script->expect(Method::get, "/events").with_header("Authorization", "1").reply(200, "data: a\n\n", event_stream);
  script->expect(Method::get, "/events").reply(401);
  script->expect(Method::get, "/events").reply(200, "data: b\n\n", event_stream);
  script->expect(Method::get, "/events").reply(401);
  script->expect(Method::get, "/events").reply(401);
  int asked = 0;
  const auto api = client({.credentials = noun::Credentials([&](const noun::CredentialsRequest&) -> noun::Result<noun::Headers> {
    return noun::Headers{{"Authorization", std::to_string(++asked)}};
  })});
  const Read<> read(api.stream<EventText>({.path = "events"}, {.reconnect = true}));
  EXPECT_THAT(read.texts, ElementsAre("a", "b"));
  EXPECT_EQ(read.code(), Errc::unauthorized);
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(script->complaint(), "");
}

TEST_F(Streams, are_read_in_the_background) {
  script->expect(Method::get, "/events").reply(200, "data: 1\n\ndata: 2\n\n", event_stream);
  auto feed = client().stream<int>({.path = "events"});
  const auto next = noun::op::next_event(feed);
  for (const int wanted : {1, 2}) {
    const auto event = noun::future(next).get();
    ASSERT_TRUE(event) << event.error().message();
    EXPECT_EQ(event->value().value, wanted);
  }
  EXPECT_EQ(noun::future(next).get().value(), std::nullopt);
  EXPECT_EQ(next.run().value(), std::nullopt);
}

TEST_F(Streams, refuse_options_that_cannot_be_used) {
  const auto api = client();
  for (const auto& options : std::vector<noun::StreamOptions>{{.headers = {{"Accept-Encoding", "gzip"}}},
                                                              {.ends = StreamEnd::at_marker},
                                                              {.last_event_id = "a\nb"},
                                                              {.last_event_id = std::string(16 * 1024 + 1, 'a')},
                                                              {.stall_timeout = 0s}})
    EXPECT_EQ(Read<>(api.stream<EventText>({.path = "events"}, options)).code(), Errc::invalid_argument);
  EXPECT_THAT(script->requests(), IsEmpty());
}

}}  // namespace noun_test::streams_test
