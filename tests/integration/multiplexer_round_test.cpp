// Tests of concurrent attempts with nginx: streams of one connection, and separate connections.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/certificates.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "integration/nginx.hpp"

namespace integration { namespace multiplexer_round_test {

using noun::Errc;
using noun::Sent;
using noun_test::Certificates;
using noun_test::Crowd;
using noun_test::RawServer;
using namespace std::chrono_literals;
using Id = noun::Multiplexer::Id;

struct GoodCertificate : Certificates {
  GoodCertificate() { make("good"); }
};

class MultiplexedTls : public ::testing::Test {
 protected:
  std::string url(const std::string& path) const { return "https://127.0.0.1:" + std::to_string(nginx->port()) + path; }
  /// /mute never responds; /trailer has an ETag after its body.
  void listen(const std::string& how) {
    nginx = std::make_unique<Nginx>(
        "server { listen @4 " + how + "; ssl_certificate " + certificates.path("good.pem") + "; ssl_certificate_key " +
        certificates.path("good.key") + "; location / { return 200 ok; } location /mute { proxy_pass " + mute.url("") +
        "; } location /trailer { add_trailer ETag '\"1\"'; proxy_http_version 1.1; proxy_pass " + parts.url("") +
        "; } }");
  }
  /// The requests that nginx logged, after the multiplexer was destroyed.
  std::vector<Seen> seen_at_the_end() {
    crowd.multiplexer.reset();
    return nginx->stop();
  }

  RawServer mute{[](RawServer::Peer& peer) { peer.until_closed(); }};
  /// libcurl ends a response with a length before its trailers.
  RawServer parts{noun_test::always(noun_test::chunked("2\r\nok\r\n0\r\n\r\n"))};
  GoodCertificate certificates;
  std::unique_ptr<Nginx> nginx;
  Crowd crowd{{.tls = {.ca_file = certificates.path("good.pem")}}};
};

std::set<std::string> connections_in(const std::vector<Seen>& all) {
  std::set<std::string> connections;
  for (const auto& seen : all) connections.insert(seen.connection);
  return connections;
}

TEST_F(MultiplexedTls, http_2_uses_one_connection) {
  listen("ssl http2");
  ASSERT_TRUE(crowd.get(url("/first"))) << crowd.get(url("/first")).error().message();
  for (Id id = 1; id <= 32; ++id) crowd.start(id, url("/" + std::to_string(id)));
  crowd.await(33);
  for (Id id = 1; id <= 32; ++id) EXPECT_EQ(crowd.result(id).value().body, "ok");
  const auto seen = seen_at_the_end();
  EXPECT_EQ(seen.size(), 33U);
  EXPECT_EQ(connections_in(seen).size(), 1U);
  EXPECT_EQ(seen.front().protocol, "HTTP/2.0");
}

TEST_F(MultiplexedTls, on_http_2_trailers_are_apart_from_the_header_fields) {
  listen("ssl http2");
  const auto got = crowd.get(url("/trailer"));
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_FALSE(got->headers.contains("ETag"));
  EXPECT_EQ(got->etag(), "\"1\"");
}

TEST_F(MultiplexedTls, on_http_2_a_body_without_a_length_is_whole_while_others_share_its_connection) {
  listen("ssl http2");
  ASSERT_TRUE(crowd.get(url("/first")));
  crowd.start(1, url("/mute"));
  const auto got = crowd.get(url("/trailer"));
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_FALSE(got->headers.contains("Content-Length"));
}

TEST_F(MultiplexedTls, on_http_2_all_wait_for_the_first_connection_and_share_it) {
  listen("ssl http2");
  for (Id id = 1; id <= 64; ++id) crowd.start(id, url("/" + std::to_string(id)));
  crowd.await(64);
  const auto seen = seen_at_the_end();
  EXPECT_EQ(seen.size(), 64U);
  EXPECT_EQ(connections_in(seen).size(), 1U);
}

TEST_F(MultiplexedTls, on_http_2_a_connection_that_answers_others_is_used_after_a_timeout) {
  listen("ssl http2");
  ASSERT_TRUE(crowd.get(url("/first")));
  crowd.timeout = 200ms;
  crowd.start(1, url("/mute"));
  crowd.start(2, url("/mute"));
  crowd.timeout = 10s;
  crowd.start(3, url("/mute"));
  ASSERT_TRUE(crowd.get(url("/second")));
  EXPECT_EQ(crowd.result(1).error().code(), Errc::timeout);
  EXPECT_EQ(crowd.result(2).error().code(), Errc::timeout);
  EXPECT_TRUE(crowd.get(url("/third")));
  crowd.multiplexer->cancel(3);
  EXPECT_EQ(crowd.result(3).error().code(), Errc::cancelled);
  EXPECT_EQ(connections_in(seen_at_the_end()).size(), 1U);
}

TEST_F(MultiplexedTls, on_http_2_a_cancelled_stream_does_not_affect_others) {
  listen("ssl http2");
  ASSERT_TRUE(crowd.get(url("/first")));
  crowd.start(1, url("/mute"));
  crowd.start(2, url("/mute"));
  EXPECT_TRUE(crowd.get(url("/second")));
  crowd.multiplexer->cancel(1);
  EXPECT_EQ(crowd.result(1).error().code(), Errc::cancelled);
  EXPECT_EQ(crowd.result(1).error().sent(), Sent::maybe);
  EXPECT_TRUE(crowd.get(url("/third")));
  EXPECT_FALSE(crowd.results.contains(2));
  crowd.multiplexer->cancel(2);
  EXPECT_EQ(crowd.result(2).error().code(), Errc::cancelled);
  EXPECT_EQ(connections_in(seen_at_the_end()).size(), 1U);
}

TEST_F(MultiplexedTls, on_http_2_a_silent_connection_is_not_used_for_new_requests) {
  listen("ssl http2");
  ASSERT_TRUE(crowd.get(url("/first")));
  crowd.start(1, url("/mute"));
  crowd.timeout = 100ms;
  crowd.start(2, url("/mute"));
  EXPECT_EQ(crowd.result(2).error().code(), Errc::timeout);
  crowd.timeout = 10s;
  EXPECT_TRUE(crowd.get(url("/second")));
  RawServer other(noun_test::always(noun_test::http_response("")));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(crowd.get(other.url()));
  EXPECT_EQ(other.connections(), 1U) << "another origin";
  EXPECT_FALSE(crowd.results.contains(1));
  crowd.multiplexer->cancel(1);
  EXPECT_EQ(crowd.result(1).error().code(), Errc::cancelled);
  EXPECT_TRUE(crowd.get(url("/third")));
  std::string first;
  std::set<std::string> later;
  for (const auto& seen : seen_at_the_end()) {
    if (seen.target == "/first") first = seen.connection;
    if (seen.target == "/second" || seen.target == "/third") later.insert(seen.connection);
  }
  EXPECT_EQ(later.size(), 1U);
  EXPECT_FALSE(later.contains(first));
}

class MultiplexedProtocol : public MultiplexedTls, public ::testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(alpn, MultiplexedProtocol, ::testing::Values("ssl", "ssl http2"),
                         [](const auto& test) { return test.param == "ssl" ? "http_1_1" : "http_2"; });

TEST_P(MultiplexedProtocol, an_idle_connection_that_the_server_closed_is_replaced) {
  listen(GetParam());
  ASSERT_TRUE(crowd.get(url("/first")));
  nginx->close_idle();
  crowd.start(1, noun::Method::post, url("/second"), "x");
  ASSERT_TRUE(crowd.result(1)) << crowd.result(1).error().message();
  const auto seen = seen_at_the_end();
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_EQ(connections_in(seen).size(), 2U);
}

TEST_P(MultiplexedProtocol, a_child_process_does_not_close_the_connection_of_its_parent) {
  listen(GetParam());
  ASSERT_TRUE(crowd.get(url("/")));
  const pid_t child = ::fork();
  if (child == 0) {
    crowd.multiplexer.reset();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(crowd.get(url("/")));
  EXPECT_EQ(connections_in(seen_at_the_end()).size(), 1U);
}

TEST(MultiplexedSocket, of_unix_reaches_the_server) {
  Nginx nginx("server { listen @4; listen unix:@foldersocket; location / { return 200 ok; } }");
  Crowd crowd({.unix_socket = nginx.path("socket")});
  for (Id id = 1; id <= 8; ++id) crowd.start(id, "http://service/");
  crowd.await(8);
  for (Id id = 1; id <= 8; ++id) EXPECT_TRUE(crowd.result(id));
  EXPECT_TRUE(crowd.get("http://service/"));
  EXPECT_EQ(connections_in(nginx.stop()).size(), 9U);
}

}  // namespace multiplexer_round_test
}  // namespace integration
