// Certificate checks, options refused at construction, and proxies.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/caller.hpp"
#include "curl/certificates.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/decompressor.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_peer.hpp"
#include "curl/tls_server.hpp"
#include "encoders.hpp"
#include "loop/call_bench.hpp"
#include "loop/driven_calls.hpp"

namespace noun_test { namespace curl_setup_test {

using noun::Errc;
using noun::Method;
using noun::Retryable;
using noun::Sent;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Peer = RawServer::Peer;

Caller caller(noun::TransportOptions options) {
  return {.transport = noun::libcurl_transport(std::move(options)).value()};
}

class CurlTls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificates_ = new Certificates;
    certificates_->make("mine");
    certificates_->make("other", "DNS:other.test");
    certificates_->make("client", "DNS:client.test");
    certificates_->make_expired("expired");
  }
  static void TearDownTestSuite() {
    delete certificates_;
    certificates_ = nullptr;
  }
  static Caller trusting(const std::string& name) {
    return caller({.tls = {.ca_file = certificates_->path(name + ".pem")}});
  }

  /// In either way.
  static std::vector<Caller> both_trusting(const std::string& name) {
    const noun::TransportOptions options{.tls = {.ca_file = certificates_->path(name + ".pem")}};
    return {caller(Way::send, options), caller(Way::multiplexer, options)};
  }

  static Certificates* certificates_;
};
Certificates* CurlTls::certificates_ = nullptr;

void expect_refused(TlsServer& service, const Caller& call) {
  const auto result = call(Method::post, service.url(), "canary");
  ASSERT_THAT(result, FailsWith(Errc::tls, Sent::no));
  EXPECT_EQ(result.error().details().retryable, Retryable::by_code);
  EXPECT_EQ(count_of("canary", service.stop()), 0U);
}

TEST_F(CurlTls, a_server_with_another_name_receives_no_request) {
  struct Case {
    std::string note;
    std::string certificate;
    Caller call;
    std::vector<std::string> options = {};
  };
  for (const auto& one :
       {Case{"not trusted", "mine", {}}, Case{"another authority", "mine", trusting("other")},
        Case{"another name", "other", trusting("other")}, Case{"expired", "expired", trusting("expired")},
        Case{"an old protocol", "mine", trusting("mine"), {"-tls1_1", "-cipher", "ALL:@SECLEVEL=0"}}}) {
    SCOPED_TRACE(one.note);
    TlsServer service(*certificates_, one.certificate, one.options);
    expect_refused(service, one.call);
  }
}

TEST_F(CurlTls, requests_to_a_trusted_server_share_a_connection) {
  TlsServer service(*certificates_, "mine");
  const auto call = trusting("mine");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call.get(service.url()).value().body, "ok");
  EXPECT_EQ(count_of("-----BEGIN SSL SESSION PARAMETERS-----", service.stop()), 1U);
}

TEST_F(CurlTls, tls_1_2_is_accepted) {
  TlsServer service(*certificates_, "mine", {"-tls1_2"});
  EXPECT_TRUE(trusting("mine").get(service.url()));
}

TEST_F(CurlTls, without_verification_no_connections_are_shared) {
  TlsServer service(*certificates_, "other");
  EXPECT_TRUE(caller({.tls = {.verify = false}}).get(service.url()));
  expect_refused(service, Caller{});
}

TEST_F(CurlTls, a_client_certificate_is_sent) {
  const std::vector<std::string> demanding{"-Verify", "1", "-verify_return_error", "-CAfile",
                                           certificates_->path("client.pem")};
  noun::Tls tls{.ca_file = certificates_->path("mine.pem")};
  {
    TlsServer service(*certificates_, "mine", demanding);
    EXPECT_FALSE(caller({.tls = tls}).get(service.url()));
  }
  tls.client_certificate = certificates_->path("client.pem");
  tls.client_key = certificates_->path("client.key");
  TlsServer service(*certificates_, "mine", demanding);
  const auto result = caller({.tls = tls}).get(service.url());
  EXPECT_TRUE(result) << result.error().message();
}

TEST_F(CurlTls, a_child_that_destroys_its_copy_does_not_close_the_session_of_its_parent) {
  TlsServer service(*certificates_, "mine");
  auto call = trusting("mine");
  ASSERT_TRUE(call.get(service.url()));
  const pid_t child = ::fork();
  if (child == 0) {
    call.transport.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(call.get(service.url()));
  EXPECT_EQ(count_of("-----BEGIN SSL SESSION PARAMETERS-----", service.stop()), 1U);
}

TEST_F(CurlTls, a_body_without_a_length_ends_with_its_session_or_by_itself) {
  struct Case {
    std::string head;
    std::string body;
    bool closed;
    bool complete;
  };
  const std::string ok = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
  const std::string zip = compressed("a,b\n1,2\n");
  std::vector<Case> cases{
      Case{ok, "a,b\n1,2\n", true, true},
      Case{ok, "12", true, true},
      Case{ok, "", true, true},
      Case{ok, "a,b\n1,2\n", false, false},
      Case{ok, "12", false, false},
      Case{ok, "", false, false},
      Case{ok, R"([{"a":1},{"b":"]"}] )", false, true},
      Case{ok, R"({"a":1})", false, true},
      Case{ok, R"([{"a":1},{"b":"]"})", false, false},
      Case{ok, "{\"a\":1}\n{\"b\":2}", false, false},
      Case{ok + "Content-Encoding: gzip\r\n", zip, false, true},
      Case{ok + "Content-Encoding: gzip\r\n", "", false, false},
      Case{ok + "Content-Length: 2\r\n", "12", false, true},
      Case{ok + "Transfer-Encoding: chunked\r\n", "2\r\n12\r\n0\r\n\r\n", false, true},
      Case{"HTTP/1.0 404 Not Found\r\n", "not he", false, true},
  };
  if (noun::has_brotli()) cases.push_back({ok + "Content-Encoding: br\r\n", brotli("1,2\n"), false, true});
  if (noun::has_zstd())
    // Another frame may follow.
    for (const bool closed : {false, true})
      cases.push_back({ok + "Content-Encoding: zstd\r\n", zstd("1,2\n"), closed, closed});
  for (const auto& [head, body, closed, complete] : cases)
    for (const bool old_tls : {false, true}) {
      SCOPED_TRACE(head + body + (closed ? " closed" : " cut") + (old_tls ? " TLS 1.2" : ""));
      RawServer server([&](Peer& peer) {
        TlsPeer session(*certificates_, "mine", peer, {.version = old_tls ? TLS1_2_VERSION : TLS1_3_VERSION});
        session.some();
        session.send(head + "\r\n" + body);
        if (closed) session.close();
        peer.finish();
        peer.until_closed();
      });
      const auto url = server.url("/", "https");
      Crowd crowd({.tls = {.ca_file = certificates_->path("mine.pem")}});
      for (const auto& result : {trusting("mine").get(url), crowd.get(url)}) {
        EXPECT_EQ(result.has_value(), complete);
        if (!result) EXPECT_THAT(result, FailsWith(Errc::truncated, Sent::answered));
      }
    }
}

/// Within a session: sends the pieces for each request, each in a record of its own.
RawServer::Script in_records(const Certificates& certificates, TlsTerms terms,
                             std::function<std::vector<std::string>(const Peer&)> pieces) {
  return [&certificates, terms, pieces = std::move(pieces)](Peer& peer) {
    TlsPeer session(certificates, "mine", peer, terms);
    while (!session.some().empty())
      for (const auto& piece : pieces(peer)) session.send(piece);
  };
}

TEST_F(CurlTls, bytes_after_a_response_in_its_last_record_do_not_reach_the_next_request) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
  const auto extra = http_response("theirs");
  const std::vector<std::string> sound[] = {
      {head, "mine"},
      {head + "mine"},
      {head + "mi", "ne"},
      {std::string(ok) + "Transfer-Encoding: chunked\r\n\r\n", "4\r\nmine\r\n", "0\r\n\r\n"},
  };
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
    for (const auto& pieces : sound)
      for (const auto& call : both_trusting("mine")) {
        const RawServer server(in_records(*certificates_, {.version = version}, [&](const Peer& peer) {
          auto all = pieces;
          if (peer.number() == 0) all.back() += extra;
          return all;
        }));
        for (int i = 0; i < 4; ++i) {
          const auto got = call.get(server.url("/", "https"));
          ASSERT_TRUE(got) << got.error().message();
          EXPECT_EQ(got->body, "mine") << i;
        }
        EXPECT_EQ(server.connections(), 2U) << "the second can be kept";
      }
}

TEST_F(CurlTls, a_response_of_http_2_is_a_fault_unless_it_was_agreed_on) {
  for (const auto& call : both_trusting("mine")) {
    const RawServer server(in_records(*certificates_, {}, [](const Peer&) {
      return std::vector<std::string>{"HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n"};
    }));
    EXPECT_THAT(call.get(server.url("/", "https")), FailsWith(Errc::protocol, Sent::maybe));
  }
}

TEST_F(CurlTls, fields_and_credentials_stay_on_their_side_of_a_proxy) {
  std::promise<std::string> tunnelled;
  RawServer proxy([&](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nX-Proxy: canary\r\n\r\n");
    TlsPeer session(*certificates_, "mine", peer);
    tunnelled.set_value(session.some());
    session.send(http_response("ok"));
  });
  auto call = caller({.tls = {.ca_file = certificates_->path("mine.pem")},
                      .proxy = "http://user:word@127.0.0.1:" + std::to_string(proxy.port())});
  call.headers = {{"Authorization", "Bearer canary"}, {"Cookie", "canary"}, {"User-Agent", "canary"}};
  const auto result = call(Method::post, "https://127.0.0.1:1/canary?canary", "canary");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_FALSE(result->headers.contains("X-Proxy"));
  const auto request = tunnelled.get_future().get();
  EXPECT_THAT(request, AllOf(StartsWith("POST /canary?canary HTTP/1.1\r\n"), HasSubstr("Bearer canary"),
                             Not(HasSubstr("Proxy-")), Not(HasSubstr("dXNlcjp3b3Jk"))));
  EXPECT_THAT(proxy.requests().at(0),
              AllOf(StartsWith("CONNECT 127.0.0.1:1 HTTP/1.1\r\n"),
                    HasSubstr("Proxy-Authorization: Basic dXNlcjp3b3Jk\r\n"), Not(HasSubstr("canary"))));
}

// libcurl reads the environment once in a process, so another process makes the request.
TEST_F(CurlTls, keys_are_not_written_to_the_file_that_the_environment_names) {
  if (const char* url = std::getenv("NOUN_TEST_URL")) {
    EXPECT_TRUE(caller({.tls = {.ca_file = std::getenv("NOUN_TEST_CA")}}).get(url));
    return;
  }
  RawServer server([&](Peer& peer) {
    TlsPeer session(*certificates_, "mine", peer);
    session.some();
    session.send(http_response("ok"));
    session.close();
  });
  const auto keys = certificates_->path("keys");
  std::vector<std::string> words{"env",
                                 "-u",
                                 "GTEST_TOTAL_SHARDS",
                                 "-u",
                                 "GTEST_SHARD_INDEX",
                                 "-u",
                                 "GTEST_OUTPUT",
                                 "SSLKEYLOGFILE=" + keys,
                                 "NOUN_TEST_URL=" + server.url("/", "https"),
                                 "NOUN_TEST_CA=" + certificates_->path("mine.pem"),
                                 std::filesystem::read_symlink("/proc/self/exe").string(),
                                 "--gtest_filter=CurlTls.keys_are_not_written_to_the_file_that_the_environment_names"};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  ASSERT_EQ(::posix_spawnp(&child, "env", nullptr, nullptr, arguments.data(), environ), 0);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(server.connections(), 1U);
  std::ostringstream written;
  written << std::ifstream(keys).rdbuf();
  EXPECT_EQ(written.str(), "");
}

// Uses a short list of authorities: to read the system's may take 50 ms.
TEST_F(CurlTls, a_stop_request_ends_the_handshake) {
  Gate greeted;
  RawServer server([&](Peer& peer) {
    peer.some();
    greeted.open();
    peer.until_closed();
  });
  EXPECT_THAT(stopped(trusting("mine"), Method::post, server.url("/", "https"), "x", [&] { greeted.wait(); }),
              FailsWith(Errc::cancelled, Sent::no));
}

TEST_F(CurlTls, files_that_cannot_be_used_are_refused_at_construction) {
  const auto nothing = certificates_->path("nothing.pem");
  const auto nonsense = certificates_->path("nonsense.pem");
  const auto empty = certificates_->path("empty.pem");
  std::ofstream(nonsense) << "nonsense";
  std::ofstream(empty) << "";
  const auto cut = certificates_->path("mine.pem") + '\0' + ".other";
  for (const auto& path : {nothing, nonsense, empty, cut, certificates_->path("")})
    for (const auto& tls :
         {noun::Tls{.ca_file = path}, noun::Tls{.client_certificate = path}, noun::Tls{.client_key = path}}) {
      const auto transport = noun::libcurl_transport({.tls = tls});
      ASSERT_THAT(transport, FailsWith(Errc::tls, Sent::no)) << path;
      EXPECT_THAT(transport.error().message(), HasSubstr(path));
    }
}

TEST(CurlProxy, that_is_not_a_url_is_refused_at_construction) {
  for (const auto* proxy : {"localhost:3128", "://", "http://", "ftp://localhost", "http://local host:1",
                            "socks5://localhost", "http://localhost\r\nX: y", "http://a\nb@localhost"})
    EXPECT_THAT(noun::libcurl_transport({.proxy = proxy}), FailsWith(Errc::invalid_argument, Sent::no)) << proxy;
  EXPECT_THAT(noun::libcurl_transport({.proxy = std::string("http://localhost\0.other", 23)}),
              FailsWith(Errc::invalid_argument, Sent::no));
}

TEST(CurlProxy, receives_the_complete_url_and_its_own_credentials) {
  RawServer proxy(always(http_response("proxied")));
  const auto call = caller({.proxy = "http://user:word@127.0.0.1:" + std::to_string(proxy.port())});
  for (const std::string url :
       {"http://service.invalid/a?b=c", "http://service.invalid/?b", "http://service.invalid/a"}) {
    EXPECT_EQ(call.get(url).value().body, "proxied");
    EXPECT_THAT(proxy.last_request(), AllOf(StartsWith("GET " + url + " HTTP/1.1\r\n"),
                                            HasSubstr("Proxy-Authorization: Basic dXNlcjp3b3Jk\r\n")));
  }
}

TEST(CurlProxy, receives_no_fields_for_the_server) {
  RawServer proxy([](Peer& peer) {
    peer.request();
    peer.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    peer.until_closed();
  });
  auto call = caller({.proxy = proxy.url()});
  call.headers = {{"Authorization", "Bearer canary"}};
  const auto result = call(Method::post, "https://service.invalid/canary", "canary");
  ASSERT_THAT(result, FailsWith(Errc::connect, Sent::no));
  EXPECT_EQ(result.error().response(), nullptr);
  EXPECT_EQ(count_of("canary", proxy.requests().at(0)), 0U);
}

TEST(CurlProxy, that_does_not_respond_is_named_without_its_password) {
  struct Case {
    std::string proxy;
    Errc code;
    std::string happened;
  };
  const BlackHole hole;
  RawServer closing([](Peer& peer) { peer.some(); });
  const auto with_user = [](std::uint16_t port) { return "http://user:canary@127.0.0.1:" + std::to_string(port); };
  for (const auto& [proxy, code, happened] :
       {Case{"http://user:canary@nowhere.invalid:1", Errc::resolve, "found no address for the proxy nowhere.invalid:1"},
        Case{"http://user:canary@127.0.0.1:1", Errc::connect, "cannot connect to the proxy 127.0.0.1:1: Conn"},
        Case{"http://user:canary@127.0.0.1", Errc::connect, "cannot connect to the proxy 127.0.0.1:1080"},
        Case{with_user(hole.port()), Errc::timeout, "through the proxy 127.0.0.1:" + std::to_string(hole.port())},
        Case{with_user(closing.port()), Errc::connect,
             "the connection to the proxy 127.0.0.1:" + std::to_string(closing.port()) + " broke"}})
    for (const auto* url : {"https://service.invalid/", "http://service.invalid/"}) {
      if (proxy == with_user(closing.port()) && std::string(url).starts_with("http:")) continue;
      auto call = caller({.proxy = proxy});
      call.timeouts.connect = 200ms;
      const auto result = call(Method::post, url, "x");
      ASSERT_THAT(result, FailsWith(code, Sent::no)) << proxy;
      EXPECT_THAT(result.error().message(), AllOf(HasSubstr(happened), Not(HasSubstr("canary")))) << proxy;
      EXPECT_EQ(result.error().details().retryable, Retryable::by_code);
    }
}

TEST(CurlProxy, that_rejects_the_tunnel_receives_one_request) {
  for (const auto* status : {"407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway"}) {
    SCOPED_TRACE(status);
    const bool permanent = status[0] == '4';
    RawServer proxy(always("HTTP/1.1 " + std::string(status) +
                           "\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"));
    CallBench bench(noun::libcurl_transport({.proxy = "http://user:canary@" + proxy.url().substr(7)}).value());
    bench.request.url = "https://service.invalid/";
    const auto done = DrivenCalls(Driver::blocking, bench).run();
    ASSERT_THAT(done.error, FailsWith(Errc::connect, Sent::no));
    EXPECT_EQ(done.error->attempts(), permanent ? 1 : 5);
    EXPECT_EQ(done.error->stopped_because(), permanent ? noun::StopReason::permanent : noun::StopReason::attempts);
    EXPECT_EQ(proxy.requests().size(), permanent ? 1U : 5U);
    EXPECT_THAT(done.error->message(), AllOf(HasSubstr("the proxy 127.0.0.1:" + std::to_string(proxy.port()) +
                                                       " opened no tunnel to service.invalid:443"),
                                             Not(HasSubstr("canary"))));
  }
}

}  // namespace curl_setup_test
}  // namespace noun_test
