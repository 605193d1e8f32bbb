// One attempt is one request: what libcurl would repeat, believe or mix up, the transport does not.

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "transport/curl_caller.hpp"
#include "transport/raw_server.hpp"

namespace noun_test {
namespace curl_transport_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using Peer = RawServer::Peer;

class EveryMethod : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(every_method),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// Answers the first request of a connection, then takes the second one and breaks off.
RawServer::Script killer(bool with_reset) {
  return [with_reset](Peer& peer) {
    if (!peer.request()) return;
    peer.send(answer(""));
    if (!peer.request()) return;
    if (with_reset) peer.reset();
  };
}

void expect_sent_once(const RawServer::Script& script, Method method, std::optional<std::string_view> body) {
  RawServer server(script);
  const Caller call;
  ASSERT_TRUE(call.get(server.url("/first")));
  const auto result = call(method, server.url("/second"), body);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::send) << result.error().message();
  EXPECT_EQ(result.error().sent(), Sent::maybe);
  EXPECT_EQ(server.connections(), 1U);
  const auto requests = server.requests();
  EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                          [](const std::string& one) { return one.find(" /second ") != std::string::npos; }),
            1);
  EXPECT_TRUE(call.get(server.url("/third")));
}

TEST_P(EveryMethod, a_request_on_a_kept_connection_that_ends_is_sent_once) {
  expect_sent_once(killer(false), GetParam(), usual_body(GetParam()));
}

TEST_P(EveryMethod, a_request_on_a_kept_connection_that_is_reset_is_sent_once) {
  expect_sent_once(killer(true), GetParam(), usual_body(GetParam()));
}

TEST(CurlTransport, a_post_without_a_body_is_sent_once) { expect_sent_once(killer(false), Method::post, std::nullopt); }

TEST(CurlTransport, a_post_of_a_large_body_is_sent_once) {
  expect_sent_once(killer(false), Method::post, std::string(300'000, 'x'));
}

TEST(CurlTransport, a_service_that_is_gone_after_the_request_leaves_it_in_doubt) {
  Gate received;
  auto server = std::make_unique<RawServer>([&](Peer& peer) {
    if (peer.request()) peer.send(answer(""));
    if (!peer.request()) return;
    received.open();
    peer.until_closed();
  });
  const Caller call;
  const auto url = server->url();
  ASSERT_TRUE(call.get(url));
  std::jthread stopper([&] {
    received.wait();
    server.reset();
  });
  const auto result = call(Method::post, url, "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::send);
  EXPECT_EQ(result.error().sent(), Sent::maybe);
}

TEST_P(EveryMethod, a_connection_that_was_closed_while_idle_is_replaced) {
  Gate closed;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send(answer(""));
    if (peer.number() > 0) return peer.until_closed();
    peer.finish();
    closed.open();
    peer.until_closed();
  });
  const Caller call;
  ASSERT_TRUE(call.get(server.url("/first")));
  closed.wait();
  const auto result = call(GetParam(), server.url("/second"), usual_body(GetParam()));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(server.connections(), 2U);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(CurlTransport, connections_are_kept) {
  RawServer server(always(answer("ok")));
  const Caller call;
  for (int i = 0; i < 5; ++i) {
    const auto result = call.get(server.url());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->body, "ok");
  }
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlTransport, a_fresh_connection_is_fresh) {
  RawServer server(always(answer("ok")));
  Caller call;
  ASSERT_TRUE(call.get(server.url()));
  call.fresh_connection = true;
  ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlTransport, every_transport_has_its_own_connections) {
  RawServer server(always(answer("ok")));
  ASSERT_TRUE(Caller{}.get(server.url()));
  ASSERT_TRUE(Caller{}.get(server.url()));
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlTransport, what_nobody_asked_for_is_not_the_next_answer) {
  Gate said;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send(answer("asked"));
    if (peer.number() > 0) return peer.until_closed();
    peer.send(answer("not asked"));
    said.open();
    peer.until_closed();
  });
  const Caller call;
  ASSERT_TRUE(call.get(server.url()));
  said.wait();
  const auto result = call.get(server.url());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->body, "asked");
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlTransport, what_follows_an_answer_does_not_reach_the_next_request) {
  RawServer server(always(answer("mine") + answer("theirs")));
  const Caller call;
  for (int i = 0; i < 3; ++i) {
    const auto result = call.get(server.url());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->body, "mine");
  }
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlTransport, what_follows_a_chunked_answer_does_not_reach_the_next_request) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n";
  RawServer server(always(chunked + answer("theirs")));
  const Caller call;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call.get(server.url()).value().body, "mine");
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlTransport, an_answer_after_the_timeout_is_not_given_to_the_next_call) {
  Gate over;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (peer.number() == 0) over.wait();
    peer.send(answer(peer.number() == 0 ? "late" : "in time"));
    peer.until_closed();
  });
  Caller call;
  call.timeout = 100ms;
  const auto late = call.get(server.url());
  over.open();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::timeout);
  EXPECT_EQ(late.error().sent(), Sent::maybe);
  call.timeout = 10s;
  EXPECT_EQ(call.get(server.url()).value().body, "in time");
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlTransport, redirects_are_answers) {
  RawServer elsewhere(always(answer("leaked")));
  RawServer server(always(answer("", "Location: " + elsewhere.url() + "\r\n", "307 Temporary Redirect")));
  const Caller call;
  const auto result = call(Method::post, server.url(), "secret");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 307);
  EXPECT_EQ(elsewhere.connections(), 0U);
}

TEST(CurlTransport, a_challenge_and_a_failed_expectation_are_answers) {
  for (const auto* status : {"401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"", "407 Proxy",
                             "417 Expectation Failed", "408 Timeout", "421 Misdirected"}) {
    RawServer server(always(answer("", "", status)));
    const Caller call;
    EXPECT_TRUE(call(Method::post, server.url(), "x")) << status;
    EXPECT_EQ(server.requests().size(), 1U) << status;
  }
}

TEST(CurlTransport, the_answer_has_the_fields_of_the_final_head_in_order) {
  RawServer server(
      always("HTTP/1.1 103 Early Hints\r\nLink: </early>\r\n\r\nHTTP/1.1 201 Created\r\nB: 2\r\nA:\t 1 \t\r\n"
             "b: 3\r\nEmpty:\r\nContent-Length: 1\r\n\r\nx"));
  const auto result = Caller{}.get(server.url());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 201);
  EXPECT_EQ(result->headers,
            (noun::Headers{{"B", "2"}, {"A", "1"}, {"b", "3"}, {"Empty", ""}, {"Content-Length", "1"}}));
  EXPECT_EQ(result->body, "x");
  EXPECT_EQ(result->url, "");
}

TEST(CurlTransport, many_threads_share_a_transport) {
  RawServer server([](Peer& peer) {
    while (auto request = peer.request()) {
      const auto path = request->substr(4, request->find(' ', 4) - 4);
      if (!peer.send(answer(path))) return;
    }
  });
  const Caller call;
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 64; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        const auto path = "/" + std::to_string(thread) + "/" + std::to_string(i);
        const auto result = call.get(server.url(path));
        if (!result || result->body != path) ++wrong;
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(server.requests().size(), 64U * 20U);
  EXPECT_LE(server.connections(), 64U * 20U);
}

TEST(CurlTransport, an_answer_that_comes_before_the_body_is_sent_is_the_answer) {
  RawServer server([](Peer& peer) {
    peer.some();
    peer.send(answer("no", "Connection: close\r\n", "413 Content Too Large"));
    peer.until_closed();
  });
  const std::string body(8 * 1024 * 1024, 'x');
  const auto result = Caller{}(Method::post, server.url(), body);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, 413);
}

}  // namespace curl_transport_test
}  // namespace noun_test
