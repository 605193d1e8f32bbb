
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "joining_thread.hpp"

namespace noun_test { namespace curl_pool_test {

// Makes `count` simultaneous calls, so that each has its own connection.
void call_together(const Caller& call, const std::string& url, int count) {
  std::vector<JoiningThread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&] { EXPECT_TRUE(call.get(url)); });
}

TEST(CurlPool, keeps_at_most_the_configured_number_of_connections) {
  Meeting meeting(4);
  RawServer server(meeting.script());
  Caller call;
  call.limits.idle_connections = 2;
  call_together(call, server.url(), 4);
  EXPECT_EQ(server.connections(), 4U);
  while (meeting.closed() < 2) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 4U);
  EXPECT_EQ(meeting.closed(), 2);
}

TEST(CurlPool, closes_connections_that_were_idle_for_too_long) {
  RawServer server(always(http_response("ok")));
  Caller call;
  call.limits.idle_time = 1ns;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlPool, distinguishes_a_port_from_its_prefix) {
  RawServer server(always(http_response("ok")));
  const Caller call;
  ASSERT_TRUE(call.get(server.url()));
  // The port is invalid; a prefix match would use the kept connection.
  EXPECT_FALSE(call.get("http://127.0.0.1:" + std::to_string(server.port()) + "0/"));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(CurlPool, keeps_no_connection_that_the_server_closes) {
  RawServer server(always(http_response("ok", "Connection: close\r\n")));
  const Caller call;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CurlPool, reuses_one_of_several_connections) {
  Meeting meeting(3);
  RawServer server(meeting.script());
  const Caller call;
  call_together(call, server.url(), 3);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(call.get(server.url()));
  EXPECT_EQ(server.connections(), 3U);
}

}  // namespace curl_pool_test
}  // namespace noun_test
