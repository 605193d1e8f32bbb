// Many attempts in one multi handle: each keeps the promises of an attempt of its own, and they share connections.

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "transport/certificates.hpp"
#include "transport/curl_caller.hpp"
#include "transport/curl_crowd.hpp"
#include "transport/raw_server.hpp"
#include "transport/tls_service.hpp"

namespace noun_test {
namespace curl_multiplexer_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using Id = noun::Multiplexer::Id;
using Peer = RawServer::Peer;

// Answers nobody before so many have asked.
class Meeting {
 public:
  explicit Meeting(int count) : missing_(count) {}
  RawServer::Script script() {
    return [this](Peer& peer) {
      while (auto request = peer.request()) {
        if (--missing_ == 0) all_.open();
        all_.wait();
        if (!peer.send(answer(request->substr(4, request->find(' ', 4) - 4)))) break;
      }
      ++closed_;
    };
  }
  int closed() const { return closed_; }

 private:
  std::atomic<int> missing_;
  std::atomic<int> closed_ = 0;
  Gate all_;
};

// Reads one request and says nothing.
RawServer::Script silence() {
  return [](Peer& peer) {
    peer.request();
    peer.until_closed();
  };
}

TEST(CurlMultiplexer, carries_64_attempts_at_once) {
  Meeting meeting(64);
  RawServer server(meeting.script());
  Crowd crowd;
  for (Id id = 1; id <= 64; ++id) crowd.start(id, server.url("/" + std::to_string(id)));
  crowd.await(64);
  for (Id id = 1; id <= 64; ++id) EXPECT_EQ(crowd.result(id).value().body, "/" + std::to_string(id));
  EXPECT_EQ(server.requests().size(), 64U);
}

TEST(CurlMultiplexer, keeps_connections_for_the_next_attempt) {
  RawServer one(always(answer("one")));
  RawServer two(always(answer("two")));
  Crowd crowd;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(crowd.get(one.url()).value().body, "one");
    EXPECT_EQ(crowd.get(two.url()).value().body, "two");
  }
  EXPECT_EQ(one.connections(), 1U);
  EXPECT_EQ(two.connections(), 1U);
}

TEST(CurlMultiplexer, a_fresh_connection_is_fresh) {
  RawServer server(always(answer("ok")));
  Crowd crowd;
  ASSERT_TRUE(crowd.get(server.url()));
  crowd.fresh_connection = true;
  ASSERT_TRUE(crowd.get(server.url()));
  EXPECT_EQ(server.connections(), 2U);
}

class MultiplexedMethod : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, MultiplexedMethod, testing::ValuesIn(every_method),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// Two kept connections: when the request dies on the one, the other is there for libcurl to try again on.
TEST_P(MultiplexedMethod, a_request_on_a_kept_connection_that_ends_is_sent_once) {
  Gate both;
  std::atomic<int> missing = 2;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (--missing == 0) both.open();
    both.wait();
    peer.send(answer(""));
    peer.request();
  });
  Crowd crowd;
  crowd.start(1, server.url("/first"));
  crowd.start(2, server.url("/first"));
  crowd.await(2);
  ASSERT_EQ(server.connections(), 2U);
  crowd.start(3, GetParam(), server.url("/second"), usual_body(GetParam()));
  const auto& result = crowd.result(3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::send) << result.error().message();
  EXPECT_EQ(result.error().sent(), Sent::maybe);
  const auto requests = server.requests();
  EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                          [](const std::string& one) { return one.find(" /second ") != std::string::npos; }),
            1);
}

TEST_P(MultiplexedMethod, a_connection_that_was_closed_while_idle_is_replaced) {
  Gate closed;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send(answer(""));
    if (peer.number() > 0) return peer.until_closed();
    peer.finish();
    closed.open();
    peer.until_closed();
  });
  Crowd crowd;
  ASSERT_TRUE(crowd.get(server.url("/first")));
  closed.wait();
  crowd.start(1, GetParam(), server.url("/second"), usual_body(GetParam()));
  ASSERT_TRUE(crowd.result(1)) << crowd.result(1).error().message();
  EXPECT_EQ(server.connections(), 2U);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(CurlMultiplexer, what_nobody_asked_for_is_not_the_next_answer) {
  Gate said;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send(answer("asked"));
    if (peer.number() > 0) return peer.until_closed();
    peer.send(answer("not asked"));
    said.open();
    peer.until_closed();
  });
  Crowd crowd;
  ASSERT_TRUE(crowd.get(server.url()));
  said.wait();
  crowd.start(1, Method::post, server.url(), "x");
  ASSERT_TRUE(crowd.result(1)) << crowd.result(1).error().message();
  EXPECT_EQ(crowd.result(1)->body, "asked");
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlMultiplexer, what_follows_an_answer_does_not_reach_the_next_request) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n";
  for (const auto& mine : {answer("mine"), chunked}) {
    RawServer server(always(mine + answer("theirs")));
    Crowd crowd;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(crowd.get(server.url()).value().body, "mine");
    EXPECT_EQ(server.connections(), 3U);
  }
}

TEST(CurlMultiplexer, a_contradictory_head_leaves_no_connection_behind) {
  RawServer server(always("HTTP/1.1 204 None\r\nContent-Length: 3\r\n\r\n"));
  Crowd crowd;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(crowd.get(server.url()));
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlMultiplexer, cancels_one_of_many) {
  Gate received;
  RawServer silent([&](Peer& peer) {
    peer.request();
    received.open();
    peer.until_closed();
  });
  Meeting meeting(9);
  RawServer server(meeting.script());
  Crowd crowd;
  crowd.start(1, Method::post, silent.url(), "x");
  for (Id id = 2; id <= 9; ++id) crowd.start(id, server.url());
  std::jthread waker([&] {
    received.wait();
    crowd.multiplexer->wake();
  });
  while (crowd.multiplexer->wait(noun::Duration::max()).size() > 0) ADD_FAILURE() << "nobody was answered yet";
  crowd.multiplexer->cancel(1);
  crowd.await(1);
  ASSERT_TRUE(crowd.results.contains(1));
  EXPECT_EQ(crowd.result(1).error().code(), Errc::cancelled);
  EXPECT_EQ(crowd.result(1).error().sent(), Sent::maybe);
  crowd.start(10, server.url());
  crowd.await(10);
  for (Id id = 2; id <= 10; ++id) EXPECT_TRUE(crowd.result(id));
}

TEST(CurlMultiplexer, cancels_what_has_not_connected_and_what_it_does_not_know) {
  const BlackHole hole;
  Crowd crowd;
  crowd.start(1, Method::post, hole.url(), "x");
  EXPECT_TRUE(crowd.multiplexer->wait(20ms).empty());
  crowd.multiplexer->cancel(1);
  crowd.multiplexer->cancel(2);
  EXPECT_EQ(crowd.result(1).error().code(), Errc::cancelled);
  EXPECT_EQ(crowd.result(1).error().sent(), Sent::no);
  EXPECT_TRUE(crowd.multiplexer->wait(0ms).empty());
}

TEST(CurlMultiplexer, an_attempt_that_takes_too_long_ends_and_its_late_answer_is_nobodys) {
  Gate over;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (peer.number() == 0) over.wait();
    peer.send(answer(peer.number() == 0 ? "late" : "in time"));
    peer.until_closed();
  });
  Crowd crowd;
  crowd.timeout = 100ms;
  const auto late = crowd.get(server.url());
  over.open();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::timeout);
  EXPECT_EQ(late.error().sent(), Sent::maybe);
  crowd.timeout = 10s;
  EXPECT_EQ(crowd.get(server.url()).value().body, "in time");
  EXPECT_EQ(server.connections(), 2U);
}

TEST(CurlMultiplexer, has_its_time_to_connect) {
  const BlackHole hole;
  Crowd crowd;
  crowd.timeouts.connect = 100ms;
  const auto& result = crowd.get(hole.url());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::timeout);
  EXPECT_EQ(result.error().sent(), Sent::no);
}

TEST(CurlMultiplexer, a_silent_one_stalls_and_one_that_speaks_slowly_does_not) {
  RawServer mute(silence());
  RawServer slow([](Peer& peer) {
    Gate never;
    if (!peer.request() || !peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")) return;
    for (int i = 0; i < 8; ++i)
      if (never.wait_for(250ms) || !peer.send("x")) return;
  });
  Crowd crowd;
  crowd.timeouts.stall = 1s;
  crowd.start(1, mute.url());
  crowd.start(2, slow.url());
  crowd.await(2);
  ASSERT_FALSE(crowd.result(1));
  EXPECT_EQ(crowd.result(1).error().code(), Errc::timeout);
  EXPECT_NE(crowd.result(1).error().message().find("no byte in either direction for 1 s"), std::string::npos);
  ASSERT_TRUE(crowd.result(2)) << crowd.result(2).error().message();
  EXPECT_EQ(crowd.result(2)->body, "xxxxxxxx");
}

TEST(CurlMultiplexer, keeps_so_many_idle_connections_and_no_more) {
  Meeting meeting(6);
  RawServer server(meeting.script());
  Crowd crowd;
  crowd.limits.idle_connections = 2;
  for (Id id = 1; id <= 6; ++id) crowd.start(id, server.url());
  crowd.await(6);
  EXPECT_EQ(server.connections(), 6U);
  while (meeting.closed() < 4) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(crowd.get(server.url()));
  EXPECT_EQ(server.connections(), 6U);
  EXPECT_EQ(meeting.closed(), 4);
}

TEST(CurlMultiplexer, keeps_no_connection_when_told_so) {
  RawServer server(always(answer("ok")));
  Crowd crowd;
  crowd.limits.idle_connections = 0;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(crowd.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlMultiplexer, does_not_close_a_busy_connection_for_an_idle_one) {
  Gate over;
  RawServer server([&](Peer& peer) {
    while (auto request = peer.request()) {
      if (request->starts_with("GET /slow ")) over.wait();
      if (!peer.send(answer("ok"))) return;
    }
  });
  Crowd crowd;
  crowd.limits.idle_connections = 1;
  crowd.start(1, server.url("/slow"));
  crowd.start(2, server.url("/slow"));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(crowd.get(server.url()));
  over.open();
  EXPECT_TRUE(crowd.result(1));
  EXPECT_TRUE(crowd.result(2));
  EXPECT_LE(server.connections(), 3U);
}

TEST(CurlMultiplexer, looks_and_wakes) {
  RawServer server(silence());
  Crowd crowd;
  EXPECT_TRUE(crowd.multiplexer->wait(0ms).empty());
  EXPECT_TRUE(crowd.multiplexer->wait(-1s).empty());
  crowd.multiplexer->wake();
  EXPECT_TRUE(crowd.multiplexer->wait(noun::Duration::max()).empty()) << "woken before it slept";
  crowd.start(1, server.url());
  std::jthread waker([&] { crowd.multiplexer->wake(); });
  EXPECT_TRUE(crowd.multiplexer->wait(noun::Duration::max()).empty());
}

TEST(CurlMultiplexer, what_libcurl_refuses_ends_with_its_error) {
  RawServer server(always(answer("ok")));
  Crowd crowd;
  EXPECT_EQ(crowd.get("http://").error().code(), Errc::invalid_argument);
  EXPECT_EQ(crowd.get("http://127.0.0.1:1/").error().code(), Errc::connect);
  crowd.limits.body = 1;
  EXPECT_EQ(crowd.get(server.url()).error().code(), Errc::too_large);
  crowd.limits.body = 1000;
  EXPECT_TRUE(crowd.get(server.url()));
}

TEST(CurlMultiplexer, breaks_off_what_is_under_way_when_it_goes) {
  Gate gone;
  RawServer server([&](Peer& peer) {
    peer.request();
    peer.until_closed();
    gone.open();
  });
  {
    Crowd crowd;
    crowd.start(1, server.url());
    while (server.requests().empty()) EXPECT_TRUE(crowd.multiplexer->wait(1ms).empty());
  }
  gone.wait();
}

TEST(CurlMultiplexer, speaks_tls_and_keeps_the_session) {
  Certificates certificates;
  certificates.make("good");
  TlsService service(certificates, "good");
  {
    Crowd crowd({.tls = {.ca_file = certificates.path("good.pem")}});
    for (int i = 0; i < 2; ++i) {
      const auto& result = crowd.get(service.url());
      ASSERT_TRUE(result) << result.error().message();
      EXPECT_EQ(result->body, "ok");
    }
  }
  Crowd strangers;
  EXPECT_EQ(strangers.get(service.url()).error().code(), Errc::tls);
}

}  // namespace curl_multiplexer_test
}  // namespace noun_test
