// A stop request or a deadline ends an attempt at once in every state: resolving, connecting, sending, receiving.

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/stop.hpp>

#include "curl/caller.hpp"
#include "curl/fails_with.hpp"
#include "curl/name_service.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "joining_thread.hpp"

namespace noun_test { namespace curl_cancel_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using Peer = RawServer::Peer;

TEST(CurlCancel, while_waiting_for_the_response) {
  Gate received;
  RawServer server(silence(&received));
  EXPECT_THAT(stopped({}, Method::post, server.url(), "x", [&] { received.wait(); }),
              FailsWith(Errc::cancelled, Sent::maybe));
}

TEST(CurlCancel, while_receiving_the_response) {
  Gate begun;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    for (int i = 0; peer.send(std::string(1000, 'x')); ++i)
      if (i == 20000) begun.open();  // more than the sockets buffer
  });
  EXPECT_THAT(stopped({}, Method::get, server.url(), {}, [&] { begun.wait(); }),
              FailsWith(Errc::cancelled, Sent::answered));
}

TEST(CurlCancel, while_the_request_is_sent) {
  Gate begun;
  Gate over;
  RawServer server([&](Peer& peer) {
    peer.some();
    begun.open();
    over.wait();
  });
  EXPECT_THAT(stopped({}, Method::put, server.url(), std::string(16 << 20, 'x'), [&] { begun.wait(); }),
              FailsWith(Errc::cancelled, Sent::maybe));
  over.open();
}

TEST(CurlCancel, while_connecting) {
  const BlackHole hole;
  Gate never;
  EXPECT_THAT(stopped({}, Method::post, hole.url(), "x", [&] { never.wait_for(100ms); }),
              FailsWith(Errc::cancelled, Sent::no));
}

// slow.test has no address until the test ends.
struct SlowName {
  Gate asked;
  Gate let_go;
  Gate resolved;
};

class CurlSlowName : public ::testing::Test {
 protected:
  ~CurlSlowName() override {
    name_->let_go.open();
    name_->resolved.wait();
  }

  std::shared_ptr<SlowName> name_ = std::make_shared<SlowName>();
  NameService service_{"slow.test", [name = name_] {
                         name->asked.open();
                         name->let_go.wait();
                         name->resolved.open();
                       }};
};

TEST_F(CurlSlowName, a_stop_request_does_not_wait_for_it) {
  Caller call;
  EXPECT_THAT(stopped(call, Method::post, "http://slow.test/", "x", [&] { name_->asked.wait(); }),
              FailsWith(Errc::cancelled, Sent::no));
  const auto begin = std::chrono::steady_clock::now();
  call.transport.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
}

TEST_F(CurlSlowName, a_deadline_does_not_wait_for_it) {
  Caller call;
  call.timeout = 100ms;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(call(Method::post, "http://slow.test/", "x"), FailsWith(Errc::timeout, Sent::no));
  const auto elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(elapsed, 99ms);  // libcurl counts in milliseconds
  EXPECT_LT(elapsed, 100ms + patience);
}

TEST_F(CurlSlowName, the_time_to_connect_does_not_wait_for_it) {
  Caller call;
  call.timeouts.connect = 100ms;
  EXPECT_THAT(call(Method::post, "http://slow.test/", "x"), FailsWith(Errc::timeout, Sent::no));
}

TEST(CurlCancel, a_name_without_an_address_is_not_sent) {
  EXPECT_THAT(Caller{}(Method::post, "http://nowhere.invalid/", "x"), FailsWith(Errc::resolve, Sent::no));
}

TEST(CurlCancel, a_stop_that_was_requested_before_sends_nothing) {
  RawServer server(always(http_response("ok")));
  noun::StopSource source;
  source.request_stop();
  Caller call;
  call.stop = source.get_token();
  EXPECT_THAT(call.get(server.url()), FailsWith(Errc::cancelled, Sent::no));
  EXPECT_EQ(server.connections(), 0U);
}

TEST(CurlCancel, a_late_stop_does_not_affect_later_calls) {
  RawServer server(always(http_response("ok")));
  Caller call;
  for (int i = 0; i < 200; ++i) {
    noun::StopSource source;
    call.stop = source.get_token();
    JoiningThread stopper([&] { source.request_stop(); });
    if (const auto result = call.get(server.url()); !result) {
      EXPECT_EQ(result.error().code(), Errc::cancelled) << result.error().message();
    }
    stopper.join();
    call.stop = {};
    ASSERT_TRUE(call.get(server.url()));
  }
}

TEST(CurlCancel, a_deadline_is_kept_to_the_tenth_of_a_second) {
  RawServer server(silence());
  Caller call;
  call.timeout = 200ms;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(call.get(server.url()).error().code(), Errc::timeout);
  const auto elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(elapsed, 199ms);
  EXPECT_LT(elapsed, 250ms + patience);
}

}  // namespace curl_cancel_test
}  // namespace noun_test
