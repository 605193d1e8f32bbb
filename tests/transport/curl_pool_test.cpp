// Which connections are kept, for whom, how many and for how long.

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "transport/curl_caller.hpp"
#include "transport/raw_server.hpp"

namespace noun_test {
namespace curl_pool_test {

using Peer = RawServer::Peer;

// Makes so many calls at the same time that each has its own connection.
void call_together(const Caller& call, const std::string& url, int count) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&] { EXPECT_TRUE(call.get(url)); });
}

// Answers nobody before so many have asked for /together.
class Together {
 public:
  explicit Together(int count) : missing_(count) {}

  RawServer::Script script() {
    return [this](Peer& peer) {
      while (auto request = peer.request()) {
        if (request->starts_with("GET /together ")) {
          if (--missing_ == 0) all_.open();
          all_.wait();
        }
        if (!peer.send(answer("ok"))) return;
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

TEST(CurlPool, keeps_so_many_connections_and_no_more) {
  Together together(4);
  RawServer server(together.script());
  Caller call;
  call.limits.idle_connections = 2;
  call_together(call, server.url("/together"), 4);
  EXPECT_EQ(server.connections(), 4U);
  while (together.closed() < 2) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 4U);
  EXPECT_EQ(together.closed(), 2);
}

TEST(CurlPool, keeps_none_when_told_so) {
  RawServer server(always(answer("ok")));
  Caller call;
  call.limits.idle_connections = 0;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlPool, lets_go_of_connections_that_were_idle_for_too_long) {
  RawServer server(always(answer("ok")));
  Caller call;
  call.limits.idle_time = 1ns;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlPool, gives_each_origin_its_own_connection_back) {
  RawServer one(always(answer("one")));
  RawServer two(always(answer("two")));
  const Caller call;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call.get(one.url("/a")).value().body, "one");
    EXPECT_EQ(call.get(two.url("?b")).value().body, "two");
  }
  EXPECT_EQ(one.connections(), 1U);
  EXPECT_EQ(two.connections(), 1U);
}

TEST(CurlPool, does_not_take_one_port_for_another_that_it_begins_with) {
  RawServer server(always(answer("ok")));
  const Caller call;
  ASSERT_TRUE(call.get(server.url()));
  // No such port; what matters is that the connection to the shorter one is not it.
  EXPECT_FALSE(call.get("http://127.0.0.1:" + std::to_string(server.port()) + "0/"));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(CurlPool, keeps_no_connection_that_the_server_closes) {
  RawServer server(always(answer("ok", "Connection: close\r\n")));
  const Caller call;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlPool, takes_the_connection_that_was_used_last) {
  Together together(3);
  RawServer server(together.script());
  const Caller call;
  call_together(call, server.url("/together"), 3);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

}  // namespace curl_pool_test
}  // namespace noun_test
