// The transport and its process: forks, signals, exhausted descriptors and memory, the environment.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "curl/caller.hpp"
#include "curl/certificates.hpp"
#include "curl/content_decoder.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/curl_global.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_server.hpp"
#include "encoders.hpp"
#include "joining_thread.hpp"
#include "os/in_child.hpp"
#include "os/sigpipe.hpp"
#include "os/temporary_folder.hpp"
#include "sanitized.hpp"

namespace noun_test { namespace curl_process_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using Peer = RawServer::Peer;

TEST(CurlFork, the_child_opens_its_own_connections_and_those_of_the_parent_stay_usable) {
  RawServer server(always(http_response("ok")));
  Caller call;
  ASSERT_TRUE(call.get(server.url("/parent")));
  EXPECT_EQ(in_child([&] {
              for (int i = 0; i < 3; ++i)
                if (!call.get(server.url("/child"))) return 1;
              call.transport.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(server.connections(), 2U);
  ASSERT_TRUE(call.get(server.url("/parent")));
  EXPECT_EQ(server.connections(), 2U);
  EXPECT_EQ(server.requests().size(), 5U);
}

TEST(CurlFork, a_fork_during_calls_of_other_threads_leaves_no_lock_held) {
  if (sanitized) GTEST_SKIP() << "the sanitizer's own allocator does not survive such a fork";
  RawServer server(always(http_response("ok")));
  Caller call;
  call.limits.idle_connections = 1;
  std::atomic<bool> over = false;
  std::vector<JoiningThread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!over) (void)call.get(server.url());
    });
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(in_child([&] { return call.get(server.url()) && Caller{}.get(server.url()) ? 0 : 1; }), 0);
  over = true;
}

struct SigpipeState {
  bool pending;
  bool blocked;
};
SigpipeState sigpipe() {
  sigset_t pending;
  sigset_t mask;
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return {sigismember(&pending, SIGPIPE) == 1, sigismember(&mask, SIGPIPE) == 1};
}

TEST(CurlSigpipe, does_not_kill_and_does_not_stay_pending) {
  EXPECT_EQ(in_child([] {
              ::signal(SIGPIPE, SIG_DFL);
              {
                const noun::SigpipeGuard guard(true);
                ::raise(SIGPIPE);
              }
              return sigpipe().pending || sigpipe().blocked ? 1 : 0;
            }),
            0);
}

TEST(CurlSigpipe, of_the_host_stays_pending) {
  EXPECT_EQ(in_child([] {
              sigset_t set;
              sigemptyset(&set);
              sigaddset(&set, SIGPIPE);
              ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
              ::raise(SIGPIPE);
              { const noun::SigpipeGuard guard(true); }
              return sigpipe().pending && sigpipe().blocked ? 0 : 1;
            }),
            0);
}

TEST(CurlSigpipe, of_a_server_that_disconnects_does_not_kill_the_host) {
  RawServer server([](Peer& peer) {
    if (peer.number() % 2 == 0) return;
    peer.some();
    peer.reset();
  });
  EXPECT_EQ(in_child([&] {
              ::signal(SIGPIPE, SIG_DFL);
              const std::string body(4 << 20, 'x');
              for (int i = 0; i < 2; ++i)
                for (const auto* scheme : {"http", "https"})
                  if (Caller{}(Method::post, server.url("/", scheme), body)) return 1;
              struct sigaction now {};
              ::sigaction(SIGPIPE, nullptr, &now);
              return now.sa_handler == SIG_DFL ? 0 : 2;
            }),
            0);
}

// Uses up all descriptors but `left`, until destroyed.
class FewDescriptors {
 public:
  explicit FewDescriptors(int left) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto fewer = before_;
    const int next = ::fcntl(0, F_DUPFD, 0);
    ::close(next);
    fewer.rlim_cur = static_cast<rlim_t>(next + left);
    ::setrlimit(RLIMIT_NOFILE, &fewer);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(CurlDescriptors, exhausted_are_reported_and_not_leaked) {
  RawServer server(always(http_response("ok")));
  const Caller call;
  const std::vector<std::string> urls{server.url(), "http://localhost:" + std::to_string(server.port()) + "/"};
  EXPECT_EQ(in_child([&] {
              for (int left = 0; left < 12; ++left)
                for (const auto& url : urls) {
                  const FewDescriptors few(left);
                  const auto result = call(Method::post, url, "x");
                  if (result) continue;
                  if (result.error().code() != Errc::resource || result.error().sent() != Sent::no) return 1;
                }
              return call.get(urls[0]) ? 0 : 2;
            }),
            0);
}

TEST(CurlDescriptors, exhausted_when_a_client_first_calls_in_the_background_do_not_make_its_later_calls_wait_in_turn) {
  Gate all_received;
  std::atomic<int> missing = 2;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (--missing == 0) all_received.open();
    all_received.wait();
    peer.send(http_response("ok"));
  });
  EXPECT_EQ(in_child([&] {
              const noun::Client api(server.url(""), {.retry = {.max_attempts = 1}});
              const auto get = noun::op::send(api, {.path = "x"});
              {
                const FewDescriptors none(0);
                const auto first = noun::future(get).get();
                if (first || first.error().code() != Errc::resource || first.error().sent() != Sent::no) return 1;
              }
              const auto timely = noun::op::send(api, {.path = "x"}, {.deadline = 10s});
              auto one = noun::future(timely);
              auto other = noun::future(timely);
              const bool both = one.get().has_value() && other.get().has_value();
              return both ? 0 : 2;
            }),
            0);
  all_received.open();
}

long peak_memory_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// A gzip stream that never ends and grows a thousandfold: its beginning, and the piece that is repeated.
std::pair<std::string, std::string> endless_gzip() {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string zeros(1 << 20, '\0');
  const auto piece = [&] {
    std::string out(zeros.size(), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(zeros.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    // What follows does not refer to what came before.
    deflate(&stream, Z_FULL_FLUSH);
    out.resize(out.size() - stream.avail_out);
    return out;
  };
  auto first = piece();
  auto next = piece();
  deflateEnd(&stream);
  return {std::move(first), std::move(next)};
}

TEST(CurlMemory, is_not_filled_by_an_endless_response) {
  const std::string filler(65536, 'x');
  const auto [gzip, more_gzip] = endless_gzip();
  struct Endless {
    const char* name;
    std::string beginning;
    std::string piece;
  };
  std::vector<Endless> endless{{"body", std::string(ok) + "\r\n", filler},
                               {"chunks", chunked(""), "10000\r\n" + filler + "\r\n"},
                               {"tiny chunks", chunked(""), repeated("1\r\nx\r\n", 1000)},
                               {"chunk extension", chunked("5;"), filler},
                               {"chunk extensions", chunked(""), repeated("1;abcdefgh\r\nx\r\n", 1000)},
                               {"chunk size", chunked(""), std::string(65536, '0')},
                               {"trailer", chunked("0\r\nA: "), filler},
                               {"trailers", chunked("0\r\n"), repeated("A: bcdefghi\r\n", 1000)},
                               {"gzip", std::string(ok) + "Content-Encoding: gzip\r\n\r\n" + gzip, more_gzip},
                               {"status line", "HTTP/1.1 200 ", filler},
                               {"fields", std::string(ok), repeated("A: b\r\n", 1000)},
                               {"field value", std::string(ok) + "A: ", filler},
                               {"field name", std::string(ok), filler},
                               {"folds", std::string(ok) + "A: b\r\n", repeated(" x\r\n", 1000)},
                               {"interim responses", "", repeated("HTTP/1.1 100 Continue\r\n\r\n", 1000)},
                               {"interim fields", "", repeated("HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n", 1000)}};
  const std::string zeros(1 << 24, '\0');
  if (noun::has_brotli())
    endless.push_back({"br", std::string(ok) + "Content-Encoding: br\r\n\r\n" + brotli(zeros), filler});
  if (noun::has_zstd())
    endless.push_back({"zstd", std::string(ok) + "Content-Encoding: zstd\r\n\r\n", zstd(zeros, 23)});
  for (const auto& [name, beginning, piece] : endless)
    for (const auto way : {Way::send, Way::multiplexer}) {
      RawServer server(repeats(beginning, piece));
      EXPECT_EQ(in_child([&, way = way] {
                  auto call = caller(way);
                  call.limits.body = 4 << 20;
                  const auto before = peak_memory_kib();
                  const auto result = call.get(server.url());
                  if (result) return 1;
                  const auto code = result.error().code();
                  if (code != Errc::too_large && code != Errc::protocol) return 2;
                  return peak_memory_kib() - before < (sanitized ? 256 : 32) * 1024 ? 0 : 3;
                }),
                0)
          << name << (way == Way::send ? "" : ", multiplexer");
    }
}

TEST(CurlEnvironment, does_not_set_a_proxy) {
  RawServer proxy(always(http_response("proxy")));
  RawServer server(always(http_response("server")));
  EXPECT_EQ(in_child([&] {
              for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
                ::setenv(name, proxy.url().c_str(), 1);
              const auto result = Caller{}.get(server.url());
              return result && result->body == "server" ? 0 : 1;
            }),
            0);
}

TEST(CurlEnvironment, excludes_no_host_from_the_proxy) {
  RawServer proxy(always(http_response("proxy")));
  EXPECT_EQ(in_child([&] {
              ::setenv("no_proxy", "*", 1);
              const Caller call{.transport = noun::libcurl_transport({.proxy = proxy.url()}).value()};
              const auto result = call.get("http://service.invalid/");
              return result && result->body == "proxy" ? 0 : 1;
            }),
            0);
}

TEST(CurlEnvironment, adds_no_credentials_or_options_from_files) {
  const TemporaryFolder home;
  RawServer proxy(always(http_response("proxy")));
  RawServer server(always(http_response("server")));
  for (const auto* name : {".netrc", "_netrc", "netrc"})
    home.write(name, "machine 127.0.0.1 login canary password canary\ndefault login canary password canary\n");
  for (const auto* name : {".curlrc", "_curlrc", "curlrc"})
    home.write(name, "proxy = " + proxy.url() + "\nheader = \"X-Canary: 1\"\nuser = canary:canary\nlocation\n");
  EXPECT_EQ(in_child([&] {
              for (const auto* name : {"HOME", "CURL_HOME", "XDG_CONFIG_HOME"}) ::setenv(name, home.path("").c_str(), 1);
              ::setenv("NETRC", home.path(".netrc").c_str(), 1);
              const auto result = Caller{}.get(server.url());
              return result && result->body == "server" ? 0 : 1;
            }),
            0);
  EXPECT_EQ(server.last_request(), "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                                       "\r\nAccept-Encoding: " + std::string(noun::decoded_codings()) + "\r\n\r\n");
}

TEST(CurlEnvironment, adds_no_authority) {
  Certificates certificates;
  certificates.make("mine");
  TlsServer server(certificates, "mine");
  const auto file = certificates.path("mine.pem");
  EXPECT_EQ(in_child([&] {
              for (const auto* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"})
                ::setenv(name, file.c_str(), 1);
              ::setenv("SSL_CERT_DIR", certificates.path("").c_str(), 1);
              const auto refused = Caller{}.get(server.url());
              if (refused || refused.error().code() != Errc::tls) return 1;
              const Caller trusting{.transport = noun::libcurl_transport({.tls = {.ca_file = file}}).value()};
              return trusting.get(server.url()) ? 0 : 2;
            }),
            0);
}

}  // namespace curl_process_test
}  // namespace noun_test
