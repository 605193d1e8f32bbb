// Tests of Client::send(): requests below the base URL, and all ways to leave it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <noun/stop.hpp>

#include "resource/failing_allocations.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace client_send_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::literals;

TEST(Send, sends_to_the_path_below_the_base_url) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "https://api.example.com/v1"},
      {"/", "https://api.example.com/v1/"},
      {"search", "https://api.example.com/v1/search"},
      {"/search", "https://api.example.com/v1/search"},
      {"/search/", "https://api.example.com/v1/search/"},
      {"?q=1", "https://api.example.com/v1?q=1"},
      {"/search?q=a%20b&x=../y", "https://api.example.com/v1/search?q=a%20b&x=../y"},
      {"/documents:search", "https://api.example.com/v1/documents:search"},
      {"/a%2Fb/..c/.../d", "https://api.example.com/v1/a%2Fb/..c/.../d"},
  };
  for (const auto& [path, url] : cases) {
    Bench bench;
    static_cast<void>(bench.client().send({.path = path}));
    EXPECT_EQ(bench.last().url, url);
  }
}

TEST(Send, takes_a_url_below_the_base_url) {
  for (const auto* url : {"https://api.example.com/v1/jobs/2?x=1", "https://API.example.com:443/v1/jobs/2?x=1"}) {
    Bench bench;
    bench.script->expect(Method::get, "/v1/jobs/2?x=1").reply(200, "1");
    EXPECT_TRUE(bench.client().send({.path = url})) << url;
  }
  Bench bench;
  bench.script->expect(Method::get, "/v1").reply(200, "1");
  EXPECT_TRUE(bench.client().send({.path = "https://api.example.com/v1"}));
  for (const auto* url : {"https://api.example.com/v2/jobs", "https://api.example.com/v11", "https://api.example.com"})
    expect_refused(bench.client().send({.path = url}), "the URL is not below the client's base URL");
  for (const auto* url : {"https://other.example.com/v1/jobs", "http://api.example.com/v1/jobs"})
    expect_refused(bench.client().send({.path = url}), "names another host");
  expect_refused(bench.client().send({.path = "https://api.example.com/v1/../v2"}), "the path has a dot segment");
}

TEST(Send, refuses_paths_outside_the_base_url_and_sends_nothing) {
  const std::pair<std::string, const char*> cases[] = {
      {"//evil.example", "names another host"},
      {"//evil.example/x", "names another host"},
      {"https://evil.example", "names another host"},
      {"http:evil", "names another host"},
      {"javascript:alert(1)", "names another host"},
      {"../x", "has a dot segment"},
      {"/../x", "has a dot segment"},
      {"/a/../../x", "has a dot segment"},
      {"/a/..", "has a dot segment"},
      {"..", "has a dot segment"},
      {"..?q=1", "has a dot segment"},
      {".", "has a dot segment"},
      {"/./x", "has a dot segment"},
      {"%2e%2e/x", "has a dot segment"},
      {"/%2E%2e", "has a dot segment"},
      {"/.%2e/x", "has a dot segment"},
      {"/%2e/x", "has a dot segment"},
      {"/a/..;b=1/x", "has a dot segment"},
      {"/a%2F..%2Fx", "has a dot segment"},
      {"/%252e%252e/x", "has a dot segment"},
      {"\\\\evil.example", "must be percent-encoded"},
      {"/\\evil.example", "must be percent-encoded"},
      {"/..\\x", "must be percent-encoded"},
      {"/a\r\nHost: evil", "must be percent-encoded"},
      {"/a\nb", "must be percent-encoded"},
      {"/a\0b"s, "must be percent-encoded"},
      {"/a b", "must be percent-encoded"},
      {"/a\tb", "must be percent-encoded"},
      {"/a\x7f", "must be percent-encoded"},
      {"/l\u00e4nder", "must be percent-encoded"},
      {"/a?q=\r\n", "must be percent-encoded"},
      {"/a#top", "has a fragment"},
      {"#", "has a fragment"},
      {"/a%zz", "invalid percent-encoding"},
      {"/a%2", "invalid percent-encoding"},
  };
  Bench bench;
  const auto api = bench.client();
  for (const auto& [path, because] : cases) {
    SCOPED_TRACE(path);
    const auto got = api.send({.path = path});
    expect_error(got, Errc::invalid_argument, because);
    EXPECT_THAT(message_of(got), AllOf(Not(HasSubstr("\r")), Not(HasSubstr("q=")))) << "a query may hold a secret";
  }
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Send, sends_method_query_headers_and_body_unchanged) {
  WholeScript bench;
  bench.script->expect(Method::post, "/v1/search?a=1&b=%26&c=x%20y")
      .with_body("raw \xff bytes")
      .with_header("X-Mine", "1")
      .with_header("Content-Type", "text/plain")
      .reply(202, "queued", {{"X-Ticket", "7"}});
  const auto got = bench.client().send({.method = Method::post,
                                        .path = "/search?a=1",
                                        .query = {{"b", "&"}},
                                        .headers = {{"X-Mine", 1}, {"Content-Type", "text/plain"}},
                                        .body = "raw \xff bytes"},
                                       {.query = {{"c", "x y"}}});
  ASSERT_TRUE(got) << message_of(got);
  EXPECT_EQ(got->status, 202);
  EXPECT_EQ(got->body, "queued");
  EXPECT_EQ(got->headers.get("x-ticket"), "7");
  EXPECT_EQ(got.response()->status, 202);
  EXPECT_EQ(got->url, "https://api.example.com/v1/search?a=1&b=%26&c=x%20y");
}

TEST(Send, sends_every_method_and_a_body_only_if_given) {
  for (const auto method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_, Method::options,
        Method::query}) {
    WholeScript bench;
    bench.script->expect(method, "/v1/x").reply(200);
    EXPECT_TRUE(bench.client().send({.method = method, .path = "x"})) << to_string(method);
    EXPECT_FALSE(bench.last().has_body);
  }
}

TEST(Send, replaces_headers_of_request_and_client_by_those_of_the_options) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(200);
  const auto api = bench.client({.headers = {{"X-A", "client"}, {"X-B", "client"}, {"X-C", "client"}}});
  EXPECT_TRUE(
      api.send({.path = "x", .headers = {{"x-a", "request"}, {"X-B", "request"}}}, {.headers = {{"X-A", "call"}}}));
  const auto sent = bench.last().headers;
  EXPECT_THAT(sent.values("X-A"), ElementsAre("call"));
  EXPECT_THAT(sent.values("X-B"), ElementsAre("request"));
  EXPECT_THAT(sent.values("X-C"), ElementsAre("client"));
}

TEST(Send, returns_the_same_errors_as_a_verb) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(404, R"({"detail": "no such thing"})");
  const auto got = bench.client().send({.path = "/x"});
  expect_error(got, Errc::not_found, "no such thing");
  EXPECT_THAT(message_of(got), HasSubstr("check the path for a typing error first"));
  EXPECT_EQ(got.response()->status, 404);
}

TEST(Send, refuses_invalid_bodies_headers_and_options_and_sends_nothing) {
  Bench bench;
  const auto api = bench.client();
  expect_refused(api.send({.method = Method::get, .path = "x", .body = "b"}), "must not have a body");
  expect_refused(api.send({.method = Method::head, .path = "x", .body = "b"}), "must not have a body");
  expect_refused(api.send({.path = "x", .headers = {{"X", "a\r\nb"}}}), "control character");
  expect_refused(api.send({.path = "x"}, {.headers = {{"Host", "evil"}}}), "is reserved: noun sets it");
  expect_refused(api.send({.path = "x"}, {.attempt_timeout = 0s}), "attempt_timeout must be greater than zero");
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Send, retries_and_returns_the_success_of_the_second_attempt) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/x").reply(503);
  bench.script->expect(Method::get, "/v1/x").reply(200, "ok");
  const auto got = bench.client().send({.path = "x"});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "ok");
  EXPECT_THAT(bench.clock->waits(), ElementsAre(1s));
}

TEST(Send, waits_for_the_poll_interval_of_github) {
  Bench bench;
  bench.script->expect(Method::get, "/v1/events").reply(200, "[]", {{"X-Poll-Interval", 60}}).times(2);
  const auto api = bench.client({.dialect = noun::dialects::github()});
  const auto copy = api.with({.headers = noun::Headers{{"X-A", "a"}}});
  EXPECT_TRUE(api.send({.path = "events"}));
  bench.clock->advance(20s);
  EXPECT_TRUE(copy.send({.path = "events"}));
  EXPECT_THAT(bench.clock->waits(), ElementsAre(40s));
}

/// Keeps where the body of the last attempt was, and what the thread had allocated by then.
struct BodyWatch final : noun::Transport {
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    ++sent;
    body = attempt.body;
    allocated = allocated_bytes();
    return noun::Response{.status = 200, .body = "{}"};
  }

  int sent = 0;
  std::string_view body;
  std::size_t allocated = 0;
};

constexpr std::size_t large = 10'000'000;

TEST(Send, sends_a_body_from_where_the_caller_put_it) {
  const auto transport = std::make_shared<BodyWatch>();
  const auto api = Bench().client({.transport = transport});
  std::string text(large, 'x');
  const auto* const place = text.data();
  noun::Request request{.method = Method::post, .path = "blobs", .body = std::move(text)};
  const auto copied_nothing = [&](const char* how, const auto& call) {
    const auto before = allocated_bytes();
    ASSERT_TRUE(call()) << how;
    EXPECT_LT(transport->allocated - before, large / 100) << how;
    EXPECT_EQ(transport->body.data(), place) << how;
    EXPECT_EQ(transport->body.size(), large) << how;
  };
  copied_nothing("a request that the caller keeps", [&] { return api.send(request); });
  copied_nothing("an operation that runs twice", [&] {
    const auto operation = noun::op::send(api, request);
    return operation.run() && operation.run();
  });
  copied_nothing("a verb", [&] { return api.collection<Json>("blobs").create(request.body); });
  copied_nothing("a download, which gets no byte here", [&] {
    static_cast<void>(api.download(request, [](std::string_view) {}));
    return true;
  });
  copied_nothing("a request that is moved", [&] { return noun::op::send(api, std::move(request)).run(); });
}

TEST(Send, writes_a_body_of_a_value_once) {
  const auto transport = std::make_shared<BodyWatch>();
  const auto api = Bench().client({.transport = transport});
  const auto operation = noun::op::create(api.collection<Json>("blobs"), Json(std::string(large, 'x')));
  const auto before = allocated_bytes();
  ASSERT_TRUE(operation.run());
  EXPECT_LT(transport->allocated - before, large / 100);
}

TEST(Send, of_a_large_body_sees_a_stop_request_first) {
  const auto transport = std::make_shared<BodyWatch>();
  const auto api = Bench().client({.transport = transport});
  const noun::Request request{.method = Method::post, .path = "blobs", .body = std::string(large, 'x')};
  noun::StopSource stop;
  stop.request_stop();
  const auto before = allocated_bytes();
  EXPECT_EQ(code_of(api.send(request, {.stop = stop.get_token()})), Errc::cancelled);
  EXPECT_LT(allocated_bytes() - before, large / 100);
  EXPECT_EQ(transport->sent, 0);
}

TEST(Send, of_parts_with_a_file_copies_no_part_for_a_call) {
  const auto transport = std::make_shared<BodyWatch>();
  const auto api = Bench().client({.transport = transport});
  const noun::Request request{
      .method = Method::post,
      .path = "blobs",
      .body = noun::body::multipart({{"a", noun::body::bytes(std::string(large, 'x'))},
                                     {"b", noun::body::file("/proc/self/cmdline")}})};
  const auto before = allocated_bytes();
  ASSERT_TRUE(api.send(request));
  EXPECT_LT(transport->allocated - before, large / 100);
}

}  // namespace client_send_test
}  // namespace resource_test
