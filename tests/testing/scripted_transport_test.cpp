// The scripted transport: matching of lines, responses, complaints.
#include <noun/testing/scripted_transport.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/noun.hpp>
#include <noun/stop.hpp>

#include "curl/caller.hpp"
#include "curl/fails_with.hpp"

namespace noun::testing { namespace scripted_transport_test {

using namespace std::chrono_literals;
using noun_test::FailsWith;

struct Stage {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<ScriptedTransport> transport = std::make_shared<ScriptedTransport>(clock);
  ScriptedTransport& script = *transport;
  noun_test::Caller call{.transport = transport};
  Instant begin = clock->now().steady;

  Result<Response> send(Method method, const std::string& target,
                        std::optional<std::string_view> body = std::nullopt) const {
    return call(method, "https://h.example" + target, body);
  }
  Result<Response> get(const std::string& target) const { return send(Method::get, target); }
  Duration took() const { return clock->now().steady - begin; }
};

TEST(ScriptedTransport, plays_its_lines_in_order) {
  Stage stage;
  stage.script.expect(Method::get, "/a").reply(200, "first", {{"X", "1"}});
  stage.script.expect(Method::delete_, "/b").reply(204);
  stage.script.expect(Method::get, "/c");
  const auto first = stage.get("/a");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(first->body, "first");
  EXPECT_EQ(first->headers.get("X"), "1");
  EXPECT_EQ(stage.send(Method::delete_, "/b")->status, 204);
  EXPECT_EQ(stage.get("/c")->status, 200);
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, a_line_without_a_query_matches_any_and_with_one_only_that) {
  Stage stage;
  stage.script.expect(Method::get, "/a").times(2);
  stage.script.expect(Method::get, "/a?page=2");
  stage.script.expect(Method::get, "/").times(2);
  stage.script.expect(Method::get, "/?a=1");
  stage.script.expect(Method::get, "/a?page=3");
  // A URL without a path means the root.
  for (const auto* target : {"/a", "/a?x=1", "/a?page=2", "", "?a=1", "?a=1"}) EXPECT_TRUE(stage.get(target)) << target;
  EXPECT_FALSE(stage.get("/a?page=2"));
  EXPECT_EQ(stage.script.complaint(), "GET /a?page=2 was sent, but GET /a?page=3 was expected");
}

TEST(ScriptedTransport, reports_the_first_mismatch_and_ends_the_call) {
  Stage stage;
  stage.script.expect(Method::get, "/a");
  const auto got = stage.send(Method::post, "/b?x=1");
  ASSERT_THAT(got, FailsWith(Errc::refused, Sent::no));
  EXPECT_EQ(got.error().message(), "not in the script: POST /b?x=1 was sent, but GET /a was expected");
  EXPECT_TRUE(stage.get("/a"));
  EXPECT_FALSE(stage.get("/c"));
  EXPECT_EQ(stage.script.complaint(), "POST /b?x=1 was sent, but GET /a was expected");
}

TEST(ScriptedTransport, reports_a_request_after_its_end) {
  Stage stage;
  EXPECT_EQ(stage.script.complaint(), "");
  EXPECT_THAT(stage.send(Method::put, "/a?b=c"), FailsWith(Errc::refused, Sent::no));
  EXPECT_EQ(stage.script.complaint(), "PUT /a?b=c was sent after the end of the script");
}

TEST(ScriptedTransport, reports_the_first_line_that_was_not_sent) {
  Stage stage;
  stage.script.expect(Method::get, "/a").times(2);
  stage.script.expect(Method::get, "/b").times(0);  // counts as once
  for (const auto* next : {"/a", "/a", "/b"}) {
    EXPECT_EQ(stage.script.complaint(), "GET " + std::string(next) + " was not sent");
    EXPECT_TRUE(stage.get(next));
  }
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, reports_a_missing_or_different_header) {
  Stage stage;
  stage.script.expect(Method::get, "/a").with_header("X-One", "1").with_header("X-Two", "2");
  stage.call.headers = {{"x-one", "1"}};
  EXPECT_FALSE(stage.get("/a"));
  EXPECT_EQ(stage.script.complaint(), "GET /a was sent without the expected header X-Two");
  stage.call.headers = {{"X-One", "1"}, {"X-Two", "3"}};
  EXPECT_FALSE(stage.get("/a"));
  stage.call.headers = {{"X-Two", "2"}, {"x-one", "1"}, {"X-Three", "3"}};
  EXPECT_TRUE(stage.get("/a"));
}

TEST(ScriptedTransport, reports_a_different_body) {
  Stage stage;
  stage.script.expect(Method::put, "/a").with_body("right");
  EXPECT_FALSE(stage.send(Method::put, "/a", "wrong"));
  EXPECT_EQ(stage.script.complaint(), "PUT /a was sent with the body wrong, but right was expected");
  EXPECT_TRUE(stage.send(Method::put, "/a", "right"));
}

TEST(ScriptedTransport, fails_as_scripted) {
  Stage stage;
  stage.script.expect(Method::get, "/a").fail(Errc::connect, Sent::no);
  stage.script.expect(Method::get, "/a").fail(Errc::send, Sent::maybe, "the cable is out");
  stage.script.expect(Method::get, "/a").fail(Error(Errc::tls, "bad certificate"));
  stage.script.expect(Method::get, "/a").fail(Errc::send, Sent::maybe).reply(201);
  const auto first = stage.get("/a");
  ASSERT_THAT(first, FailsWith(Errc::connect, Sent::no));
  EXPECT_EQ(first.error().message(), "scripted failure");
  const auto second = stage.get("/a");
  ASSERT_THAT(second, FailsWith(Errc::send, Sent::maybe));
  EXPECT_EQ(second.error().message(), "the cable is out");
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::tls, Sent::no));
  EXPECT_EQ(stage.get("/a")->status, 201) << "the last word counts";
}

TEST(ScriptedTransport, advances_the_clock_by_its_latency) {
  Stage stage;
  stage.script.expect(Method::get, "/a").after(250ms).times(2);
  EXPECT_TRUE(stage.get("/a"));
  EXPECT_EQ(stage.took(), 250ms);
  EXPECT_TRUE(stage.get("/a"));
  EXPECT_EQ(stage.took(), 500ms);
  EXPECT_TRUE(stage.clock->waits().empty());
}

TEST(ScriptedTransport, slower_than_the_attempt_timeout_fails_with_timeout) {
  Stage stage;
  stage.script.expect(Method::get, "/a").after(2s).times(2);
  stage.call.timeout = 1s;
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::timeout, Sent::maybe));
  EXPECT_EQ(stage.took(), 1s);
  stage.call.timeout = 2s;
  EXPECT_TRUE(stage.get("/a"));
}

TEST(ScriptedTransport, without_a_clock_takes_no_time) {
  const auto script = std::make_shared<ScriptedTransport>();
  script->expect(Method::get, "/a").after(1h);
  const noun_test::Caller call{.transport = script, .timeout = 2h};
  EXPECT_TRUE(call.get("https://h.example/a"));
}

TEST(ScriptedTransport, sends_nothing_once_stop_was_requested) {
  Stage stage;
  stage.script.expect(Method::get, "/a");
  noun::StopSource stop;
  stop.request_stop();
  stage.call.stop = stop.get_token();
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::cancelled, Sent::no));
  EXPECT_TRUE(stage.script.requests().empty());
}

const Headers event_stream = {{"Content-Type", "text/event-stream"}};

/// The events of a stream, and its error.
struct Read {
  explicit Read(noun::Stream<int> stream) {
    for (auto& each : stream) {
      if (each)
        values.push_back(each->value);
      else
        error = each.error();
    }
  }
  std::vector<int> values;
  std::optional<Error> error;
};

TEST(ScriptedTransport, plays_the_chunks_of_a_stream_and_its_end) {
  Stage stage;
  const noun::Client api("https://h.example", {.transport = stage.transport, .clock = stage.clock});
  stage.script.expect(Method::get, "/a").reply(200, "data: 1\n\nda", event_stream).chunk("ta: 2\n", 10s).chunk("\n", 20s);
  const Read whole(api.stream<int>({.path = "a"}));
  EXPECT_THAT(whole.values, ::testing::ElementsAre(1, 2));
  EXPECT_FALSE(whole.error);
  EXPECT_EQ(stage.took(), 30s);
  stage.script.expect(Method::get, "/a")
      .reply(200, "", event_stream)
      .chunk("data: 1\n\n")
      .fail(Errc::send, Sent::maybe, "the cable broke");
  const Read broken(api.stream<int>({.path = "a"}));
  EXPECT_THAT(broken.values, ::testing::ElementsAre(1));
  EXPECT_THAT(broken.error->message(), ::testing::HasSubstr("the cable broke"));
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, a_chunk_that_comes_too_late_is_a_timeout) {
  Stage stage;
  const noun::Client api("https://h.example", {.transport = stage.transport, .clock = stage.clock});
  stage.script.expect(Method::get, "/a").reply(200, "data: 1\n\n", event_stream).chunk("data: 2\n\n", 31s);
  const Read stalled(api.stream<int>({.path = "a"}));
  EXPECT_THAT(stalled.values, ::testing::ElementsAre(1));
  EXPECT_THAT(stalled.error->message(), ::testing::HasSubstr("no further chunk within the time limits"));
  EXPECT_EQ(stage.took(), 30s);
  stage.script.expect(Method::get, "/b").reply(200, "", event_stream).chunk("data: 1\n\n", 20s).chunk("data: 2\n\n", 20s);
  const Read late(api.stream<int>({.path = "b"}, {.deadline = 35s}));
  EXPECT_THAT(late.values, ::testing::ElementsAre(1));
  EXPECT_EQ(late.error.value().code(), Errc::deadline_exceeded);
  EXPECT_EQ(stage.took(), 65s);
}

TEST(ScriptedTransport, a_response_may_stay_open_while_the_script_is_looked_at) {
  Stage stage;
  const noun::Client api("https://h.example", {.transport = stage.transport, .clock = stage.clock});
  auto& line = stage.script.expect(Method::get, "/a").reply(200, "", event_stream).stay_open();
  constexpr int events = 5000;  // more than a stream keeps
  for (int number = 1; number <= events; ++number) line.chunk("data:                  " + std::to_string(number) + "\n\n");
  auto stream = api.stream<int>({.path = "a"});
  int last = 0;
  for (auto& each : stream) {
    last = each.value().value;
    EXPECT_EQ(stage.script.requests().size(), 1U);
    if (last == events) break;
  }
  EXPECT_EQ(last, events);
}

TEST(ScriptedTransport, a_response_that_stays_open_ends_when_it_is_stopped) {
  Stage stage;
  noun::StopSource stop;
  const noun::Client api("https://h.example", {.transport = stage.transport, .clock = stage.clock});
  stage.script.expect(Method::get, "/a").reply(200, "data: 1\n\n", event_stream).stay_open();
  std::vector<int> values;
  std::optional<Errc> code;
  auto stream = api.stream<int>({.path = "a"}, {.stop = stop.get_token()});
  for (auto& each : stream) {
    if (!each) code = each.error().code();
    else values.push_back(each->value);
    stop.request_stop();
  }
  EXPECT_THAT(values, ::testing::ElementsAre(1));
  EXPECT_EQ(code, Errc::cancelled);
}

TEST(ScriptedTransport, chunks_without_a_sink_are_the_body) {
  Stage stage;
  stage.script.expect(Method::get, "/a").reply(200, "a").chunk("b").chunk("c").cut(2);
  stage.script.expect(Method::get, "/a").reply(200, "a").chunk("b");
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::truncated, Sent::answered));
  EXPECT_EQ(stage.get("/a")->body, "ab");
}

TEST(ScriptedTransport, a_response_may_be_cut_after_its_last_byte) {
  Stage stage;
  stage.script.expect(Method::get, "/a").reply(200, "{\"a\":1}").cut(7);
  stage.script.expect(Method::get, "/a").reply(200, "a").chunk("b", 10s).chunk("c", 20s).cut(2);
  stage.script.expect(Method::get, "/a").reply(200).cut(0);
  stage.script.expect(Method::get, "/a").reply(200, "a").cut(2);
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::truncated, Sent::answered));
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::truncated, Sent::answered));
  EXPECT_EQ(stage.took(), 10s) << "nothing is waited for after the cut";
  EXPECT_THAT(stage.get("/a"), FailsWith(Errc::truncated, Sent::answered));
  EXPECT_EQ(stage.get("/a")->body, "a");
}

TEST(ScriptedTransport, records_all_requests) {
  Stage stage;
  stage.script.expect(Method::post, "/a");
  stage.call.headers = {{"X", "1"}};
  stage.call.timeout = 7s;
  EXPECT_TRUE(stage.send(Method::post, "/a?b=1", "body"));
  EXPECT_FALSE(stage.get("/c"));
  const auto requests = stage.script.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, Method::post);
  EXPECT_EQ(requests[0].url, "https://h.example/a?b=1");
  EXPECT_EQ(requests[0].headers.get("X"), "1");
  EXPECT_EQ(requests[0].body, "body");
  EXPECT_TRUE(requests[0].has_body);
  EXPECT_EQ(requests[0].timeout, 7s);
  EXPECT_EQ(requests[1].method, Method::get);
}

}  // namespace scripted_transport_test
}  // namespace noun::testing
