// Tests of what the head of a response says about its connection.
#include "curl/curl_head.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace noun_test { namespace curl_head_test {

using namespace std::chrono_literals;
using noun::Duration;

/// How long a connection may be used again after a response with these fields.
Duration reusable_for(const std::string& fields, const std::string& version = "HTTP/1.1") {
  const noun::Limits limits;
  noun::Response response;
  noun::curl::Head head;
  head.restart(noun::Method::get, limits, response);
  EXPECT_FALSE(head.line(version + " 200 OK\r\n"));
  for (std::size_t at = 0; at < fields.size();) {
    const auto end = fields.find('\n', at) + 1;
    EXPECT_FALSE(head.line(fields.substr(at, end - at)));
    at = end;
  }
  EXPECT_FALSE(head.line("\r\n"));
  return head.framing().reusable_for;
}

TEST(CurlHead, reads_how_long_the_server_keeps_the_connection_and_leaves_a_margin) {
  const std::pair<const char*, Duration> cases[] = {
      {"timeout=5", 4s},
      {"timeout=5, max=100", 4s},
      {"max=100,TIMEOUT=2", 1s},
      {"timeout=1", 500ms},
      {"timeout=0", 0s},
      {"timeout=60, timeout=5", 4s},
      {"timeout=4294967295", 24h - 1s},
      {"timeout=4294967296", Duration::max()},
      {"timeout=-1", Duration::max()},
      {"timeout=", Duration::max()},
      {"timeout=5s", Duration::max()},
      {"xtimeout=5", Duration::max()},
      {"max=100", Duration::max()},
      {"", Duration::max()},
  };
  for (const auto& [value, expected] : cases)
    EXPECT_EQ(reusable_for("keep-alive: " + std::string(value) + "\r\n"), expected) << value;
  EXPECT_EQ(reusable_for("Keep-Alive: timeout=5\r\nKeep-Alive: timeout=3\r\n"), 2s);
  EXPECT_EQ(reusable_for("Connection: keep-alive\r\n"), Duration::max());
  EXPECT_EQ(reusable_for("Keep-Alive: timeout=5\r\n", "HTTP/2"), Duration::max()) << "RFC 9113, section 8.2.2";
}

}}  // namespace noun_test::curl_head_test
