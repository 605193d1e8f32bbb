// Tests of what the head of a response says about its connection.
#include "curl/curl_head.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace noun_test { namespace curl_head_test {

using namespace std::chrono_literals;
using noun::Duration;

/// What a head with these fields says of its body and connection.
noun::curl::Framing framing_of(const std::string& fields, const std::string& version = "HTTP/1.1") {
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
  return head.framing();
}

/// How long a connection may be used again after a response with these fields.
Duration reusable_for(const std::string& fields, const std::string& version = "HTTP/1.1") {
  return framing_of(fields, version).reusable_for;
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

TEST(CurlHead, of_http_1_0_with_a_transfer_coding_ends_the_connection) {
  const std::string coded = "Transfer-Encoding: chunked\r\n";
  EXPECT_FALSE(framing_of("Connection: keep-alive\r\n" + coded, "HTTP/1.0").reusable) << "RFC 9112, section 6.1";
  EXPECT_TRUE(framing_of("Connection: keep-alive\r\nContent-Length: 3\r\n", "HTTP/1.0").reusable);
  EXPECT_TRUE(framing_of(coded).reusable);
}

TEST(CurlHead, reads_whether_the_response_is_the_last_of_its_connection) {
  const std::string sized = "Content-Length: 3\r\n";
  EXPECT_FALSE(framing_of(sized).last);
  EXPECT_TRUE(framing_of("").last) << "the connection ends the body";
  EXPECT_FALSE(framing_of("Transfer-Encoding: chunked\r\n").last);
  EXPECT_TRUE(framing_of(sized + "connection: Close\r\n").last);
  EXPECT_TRUE(framing_of(sized + "Connection: keep-alive\r\nConnection: x, close\r\n").last);
  EXPECT_FALSE(framing_of(sized + "Connection: closed, x-close\r\n").last);
  EXPECT_TRUE(framing_of(sized, "HTTP/1.0").last);
  EXPECT_FALSE(framing_of(sized + "Connection: Keep-Alive\r\n", "HTTP/1.0").last);
  EXPECT_FALSE(framing_of("Connection: close\r\n", "HTTP/2").last) << "RFC 9113, section 8.2.2";
}

TEST(CurlHead, of_http_2_is_a_fault_where_it_was_not_agreed_on) {
  for (const auto* line : {"HTTP/2 200 OK\r\n", "HTTP/2 103 Early Hints\r\n"})
    for (const bool agreed : {false, true}) {
      const noun::Limits limits;
      noun::Response response;
      noun::curl::Head head;
      head.restart(noun::Method::get, limits, response);
      head.expect_http2(agreed);
      const auto fault = head.line(line);
      EXPECT_EQ(!fault, agreed) << line;
      if (!fault) continue;
      EXPECT_EQ(fault->code, noun::Errc::protocol);
      EXPECT_EQ(fault->retryable, noun::Retryable::no);
    }
}

}}  // namespace noun_test::curl_head_test
