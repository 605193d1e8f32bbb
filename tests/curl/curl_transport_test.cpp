// One attempt is one request: neither send() nor the multiplexer repeats, trusts or mixes up what libcurl would.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/fails_with.hpp"
#include "curl/name_service.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "joining_thread.hpp"

namespace noun_test { namespace curl_transport_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using Peer = RawServer::Peer;
using ::testing::HasSubstr;
using ::testing::Not;

const auto ways = ::testing::Values(Way::send, Way::multiplexer);

class EitherWay : public ::testing::TestWithParam<Way> {
 protected:
  Caller call = caller(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Ways, EitherWay, ways, ::testing::PrintToStringParamName());

class EveryMethod : public ::testing::TestWithParam<std::tuple<Way, Method>> {
 protected:
  Method method = std::get<Method>(GetParam());
  std::optional<std::string_view> body = usual_body(method);
  Caller call = caller(std::get<Way>(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::Combine(ways, ::testing::ValuesIn(every_method)),
                         [](const auto& test) {
                           return ::testing::PrintToString(std::get<Way>(test.param)) + "_" +
                                  std::string(to_string(std::get<Method>(test.param)));
                         });

// Makes the request on a kept connection that the server closes after it has received the request.
void expect_sent_once(const Caller& call, Method method, std::optional<std::string_view> body, bool with_reset) {
  RawServer server([with_reset](Peer& peer) {
    if (!peer.request()) return;
    peer.send(http_response(""));
    if (peer.request() && with_reset) peer.reset();
  });
  ASSERT_TRUE(call.get(server.url("/first")));
  EXPECT_THAT(call(method, server.url("/second"), body), FailsWith(Errc::send, Sent::maybe));
  EXPECT_EQ(server.connections(), 1U);
  EXPECT_EQ(server.requests().size(), 2U);
  EXPECT_TRUE(call.get(server.url("/third")));
}

TEST_P(EveryMethod, a_request_on_a_kept_connection_that_ends_is_sent_once) {
  expect_sent_once(call, method, body, false);
}

TEST_P(EveryMethod, a_request_on_a_kept_connection_that_is_reset_is_sent_once) {
  expect_sent_once(call, method, body, true);
}

TEST(CurlTransport, a_post_without_a_body_or_with_a_large_one_is_sent_once) {
  expect_sent_once({}, Method::post, std::nullopt, false);
  expect_sent_once({}, Method::post, std::string(300'000, 'x'), false);
}

TEST_P(EveryMethod, a_connection_that_was_closed_while_idle_is_replaced) {
  Gate closed;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send(http_response(""));
    if (peer.number() > 0) return peer.until_closed();
    peer.finish();
    closed.open();
    peer.until_closed();
  });
  ASSERT_TRUE(call.get(server.url("/first")));
  closed.wait();
  const auto result = call(method, server.url("/second"), body);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(server.connections(), 2U);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(CurlTransport, a_server_that_disconnects_after_the_request_is_sent_maybe) {
  Gate received;
  auto server = std::make_unique<RawServer>([&](Peer& peer) {
    if (peer.request()) peer.send(http_response(""));
    if (!peer.request()) return;
    received.open();
    peer.until_closed();
  });
  const Caller call;
  const auto url = server->url();
  ASSERT_TRUE(call.get(url));
  JoiningThread stopper([&] {
    received.wait();
    server.reset();
  });
  EXPECT_THAT(call(Method::post, url, "x"), FailsWith(Errc::send, Sent::maybe));
}

TEST_P(EitherWay, each_origin_has_its_connection_kept) {
  RawServer one(always(http_response("one")));
  RawServer two(always(http_response("two")));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(call.get(one.url("/a")).value().body, "one");
    EXPECT_EQ(call.get(two.url("?b")).value().body, "two");
  }
  EXPECT_EQ(one.connections(), 1U);
  EXPECT_EQ(two.connections(), 1U);
}

TEST_P(EitherWay, the_next_address_gets_its_share_of_the_time_to_connect) {
  const BlackHole hole;
  RawServer server(always(http_response("reached")));
  const NameService service("several.test", {hole.port(), server.port()});
  call.timeouts.connect = 2s;
  const auto begin = std::chrono::steady_clock::now();
  const auto result = call.get("http://several.test/");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->body, "reached");
  // libcurl gives the first of two addresses half of the time.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
}

TEST_P(EitherWay, refused_addresses_are_followed_by_the_next_one_at_once) {
  const auto closed = [] { return RawServer(always("")).port(); };
  RawServer server(always(http_response("reached")));
  const NameService service("several.test", {closed(), closed(), closed(), closed(), server.port()});
  call.timeouts.connect = 10s;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(call.get("http://several.test/"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

TEST_P(EitherWay, a_fresh_connection_is_fresh) {
  RawServer server(always(http_response("ok")));
  ASSERT_TRUE(call.get(server.url()));
  call.fresh_connection = true;
  ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 2U);
}

TEST_P(EitherWay, no_connection_is_kept_if_the_limit_is_zero) {
  RawServer server(always(http_response("ok")));
  call.limits.idle_connections = 0;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST_P(EitherWay, a_connection_is_not_used_again_near_the_end_that_the_server_announces) {
  RawServer closing(always(http_response("ok", "Keep-Alive: timeout=0, max=100\r\n")));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(closing.url()));
  EXPECT_EQ(closing.connections(), 3U);
  EXPECT_EQ(closing.requests().size(), 3U);
  RawServer keeping(always(http_response("ok", "Keep-Alive: timeout=3600\r\n")));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(keeping.url()));
  EXPECT_EQ(keeping.connections(), 1U);
}

TEST_P(EitherWay, a_request_on_a_kept_connection_that_breaks_names_the_option_that_keeps_none) {
  RawServer server([](Peer& peer) {
    if (peer.request()) peer.send(http_response(""));
    peer.request();
  });
  const std::string option = "kept from an earlier request (ClientOptions::limits.idle_connections: 0 keeps none)";
  ASSERT_TRUE(call.get(server.url()));
  EXPECT_THAT(call(Method::post, server.url(), "x").error().message(), HasSubstr(option));
  RawServer silent([](Peer& peer) { peer.request(); });
  EXPECT_THAT(call(Method::post, silent.url(), "x").error().message(), Not(HasSubstr(option)))
      << "its connection was new";
}

TEST_P(EitherWay, the_connections_of_a_server_that_ends_each_after_a_response_are_not_used_again) {
  RawServer lost([](Peer& peer) {
    if (peer.request()) peer.send(http_response(""));
    peer.request();
  });
  int broken = 0;
  for (int i = 0; i < 12; ++i) broken += call(Method::post, lost.url(), "x") ? 0 : 1;
  EXPECT_EQ(broken, 2);
  EXPECT_EQ(lost.connections(), 10U);
  std::atomic<std::size_t> ended = 0;
  RawServer ending([&](Peer& peer) {
    while (peer.request()) {
      peer.send(http_response(""));
      if (peer.number() >= 2) continue;
      peer.finish();
      ++ended;
    }
  });
  for (std::size_t i = 0; i < 6; ++i) {
    ASSERT_TRUE(call.get(ending.url()));
    while (ended < std::min<std::size_t>(i + 1, 2)) std::this_thread::yield();
  }
  EXPECT_EQ(ending.connections(), 6U) << "the last four could be kept";
  RawServer kept(always(http_response("")));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(kept.url()));
  EXPECT_EQ(kept.connections(), 1U) << "another origin";
}

TEST(CurlTransport, every_transport_has_its_own_connections) {
  RawServer server(always(http_response("ok")));
  ASSERT_TRUE(Caller{}.get(server.url()));
  ASSERT_TRUE(Caller{}.get(server.url()));
  EXPECT_EQ(server.connections(), 2U);
}

TEST_P(EitherWay, an_unsolicited_response_is_not_the_next_response) {
  Gate said;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send(http_response("asked"));
    if (peer.number() > 0) return peer.until_closed();
    peer.send(http_response("not asked"));
    said.open();
    peer.until_closed();
  });
  ASSERT_TRUE(call.get(server.url()));
  said.wait();
  EXPECT_EQ(call(Method::post, server.url(), "x").value().body, "asked");
  EXPECT_EQ(server.connections(), 2U);
}

TEST_P(EitherWay, bytes_after_a_response_do_not_reach_the_next_request) {
  for (const auto& mine : {http_response("mine"), chunked("4\r\nmine\r\n0\r\n\r\n")}) {
    RawServer server(always(mine + http_response("theirs")));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(call.get(server.url()).value().body, "mine");
    EXPECT_EQ(server.connections(), 3U);
  }
}

TEST_P(EitherWay, a_contradictory_response_ends_the_connection) {
  for (const auto* bytes : {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                            "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n",
                            "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
                            "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                            "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello",
                            "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}) {
    RawServer server(always(bytes));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(call.get(server.url()).value().body, "") << bytes;
    EXPECT_EQ(server.connections(), 2U) << bytes;
  }
}

TEST_P(EitherWay, a_response_of_http_2_on_a_connection_of_http_1_is_a_fault) {
  for (const auto* bytes : {"HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
                            "HTTP/2 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    RawServer server(always(bytes));
    for (const auto& url : {server.url(), "HTTP" + server.url().substr(4)})
      EXPECT_THAT(call.get(url), FailsWith(Errc::protocol, Sent::maybe)) << bytes;
    EXPECT_EQ(server.connections(), 2U) << bytes;
  }
}

TEST_P(EitherWay, a_response_after_the_timeout_is_not_passed_to_the_next_call) {
  Gate over;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (peer.number() == 0) over.wait();
    peer.send(http_response(peer.number() == 0 ? "late" : "in time"));
    peer.until_closed();
  });
  call.timeout = 100ms;
  EXPECT_THAT(call.get(server.url()), FailsWith(Errc::timeout, Sent::maybe));
  over.open();
  call.timeout = 10s;
  EXPECT_EQ(call.get(server.url()).value().body, "in time");
  EXPECT_EQ(server.connections(), 2U);
}

TEST_P(EitherWay, a_connect_timeout_is_not_sent) {
  const BlackHole hole;
  call.timeouts.connect = 100ms;
  EXPECT_THAT(call(Method::post, hole.url(), "x"), FailsWith(Errc::timeout, Sent::no));
}

TEST(CurlTransport, redirects_are_responses) {
  RawServer elsewhere(always(http_response("leaked")));
  RawServer server(always(http_response("", "Location: " + elsewhere.url() + "\r\n", "307 Temporary Redirect")));
  EXPECT_EQ(Caller{}(Method::post, server.url(), "secret").value().status, 307);
  EXPECT_EQ(elsewhere.connections(), 0U);
}

TEST(CurlTransport, a_challenge_and_a_failed_expectation_are_responses) {
  for (const auto* status : {"401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"", "407 Proxy",
                             "417 Expectation Failed", "408 Timeout", "421 Misdirected"}) {
    RawServer server(always(http_response("", "", status)));
    const Caller call;
    EXPECT_TRUE(call(Method::post, server.url(), "x")) << status;
    EXPECT_EQ(server.requests().size(), 1U) << status;
  }
}

TEST(CurlTransport, the_response_has_the_fields_of_the_final_head_in_order) {
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
  Meeting open(1);
  RawServer server(open.script());
  const Caller call;
  std::vector<JoiningThread> threads;
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
}

TEST(CurlTransport, a_response_before_the_body_is_sent_is_the_response) {
  RawServer server([](Peer& peer) {
    peer.some();
    peer.send(http_response("no", "Connection: close\r\n", "413 Content Too Large"));
    peer.until_closed();
  });
  const auto result = Caller{}(Method::post, server.url(), std::string(8 << 20, 'x'));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, 413);
}

}  // namespace curl_transport_test
}  // namespace noun_test
