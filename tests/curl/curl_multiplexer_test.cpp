// Many attempts in one multiplexer, which share connections. curl_transport_test covers single attempts.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/certificates.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/fails_with.hpp"
#include "curl/name_service.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_server.hpp"
#include "joining_thread.hpp"

namespace noun_test { namespace curl_multiplexer_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using ::testing::HasSubstr;
using Id = noun::Multiplexer::Id;
using Peer = RawServer::Peer;

TEST(CurlMultiplexer, carries_64_attempts_at_once) {
  Meeting meeting(64);
  RawServer server(meeting.script());
  Crowd crowd;
  for (Id id = 1; id <= 64; ++id) crowd.start(id, server.url("/" + std::to_string(id)));
  crowd.await(64);
  for (Id id = 1; id <= 64; ++id) EXPECT_EQ(crowd.result(id).value().body, "/" + std::to_string(id));
  EXPECT_EQ(server.requests().size(), 64U);
}

class MultiplexedMethod : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, MultiplexedMethod, ::testing::ValuesIn(every_method),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// Two kept connections: when the request fails on one, libcurl could repeat it on the other.
TEST_P(MultiplexedMethod, a_request_on_a_kept_connection_that_ends_is_sent_once) {
  Gate both;
  std::atomic<int> missing = 2;
  RawServer server([&](Peer& peer) {
    if (!peer.request()) return;
    if (--missing == 0) both.open();
    both.wait();
    peer.send(http_response(""));
    peer.request();
  });
  Crowd crowd;
  crowd.start(1, server.url("/first"));
  crowd.start(2, server.url("/first"));
  crowd.await(2);
  ASSERT_EQ(server.connections(), 2U);
  crowd.start(3, GetParam(), server.url("/second"), usual_body(GetParam()));
  EXPECT_THAT(crowd.result(3), FailsWith(Errc::send, Sent::maybe));
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(CurlMultiplexer, cancels_one_of_many) {
  Gate received;
  RawServer silent(silence(&received));
  Meeting meeting(9);
  RawServer server(meeting.script());
  Crowd crowd;
  crowd.start(1, Method::post, silent.url(), "x");
  for (Id id = 2; id <= 9; ++id) crowd.start(id, server.url());
  JoiningThread waker([&] {
    received.wait();
    crowd.multiplexer->wake();
  });
  while (crowd.multiplexer->wait(noun::Duration::max()).size() > 0) ADD_FAILURE() << "nobody was answered yet";
  crowd.multiplexer->cancel(1);
  crowd.await(1);
  ASSERT_TRUE(crowd.results.contains(1));
  EXPECT_THAT(crowd.result(1), FailsWith(Errc::cancelled, Sent::maybe));
  crowd.start(10, server.url());
  crowd.await(10);
  for (Id id = 2; id <= 10; ++id) EXPECT_TRUE(crowd.result(id));
}

TEST(CurlMultiplexer, cancels_unconnected_attempts_and_ignores_unknown_ids) {
  const BlackHole hole;
  Crowd crowd;
  crowd.start(1, Method::post, hole.url(), "x");
  EXPECT_TRUE(crowd.multiplexer->wait(20ms).empty());
  crowd.multiplexer->cancel(1);
  crowd.multiplexer->cancel(2);
  EXPECT_THAT(crowd.result(1), FailsWith(Errc::cancelled, Sent::no));
  EXPECT_TRUE(crowd.multiplexer->wait(0ms).empty());
}

/// The descriptors of this process.
std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

TEST(CurlMultiplexer, closes_the_sockets_of_cancelled_attempts_while_others_start) {
  const BlackHole server(2000);
  Crowd crowd;
  constexpr Id together = 200;
  const auto before = open_files();
  std::ptrdiff_t most = 0;
  for (Id round = 0; round < 5; ++round) {
    for (Id id = 1; id <= together; ++id) crowd.start(round * together + id, server.url());
    for (int events = 0; events < 4; ++events) EXPECT_TRUE(crowd.multiplexer->wait(0ms).empty());
    most = std::max(most, open_files() - before);
    for (Id id = 1; id <= together; ++id) crowd.multiplexer->cancel(round * together + id);
    crowd.await(static_cast<std::size_t>((round + 1) * together));
  }
  EXPECT_GE(most, static_cast<std::ptrdiff_t>(together) / 2) << "they have connected";
  EXPECT_LE(most, 2 * static_cast<std::ptrdiff_t>(together));
  while (open_files() > before) EXPECT_TRUE(crowd.multiplexer->wait(1ms).empty());
}

TEST(CurlMultiplexer, has_closed_the_body_of_an_attempt_that_has_ended) {
  struct Reader final : noun::BodyReader {
    explicit Reader(bool& flag) : closed(flag) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() override { closed = true; }
    noun::Result<std::size_t> read(char*, std::size_t) override { return std::size_t{0}; }
    bool& closed;
  };
  struct Source final : noun::BodySource {
    std::uint64_t size() const noexcept override { return 1; }
    noun::Result<std::unique_ptr<noun::BodyReader>> open() const override { return std::make_unique<Reader>(closed); }
    mutable bool closed = false;
  };
  const BlackHole hole;
  const Source source;
  Crowd crowd;
  const auto url = hole.url();
  crowd.multiplexer->start(1, {.method = Method::post,
                               .url = url,
                               .headers = crowd.headers,
                               .body = "",
                               .has_body = true,
                               .source = &source,
                               .timeout = 10s,
                               .timeouts = crowd.timeouts,
                               .limits = crowd.limits,
                               .fresh_connection = false});
  EXPECT_TRUE(crowd.multiplexer->wait(20ms).empty());
  EXPECT_FALSE(source.closed);
  crowd.multiplexer->cancel(1);
  EXPECT_THAT(crowd.result(1), FailsWith(Errc::cancelled, Sent::no));
  EXPECT_TRUE(source.closed);
}

TEST(CurlMultiplexer, a_silent_attempt_stalls_and_a_slow_one_does_not) {
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
  ASSERT_THAT(crowd.result(1), FailsWith(Errc::timeout, Sent::maybe));
  EXPECT_THAT(crowd.result(1).error().message(), HasSubstr("no byte in either direction for 1 s"));
  EXPECT_EQ(crowd.result(2).value().body, "xxxxxxxx");
}

TEST(CurlMultiplexer, keeps_at_most_the_configured_number_of_idle_connections) {
  // With one multi handle, and with several.
  for (const int together : {6, 200}) {
    Meeting meeting(together);
    RawServer server(meeting.script());
    Crowd crowd;
    crowd.limits.idle_connections = 2;
    for (int id = 1; id <= together; ++id) crowd.start(static_cast<Id>(id), server.url());
    crowd.await(static_cast<std::size_t>(together));
    EXPECT_EQ(server.connections(), static_cast<std::size_t>(together));
    while (meeting.closed() < together - 2) EXPECT_TRUE(crowd.multiplexer->wait(10ms).empty());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(crowd.get(server.url()));
    EXPECT_EQ(server.connections(), static_cast<std::size_t>(together));
    EXPECT_EQ(meeting.closed(), together - 2);
  }
}

TEST(CurlMultiplexer, resolves_a_name_for_all_of_its_handles_once) {
  constexpr Id together = 200;
  RawServer server(always(http_response("ok")));
  Crowd crowd;
  std::optional<NameService> names(std::in_place, "once.test", std::vector{server.port()});
  ASSERT_TRUE(crowd.get("http://once.test:1/"));
  names.reset();
  for (Id id = 1; id <= together; ++id) crowd.start(id, "http://once.test:1/");
  crowd.await(together + 1);
  for (Id id = 1; id <= together; ++id) EXPECT_TRUE(crowd.result(id)) << crowd.result(id).error().what();
}

TEST(CurlMultiplexer, keeps_as_many_connections_as_were_in_use_a_moment_ago) {
  constexpr Id together = 100;
  Meeting meeting(together);
  RawServer server(meeting.script());
  Crowd crowd;
  crowd.limits.idle_connections = 1;
  for (Id round = 0; round < 5; ++round) {
    for (Id id = 1; id <= together; ++id) crowd.start(round * together + id, server.url());
    crowd.await(static_cast<std::size_t>((round + 1) * together));
  }
  EXPECT_EQ(server.connections(), together);
}

TEST(CurlMultiplexer, closes_an_idle_connection_after_its_time_without_a_next_request) {
  Gate gone;
  RawServer server([&](Peer& peer) {
    peer.request();
    peer.send(http_response("ok"));
    peer.until_closed();
    gone.open();
  });
  Crowd crowd;
  crowd.limits.idle_time = 1ms;
  ASSERT_TRUE(crowd.get(server.url()));
  while (!gone.wait_for(0ms)) EXPECT_TRUE(crowd.multiplexer->wait(10ms).empty());
}

TEST(CurlMultiplexer, closes_its_end_of_a_connection_that_the_server_ended) {
  Crowd crowd;
  const auto before = open_files();
  {
    RawServer server(always(http_response("ok")));
    ASSERT_TRUE(crowd.get(server.url()));
  }
  while (open_files() > before) EXPECT_TRUE(crowd.multiplexer->wait(10ms).empty());
}

TEST(CurlMultiplexer, does_not_close_a_busy_connection_for_an_idle_one) {
  Gate over;
  RawServer server([&](Peer& peer) {
    while (auto request = peer.request()) {
      if (request->starts_with("GET /slow ")) over.wait();
      if (!peer.send(http_response("ok"))) return;
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

TEST(CurlMultiplexer, polls_and_wakes) {
  RawServer server(silence());
  Crowd crowd;
  EXPECT_TRUE(crowd.multiplexer->wait(0ms).empty());
  EXPECT_TRUE(crowd.multiplexer->wait(-1s).empty());
  crowd.multiplexer->wake();
  EXPECT_TRUE(crowd.multiplexer->wait(noun::Duration::max()).empty()) << "woken before it slept";
  crowd.start(1, server.url());
  JoiningThread waker([&] { crowd.multiplexer->wake(); });
  EXPECT_TRUE(crowd.multiplexer->wait(noun::Duration::max()).empty());
}

TEST(CurlMultiplexer, a_request_that_libcurl_refuses_ends_with_its_error) {
  RawServer server(always(http_response("ok")));
  Crowd crowd;
  EXPECT_EQ(crowd.get("http://").error().code(), Errc::invalid_argument);
  EXPECT_EQ(crowd.get("http://127.0.0.1:1/").error().code(), Errc::connect);
  crowd.limits.body = 1;
  EXPECT_EQ(crowd.get(server.url()).error().code(), Errc::too_large);
  crowd.limits.body = 1000;
  EXPECT_TRUE(crowd.get(server.url()));
}

TEST(CurlMultiplexer, cancels_attempts_when_destroyed) {
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

TEST(CurlMultiplexer, shares_no_connection_of_http_1_after_a_response_of_http_2) {
  Gate over;
  RawServer server([&](Peer& peer) {
    while (const auto request = peer.request()) {
      const auto path = path_of(*request);
      if (path == "/slow") over.wait();
      if (!peer.send(path == "/wrong" ? "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n" : http_response(path))) return;
    }
  });
  Crowd crowd;
  crowd.start(1, server.url("/slow"));
  EXPECT_THAT(crowd.get(server.url("/wrong")), FailsWith(Errc::protocol, Sent::maybe));
  crowd.timeout = 2s;
  const auto next = crowd.get(server.url("/next"));
  over.open();
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(next->body, "/next");
  EXPECT_EQ(crowd.result(1).value().body, "/slow");
}

TEST(CurlMultiplexer, speaks_tls_and_keeps_the_session) {
  Certificates certificates;
  certificates.make("good");
  TlsServer service(certificates, "good");
  {
    Crowd crowd({.tls = {.ca_file = certificates.path("good.pem")}});
    for (int i = 0; i < 2; ++i) EXPECT_EQ(crowd.get(service.url()).value().body, "ok");
  }
  Crowd strangers;
  EXPECT_EQ(strangers.get(service.url()).error().code(), Errc::tls);
}

}  // namespace curl_multiplexer_test
}  // namespace noun_test
