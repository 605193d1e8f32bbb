// A call leaves no options behind in its handle. Every pair of differently shaped calls runs on one handle, and the
// bytes of the second call are compared with those it sends alone.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/content_decoder.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"

namespace noun_test { namespace curl_options_test {

using noun::Errc;
using noun::Method;
using Peer = RawServer::Peer;

const std::string large_body(200'000, 'x');

struct Shape {
  std::string name;
  Method method;
  std::string path = "/things/1";
  std::optional<std::string_view> body = std::nullopt;
  noun::Headers headers = {};
  bool fresh_connection = false;
  noun::Duration timeout = 10s;
  noun::Timeouts timeouts = {};
  noun::Limits limits = {};
};

std::vector<Shape> shapes() {
  const auto with_fields = [](std::string name, noun::Headers headers) {
    return Shape{.name = std::move(name), .method = Method::get, .path = "/a?b=c", .headers = std::move(headers)};
  };
  std::vector<Shape> all{
      {"large POST", Method::post, "/things", large_body},
      {"large PUT", Method::put, "/things/2", large_body},
      with_fields("fields", {{"Accept", "text/plain"}, {"User-Agent", "u"}, {"X", "1"}}),
      with_fields("one value else", {{"Accept", "text/html"}, {"User-Agent", "u"}, {"X", "1"}}),
      with_fields("one less", {{"Accept", "text/plain"}, {"User-Agent", "u"}}),
      with_fields("the same name twice", {{"A", "1"}, {"A", "2"}}),
      {"fields and a body",
       Method::post,
       "/a",
       "b",
       {{"Content-Type", "text/plain"}, {"Expect", "100-continue"}, {"Empty", ""}}},
      {.name = "a fresh connection", .method = Method::get, .fresh_connection = true},
      {.name = "short times", .method = Method::get, .timeout = 2s, .timeouts = {.connect = 1s, .stall = 1s}},
      {.name = "narrow limits",
       .method = Method::get,
       .limits = {.head = 300, .fields = 4, .body = 10, .idle_time = 50s}},
  };
  for (const auto method : every_method) {
    const std::string name(to_string(method));
    all.push_back({name, method});
    if (method == Method::get || method == Method::head) continue;
    all.push_back({name + " with a body", method, "/things", "{\"a\":1}"});
    all.push_back({name + " with an empty body", method, "/things", ""});
  }
  return all;
}

void send(Caller& call, const Shape& shape, const std::string& url) {
  call.headers = shape.headers;
  call.fresh_connection = shape.fresh_connection;
  call.timeout = shape.timeout;
  call.timeouts = shape.timeouts;
  call.limits = shape.limits;
  const auto result = call(shape.method, url, shape.body);
  EXPECT_TRUE(result) << shape.name << ": " << result.error().message();
}

// Responds to every request, to HEAD without a body.
void respond_to_all(Peer& peer) {
  while (auto request = peer.request()) {
    const bool head = request->starts_with("HEAD ");
    if (!peer.send(head ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" : http_response("ok"))) return;
  }
}

TEST(CurlOptions, options_of_a_call_do_not_affect_the_next_one) {
  const auto all = shapes();
  RawServer server(respond_to_all);
  std::vector<std::string> alone;
  for (const auto& shape : all) {
    Caller call;
    send(call, shape, server.url(shape.path));
    alone.push_back(server.last_request());
  }
  Caller call;
  send(call, all.front(), server.url(all.front().path));
  for (std::size_t first = 0; first < all.size(); ++first)
    for (std::size_t second = 0; second < all.size(); ++second) {
      SCOPED_TRACE(all[first].name + ", then " + all[second].name);
      send(call, all[first], server.url(all[first].path));
      const auto before = server.connections();
      send(call, all[second], server.url(all[second].path));
      EXPECT_TRUE(server.last_request() == alone[second]) << server.last_request().substr(0, 500);
      EXPECT_EQ(server.connections() - before, all[second].fresh_connection ? 1U : 0U);
    }
}

std::string head_of(const Shape& shape) {
  RawServer server(respond_to_all);
  Caller call;
  send(call, shape, server.url(shape.path));
  auto request = server.requests().at(0);
  request.erase(request.find("\r\n\r\n"));
  const auto host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
  EXPECT_NE(request.find(host), std::string::npos) << request;
  return request.erase(std::min(request.find(host), request.size()), host.size());
}

TEST(CurlOptions, a_request_has_its_own_fields_and_no_more) {
  struct Case {
    Method method;
    std::optional<std::string_view> body;
    std::string fields;
    noun::Headers headers = {};
  };
  const std::string coding = "Accept-Encoding: " + std::string(noun::decoded_codings());
  const Case cases[] = {
      {Method::get, {}, coding},
      {Method::head, {}, coding},
      {Method::options, {}, coding},
      {Method::delete_, {}, coding},
      {Method::post, {}, coding + "\r\nContent-Length: 0"},
      {Method::put, {}, coding + "\r\nContent-Length: 0"},
      {Method::patch, {}, coding + "\r\nContent-Length: 0"},
      {Method::query, {}, coding + "\r\nContent-Length: 0"},
      {Method::query, "xy", coding + "\r\nContent-Length: 2"},
      {Method::delete_, "xy", coding + "\r\nContent-Length: 2"},
      {Method::post, large_body, coding + "\r\nContent-Length: 200000"},
      // The caller's fields keep their order.
      {Method::post,
       "b",
       "b: 2\r\nAccept-Encoding: identity\r\nA: 1\r\nb: 3\r\nContent-Length: 1",
       {{"b", "2"}, {"Accept-Encoding", "identity"}, {"A", "1"}, {"b", "3"}}},
      {Method::get,
       {},
       "Accept-Encoding: gzip\r\nEmpty:\r\nBlank:\r\nSemi: ;",
       {{"Accept-Encoding", "gzip"}, {"Empty", ""}, {"Blank", " "}, {"Semi", ";"}}},
      // The caller cannot set the framing.
      {Method::post,
       "b",
       coding + "\r\nContent-Length: 1",
       {{"host", "elsewhere"}, {"Content-Length", "9"}, {"transfer-encoding", "chunked"}, {"Expect", "100-continue"}}},
  };
  for (const auto& [method, body, fields, headers] : cases) {
    const std::string name(to_string(method));
    EXPECT_EQ(head_of({name, method, "/a", body, headers}), name + " /a HTTP/1.1\r\n" + fields);
  }
}

TEST(CurlOptions, a_query_is_that_of_its_own_request) {
  RawServer server(always(http_response("ok")));
  const Caller call;
  const std::pair<std::string, std::string> targets[] = {{"/a?b=c", "/a?b=c"}, {"/a", "/a"},
                                                         {"?b=c#d", "/?b=c"},  {"/", "/"},
                                                         {"/a?", "/a?"},       {"/a?b?c=%20", "/a?b?c=%20"}};
  for (const auto& [path, target] : targets) {
    ASSERT_TRUE(call.get(server.url(path))) << path;
    EXPECT_EQ(path_of(server.last_request()), target);
  }
}

TEST(CurlOptions, a_path_is_sent_unchanged) {
  EXPECT_EQ(head_of({"", Method::get, "/a/../b/./%2e%2E/c?d=%20#f"}).substr(0, 36),
            "GET /a/../b/./%2e%2E/c?d=%20 HTTP/1.");
}

TEST(CurlOptions, a_limit_of_one_call_does_not_affect_the_next_one) {
  RawServer server(always(http_response("0123456789", "A: 1\r\nB: 2\r\nC: 3\r\n")));
  Caller call;
  call.limits = {.head = 200, .fields = 4, .body = 10};
  ASSERT_TRUE(call.get(server.url()));
  for (const auto& narrow : {noun::Limits{.body = 9}, noun::Limits{.fields = 3}, noun::Limits{.head = 20}}) {
    call.limits = narrow;
    EXPECT_EQ(call.get(server.url()).error().code(), Errc::too_large);
  }
  call.limits = {};
  EXPECT_TRUE(call.get(server.url()));
}

TEST(CurlOptions, a_time_of_one_call_does_not_affect_the_next_one) {
  RawServer server([](Peer& peer) {
    Gate never;
    while (auto request = peer.request()) {
      if (request->starts_with("GET /slow ")) never.wait_for(300ms);
      if (!peer.send(http_response("ok"))) return;
    }
  });
  Caller call;
  call.timeout = 100ms;
  ASSERT_TRUE(call.get(server.url()));
  call.timeout = 10s;
  EXPECT_TRUE(call.get(server.url("/slow")));
  EXPECT_EQ(server.connections(), 1U);
  call.timeout = 100ms;
  EXPECT_EQ(call.get(server.url("/slow")).error().code(), Errc::timeout);
}

}  // namespace curl_options_test
}  // namespace noun_test
