// What the transport says of faults of servers, and how it goes on; tests/faults has a row for each fault.

#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/content_decoder.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "encoders.hpp"
#include "loop/call_bench.hpp"
#include "loop/driven_calls.hpp"

namespace noun_test { namespace curl_faults_test {

using noun::Errc;
using noun::Method;
using noun::Sent;
using ::testing::HasSubstr;
using ::testing::Not;
using Peer = RawServer::Peer;

TEST(CurlFaults, of_a_compressed_body_name_its_coding) {
  struct Case {
    std::string coding;
    std::string bytes;
    std::string what;
  };
  const auto text = repeated("hello world ", 1500);
  const auto bomb = [](auto encode) { return encode(std::string(2 << 20, '\0')); };
  const std::string ratio = " body that decompresses to more than 200 times its size (ClientOptions::limits.ratio)";
  std::vector<Case> cases{{"gzip", "hello", "a corrupt gzip body"},
                          {"gzip", compressed(text) + "x", "bytes after the end of its gzip body"},
                          {"gzip", compressed(text).substr(0, 40), "an incomplete gzip body"},
                          {"gzip", bomb([](const auto& zeros) { return compressed(zeros); }), "a gzip" + ratio},
                          {"deflate", "\xff\xff", "a corrupt deflate body"},
                          {"compress", "", "a Content-Encoding other than " + std::string(noun::decoded_codings())}};
  if (noun::has_brotli()) {
    cases.push_back({"br", "\xff\xff", "a corrupt br body"});
    cases.push_back({"br", brotli(text) + "x", "bytes after the end of its br body"});
    cases.push_back({"br", brotli(text).substr(0, 9), "an incomplete br body"});
    cases.push_back({"br", bomb([](const auto& zeros) { return brotli(zeros); }), "a br" + ratio});
  }
  if (noun::has_zstd()) {
    cases.push_back({"zstd", "hello", "a corrupt zstd body"});
    cases.push_back({"zstd", zstd(text) + "x", "bytes after the end of its zstd body"});
    cases.push_back({"zstd", zstd(text).substr(0, 9), "an incomplete zstd body"});
    cases.push_back({"zstd", zstd(text, 27), "a zstd body that needs a window of more than 8 MiB"});
    cases.push_back({"zstd", bomb([](const auto& zeros) { return zstd(zeros); }), "a zstd" + ratio});
  }
  for (const auto& [coding, bytes, what] : cases) {
    RawServer server(says(zipped(bytes, coding)));
    const auto result = Caller{}.get(server.url());
    ASSERT_FALSE(result) << what;
    EXPECT_THAT(result.error().what(), ::testing::EndsWith(" responded with " + what));
  }
}

TEST(CurlFaults, a_head_is_read_up_to_the_largest_limit_and_the_limit_is_named) {
  Caller call;
  call.limits.head = 100'000;
  const std::string around = "HTTP/1.1 200 OK\r\nA: \r\nContent-Length: 0\r\n\r\n";
  const auto head = [&](std::size_t size) {
    return "HTTP/1.1 200 OK\r\nA: " + std::string(size - around.size(), 'a') + "\r\nContent-Length: 0\r\n\r\n";
  };
  RawServer longest(always(head(100'000)));
  EXPECT_TRUE(call.get(longest.url()));
  for (const auto size : {100'001U, 102'500U, 110'000U, 400'000U}) {
    RawServer server(says(head(size)));
    const auto result = call.get(server.url());
    ASSERT_THAT(result, FailsWith(Errc::too_large, Sent::maybe)) << size;
    EXPECT_THAT(result.error().message(), HasSubstr("limits.head")) << size;
  }
}

TEST(CurlFaults, head_and_empty_statuses_have_no_body_to_wait_for) {
  for (const auto* status : {"204 No Content", "304 Not Modified"}) {
    RawServer server(always("HTTP/1.1 " + std::string(status) + "\r\n\r\n"));
    const Caller call;
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(call.get(server.url())) << status;
    EXPECT_EQ(server.connections(), 1U) << status;
  }
  RawServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Encoding: compress\r\n\r\n"));
  const Caller call;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(call(Method::head, server.url()));
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlFaults, a_reset_upload_is_sent_maybe) {
  RawServer server([](Peer& peer) {
    peer.some();
    peer.reset();
  });
  EXPECT_THAT(Caller{}(Method::put, server.url(), std::string(8 << 20, 'x')), FailsWith(Errc::send, Sent::maybe));
}

TEST(CurlFaults, a_kept_connection_that_ends_after_the_request_is_reported) {
  RawServer server([](Peer& peer) {
    if (peer.request()) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    peer.request();
  });
  Caller call;
  ASSERT_TRUE(call(Method::get, server.url()));
  const auto result = call(Method::post, server.url(), "x");
  ASSERT_THAT(result, FailsWith(Errc::send, Sent::maybe));
  EXPECT_THAT(result.error().message(), HasSubstr("a reused connection was closed while the request was sent"));
}

TEST(CurlFaults, an_upload_that_is_not_read_stalls) {
  Gate over;
  RawServer server([&](Peer&) { over.wait(); });
  Caller call;
  call.timeouts.stall = 1ms;
  const auto begin = std::chrono::steady_clock::now();
  const auto result = call(Method::put, server.url(), std::string(32 << 20, 'x'));
  over.open();
  ASSERT_THAT(result, FailsWith(Errc::timeout, Sent::maybe));
  EXPECT_THAT(result.error().message(), HasSubstr("no byte in either direction for 1 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

TEST(CurlFaults, a_response_that_arrives_steadily_does_not_stall) {
  RawServer server([](Peer& peer) {
    if (!peer.request()) return;
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n");
    Gate never;
    for (int i = 0; i < 6; ++i) {
      never.wait_for(250ms);
      peer.send("x");
    }
  });
  Caller call;
  call.timeouts.stall = 1s;
  EXPECT_TRUE(call.get(server.url()));
}

TEST(CurlFaults, a_broken_tls_session_is_transient_and_a_failed_handshake_is_not) {
  struct Handshake {
    std::string note;
    RawServer::Script script;
    Errc code;
    bool transient;
  };
  const auto replies = [](std::string bytes) {
    return [bytes = std::move(bytes)](Peer& peer) {
      peer.some();
      peer.send(bytes);
      peer.until_closed();
    };
  };
  const auto reset = [](Peer& peer) {
    peer.some();
    peer.reset();
  };
  const std::string fatal_alert("\x15\x03\x03\x00\x02\x02\x28", 7);
  for (const auto& [note, script, code, transient] :
       {Handshake{"reset", reset, Errc::tls, true},
        Handshake{"closed", [](Peer& peer) { peer.some(); }, Errc::tls, true},
        Handshake{"plain HTTP", replies("HTTP/1.1 400 Bad Request\r\n\r\n"), Errc::tls, false},
        Handshake{"fatal alert", replies(fatal_alert), Errc::tls, false},
        Handshake{"silence", [](Peer& peer) { peer.until_closed(); }, Errc::timeout, false}}) {
    SCOPED_TRACE(note);
    RawServer server(script);
    Caller call;
    call.timeouts.connect = code == Errc::timeout ? 100ms : 10s;
    const auto result = call(Method::post, server.url("/", "https"), "x");
    ASSERT_THAT(result, FailsWith(code, Sent::no));
    EXPECT_EQ(result.error().details().retryable, transient ? noun::Retryable::yes : noun::Retryable::by_code)
        << result.error().message();
  }
}

}  // namespace curl_faults_test
}  // namespace noun_test
