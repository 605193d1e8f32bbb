// The scripted transport, as a user of the kit relies on it: what fits a line, what it is answered with, what is
// complained about.
#include <noun/scripted_transport.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace noun::testing {
namespace scripted_transport_test {

using namespace std::chrono_literals;

struct Stage {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  ScriptedTransport script{clock};
  Timeouts timeouts = {};
  Limits limits = {};

  Result<Response> send(Method method, std::string_view url, const Headers& headers = {}, std::string_view body = "",
                        Duration timeout = 60s, std::stop_token stop = {}) {
    return script.send({.method = method,
                        .url = url,
                        .headers = headers,
                        .body = body,
                        .has_body = !body.empty(),
                        .timeout = timeout,
                        .timeouts = timeouts,
                        .limits = limits,
                        .fresh_connection = false},
                       stop);
  }
};

TEST(ScriptedTransport, plays_its_lines_in_order) {
  Stage stage;
  stage.script.expect(Method::get, "/a").reply(200, "first", {{"X", "1"}});
  stage.script.expect(Method::delete_, "/b").reply(204);
  stage.script.expect(Method::get, "/c");
  const auto first = stage.send(Method::get, "https://h.example/a");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(first->body, "first");
  EXPECT_EQ(first->headers.get("X"), "1");
  EXPECT_EQ(stage.send(Method::delete_, "https://h.example/b")->status, 204);
  EXPECT_EQ(stage.send(Method::get, "https://h.example/c")->status, 200);
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, line_without_a_query_fits_any_and_with_one_fits_that_one) {
  Stage stage;
  stage.script.expect(Method::get, "/a").times(2);
  stage.script.expect(Method::get, "/a?page=2");
  stage.script.expect(Method::get, "/a?page=3");
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a?x=1"));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a?page=2"));
  EXPECT_FALSE(stage.send(Method::get, "https://h.example/a?page=2"));
  EXPECT_EQ(stage.script.complaint(), "GET /a?page=2 came where GET /a?page=3 was expected");
}

TEST(ScriptedTransport, root_without_a_path_is_a_slash) {
  Stage stage;
  stage.script.expect(Method::get, "/").times(3);
  stage.script.expect(Method::get, "/?a=1");
  EXPECT_TRUE(stage.send(Method::get, "https://h.example"));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/"));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example?a=1"));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example?a=1"));
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, complains_of_what_is_not_the_next_line_and_ends_the_call) {
  Stage stage;
  stage.script.expect(Method::get, "/a");
  const auto got = stage.send(Method::post, "https://h.example/b?x=1");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Errc::policy);
  EXPECT_EQ(got.error().sent(), Sent::no);
  EXPECT_EQ(got.error().message(), "not in the script: POST /b?x=1 came where GET /a was expected");
  EXPECT_EQ(stage.script.complaint(), "POST /b?x=1 came where GET /a was expected");
}

TEST(ScriptedTransport, complains_of_the_first_thing_only) {
  Stage stage;
  stage.script.expect(Method::get, "/a");
  EXPECT_FALSE(stage.send(Method::get, "https://h.example/b"));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_FALSE(stage.send(Method::get, "https://h.example/c"));
  EXPECT_EQ(stage.script.complaint(), "GET /b came where GET /a was expected");
}

TEST(ScriptedTransport, complains_of_what_comes_after_its_end) {
  Stage stage;
  EXPECT_EQ(stage.script.complaint(), "");
  EXPECT_EQ(stage.send(Method::put, "https://h.example/a?b=c").error().code(), Errc::policy);
  EXPECT_EQ(stage.script.complaint(), "PUT /a?b=c came after the end of the script");
}

TEST(ScriptedTransport, complains_of_the_first_line_that_did_not_come) {
  Stage stage;
  stage.script.expect(Method::get, "/a").times(2);
  stage.script.expect(Method::get, "/b");
  EXPECT_EQ(stage.script.complaint(), "GET /a did not come");
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_EQ(stage.script.complaint(), "GET /a did not come");
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_EQ(stage.script.complaint(), "GET /b did not come");
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/b"));
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, complains_of_a_header_that_is_missing_or_other) {
  Stage stage;
  stage.script.expect(Method::get, "/a").with_header("X-One", "1").with_header("X-Two", "2");
  EXPECT_FALSE(stage.send(Method::get, "https://h.example/a", {{"x-one", "1"}}));
  EXPECT_EQ(stage.script.complaint(), "GET /a came without the header X-Two as expected");
  EXPECT_FALSE(stage.send(Method::get, "https://h.example/a", {{"X-One", "1"}, {"X-Two", "3"}}));
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a", {{"X-Two", "2"}, {"x-one", "1"}, {"X-Three", "3"}}));
}

TEST(ScriptedTransport, complains_of_another_body) {
  Stage stage;
  stage.script.expect(Method::put, "/a").with_body("right");
  EXPECT_FALSE(stage.send(Method::put, "https://h.example/a", {}, "wrong"));
  EXPECT_EQ(stage.script.complaint(), "PUT /a came with the body wrong where right was expected");
  EXPECT_TRUE(stage.send(Method::put, "https://h.example/a", {}, "right"));
}

TEST(ScriptedTransport, fails_as_it_is_told) {
  Stage stage;
  stage.script.expect(Method::get, "/a").fail(Errc::connect, Sent::no);
  stage.script.expect(Method::get, "/a").fail(Errc::send, Sent::maybe, "the cable is out");
  stage.script.expect(Method::get, "/a").fail(Error(Errc::tls, "bad certificate"));
  stage.script.expect(Method::get, "/a").fail(Errc::send, Sent::maybe).reply(201);
  EXPECT_EQ(stage.send(Method::get, "https://h.example/a").error().message(), "as the script says");
  const auto second = stage.send(Method::get, "https://h.example/a");
  EXPECT_EQ(second.error().message(), "the cable is out");
  EXPECT_EQ(second.error().sent(), Sent::maybe);
  EXPECT_EQ(stage.send(Method::get, "https://h.example/a").error().code(), Errc::tls);
  EXPECT_EQ(stage.send(Method::get, "https://h.example/a")->status, 201) << "the last word counts";
}

TEST(ScriptedTransport, takes_its_time_on_the_clock) {
  Stage stage;
  const auto start = stage.clock->now().steady;
  stage.script.expect(Method::get, "/a").after(250ms).times(2);
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_EQ(stage.clock->now().steady, start + 250ms);
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_EQ(stage.clock->now().steady, start + 500ms);
  EXPECT_TRUE(stage.clock->waits().empty());
}

TEST(ScriptedTransport, that_takes_longer_than_the_attempt_may_fails_with_timeout) {
  Stage stage;
  const auto start = stage.clock->now().steady;
  stage.script.expect(Method::get, "/a").after(2s).times(2);
  const auto got = stage.send(Method::get, "https://h.example/a", {}, "", 1s);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Errc::timeout);
  EXPECT_EQ(got.error().sent(), Sent::maybe);
  EXPECT_EQ(stage.clock->now().steady, start + 1s);
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a", {}, "", 2s));
}

TEST(ScriptedTransport, without_a_clock_takes_no_time) {
  ScriptedTransport script;
  script.expect(Method::get, "/a").after(1h);
  const Headers headers;
  EXPECT_TRUE(script.send({.method = Method::get,
                           .url = "https://h.example/a",
                           .headers = headers,
                           .body = "",
                           .has_body = false,
                           .timeout = 2h,
                           .timeouts = {},
                           .limits = {},
                           .fresh_connection = false},
                          {}));
}

TEST(ScriptedTransport, line_comes_at_least_once) {
  Stage stage;
  stage.script.expect(Method::get, "/a").times(0);
  EXPECT_EQ(stage.script.complaint(), "GET /a did not come");
  EXPECT_TRUE(stage.send(Method::get, "https://h.example/a"));
  EXPECT_EQ(stage.script.complaint(), "");
}

TEST(ScriptedTransport, sends_nothing_once_stop_was_requested) {
  Stage stage;
  stage.script.expect(Method::get, "/a");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(stage.send(Method::get, "https://h.example/a", {}, "", 60s, stop.get_token()).error().code(),
            Errc::cancelled);
  EXPECT_TRUE(stage.script.requests().empty());
}

TEST(ScriptedTransport, keeps_what_went_out_fit_or_not) {
  Stage stage;
  stage.script.expect(Method::post, "/a");
  EXPECT_TRUE(stage.send(Method::post, "https://h.example/a?b=1", {{"X", "1"}}, "body", 7s));
  EXPECT_FALSE(stage.send(Method::get, "https://h.example/c"));
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
