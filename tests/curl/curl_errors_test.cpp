#include "curl/curl_errors.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_server.hpp"

namespace noun_test { namespace curl_errors_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using noun::curl::peer_of;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CurlErrors, name_host_and_port_without_a_secret) {
  const std::pair<const char*, const char*> peers[] = {
      {"http://a.test/b?c", "a.test:80"},           {"https://a.test", "a.test:443"},
      {"https://a.test:8443/b:c@d", "a.test:8443"}, {"http://[::1]/", "[::1]:80"},
      {"http://[::1]:8080?x", "[::1]:8080"},        {"http://user:word@a.test/", "a.test:80"},
      {"http://user:wo@rd@a.test:1/", "a.test:1"}};
  for (const auto& [url, peer] : peers) EXPECT_EQ(peer_of(url), peer) << url;
}

TEST(CurlErrors, never_contain_a_secret) {
  Caller call;
  call.headers = {{"Authorization", "Bearer canary"}};
  for (const auto* url : {"http://127.0.0.1:1/canary?token=canary", "http://canary:canary@127.0.0.1:1/"}) {
    const auto result = call(Method::post, url, "canary");
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message(), Not(HasSubstr("canary")));
  }
  EXPECT_THAT(call(Method::post, "canary://canary", "canary").error().message(), Not(HasSubstr("Bearer")));
}

TEST(CurlErrors, have_what_and_advice) {
  EXPECT_EQ(Caller{}.get("http://127.0.0.1:1/").error().message(),
            "cannot connect to 127.0.0.1:1: Connection refused; check that a server listens there");
  RawServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 7x\r\n\r\n"));
  EXPECT_EQ(
      Caller{}.get(server.url()).error().message(),
      "127.0.0.1:" + std::to_string(server.port()) +
          " responded with a Content-Length that is not a number; report it to the API's owner, or check the proxies "
          "in between");
}

TEST(CurlErrors, have_the_received_head) {
  RawServer server([](RawServer::Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 503 Later\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\nhello");
  });
  const auto result = Caller{}.get(server.url());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().status(), 503);
  ASSERT_NE(result.error().response(), nullptr);
  EXPECT_EQ(result.error().response()->headers.get("Retry-After"), "7");
  EXPECT_EQ(result.error().response()->body, "");
  EXPECT_EQ(result.response()->status, 503);
}

TEST(CurlErrors, of_a_url_that_libcurl_cannot_use_are_invalid_argument) {
  for (const auto* url : {"", "nonsense:", "http://", "ftp://127.0.0.1/", "file:///etc/passwd", "http://a b/"})
    EXPECT_THAT(Caller{}.get(url), FailsWith(Errc::invalid_argument, Sent::no)) << url;
}

}  // namespace curl_errors_test
}  // namespace noun_test
