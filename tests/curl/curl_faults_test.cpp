// Faults of the server and the network, for each method: the right code, the right `sent`, exactly one request, and a
// transport that keeps working.

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

struct FaultyServer {
  std::string name;
  Errc code;
  RawServer::Script script;
  noun::Duration timeout = 10s;
  Sent sent = Sent::maybe;
};

void PrintTo(const FaultyServer& fault, std::ostream* out) { *out << fault.name; }

std::vector<FaultyServer> before_the_head() {
  const auto p = Errc::protocol;
  return {
      {"reset_on_request", Errc::send, resets("")},
      {"closed_without_a_byte", Errc::send, [](Peer& peer) { peer.request(); }},
      {"silence", Errc::timeout, stops(""), 100ms},
      {"garbage", p, says("\x01\x02\x03 nonsense\r\n\r\n")},
      {"tls_alert_on_plain_http", p, says(std::string("\x15\x03\x01\x00\x02\x02\x46\r\n", 9))},
      {"http_0_9", p, says("<html>hello</html>\r\n")},
      {"status_000", p, says("HTTP/1.1 000 Zero\r\n\r\n")},
      {"status_99", p, says("HTTP/1.1 99 Low\r\n\r\n")},
      {"status_1000", p, says("HTTP/1.1 1000 High\r\n\r\n")},
      {"status_minus_20", p, says("HTTP/1.1 -20 Below\r\n\r\n")},
      {"status_600", p, says("HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n")},
      {"status_999", p, says("HTTP/1.1 999 High\r\nContent-Length: 0\r\n\r\n")},
      {"http_9_9", p, says("HTTP/9.9 200 OK\r\n\r\n")},
      {"http_3", p, says("HTTP/3 200 OK\r\n\r\n")},
      {"unexpected_101", p, says("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nhello")},
      {"head_cut", Errc::truncated, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")},
      {"head_cut_in_a_field", Errc::truncated, says("HTTP/1.1 200 OK\r\nContent-Le")},
      {"head_cut_after_an_interim_one", Errc::truncated, says("HTTP/1.1 100 Continue\r\n\r\n")},
      {"head_reset", Errc::truncated, resets("HTTP/1.1 200 OK\r\nA: b\r\n")},
      {"head_dripped", Errc::timeout,
       [](Peer& peer) {
         Gate never;
         if (!peer.request()) return;
         for (const char c : repeated(ok, 100))
           if (never.wait_for(10ms) || !peer.send({&c, 1})) return;
       },
       150ms},
  };
}

std::vector<FaultyServer> in_the_head() {
  const auto p = Errc::protocol;
  return {
      {"line_of_110_kib", Errc::too_large, says(with_fields("A: " + std::string(110 * 1024, 'a') + "\r\n"))},
      {"line_of_70_kib", Errc::too_large, says(with_fields("A: " + std::string(70 * 1024, 'a') + "\r\n"))},
      {"fields_6000", Errc::too_large, says(with_fields(repeated("A: b\r\n", 6000)))},
      {"cookies_1000", Errc::too_large, says(with_fields(repeated("Set-Cookie: a=b\r\n", 1000)))},
      {"interim_flood", Errc::too_large, repeats("", repeated("HTTP/1.1 100 Continue\r\n\r\n", 100))},
      {"interim_fields_flood", Errc::too_large, repeats("", "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n")},
      {"fold_on_the_first_line", p, says(with_fields(" folded\r\nContent-Length: 5\r\n"))},
      {"fold_makes_a_second_length", p, says(with_fields("Content-Length: 5\r\n 6\r\n"))},
      {"bare_cr", p, says(with_fields("A: b\rC: d\r\nContent-Length: 5\r\n"))},
      {"bare_cr_line", p, says(with_fields("A: b\r\n\rC: d\r\nContent-Length: 5\r\n"))},
      {"nul", p, says(with_fields(std::string("A: b\0c\r\nContent-Length: 5\r\n", 27)))},
      {"control_character", p, says(with_fields("A: b\x01\r\nContent-Length: 5\r\n"))},
      {"delete_character", p, says(with_fields("A: longer than eight \x7f bytes\r\nContent-Length: 5\r\n"))},
      {"space_before_the_colon", p, says(with_fields("Content-Length : 5\r\n"))},
      {"empty_name", p, says(with_fields(": b\r\nContent-Length: 5\r\n"))},
      {"no_colon", p, says(with_fields("Content-Length 5\r\n"))},
      {"two_lengths", p, says(with_fields("Content-Length: 5\r\nContent-Length: 4\r\n"))},
      {"list_of_lengths", p, says(with_fields("Content-Length: 5, 4\r\n"))},
      {"length_7x", p, says(with_fields("Content-Length: 5x\r\n"))},
      {"length_plus", p, says(with_fields("Content-Length: +5\r\n"))},
      {"length_minus", p, says(with_fields("Content-Length: -5\r\n"))},
      {"length_empty", p, says(with_fields("Content-Length:\r\n"))},
      {"length_overflow", p, says(with_fields("Content-Length: 18446744073709551616\r\n"))},
      {"length_hex", p, says(with_fields("Content-Length: 0x5\r\n"))},
      {"unknown_transfer_coding", p, says(with_fields("Transfer-Encoding: tree\r\n"))},
      {"gzip_transfer_coding", p, says(with_fields("Transfer-Encoding: gzip, chunked\r\n"))},
      {"chunked_chunked", p, says(with_fields("Transfer-Encoding: chunked, chunked\r\n"))},
      {"chunked_twice", p, says(with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"))},
  };
}

std::vector<FaultyServer> in_the_body() {
  const auto p = Errc::protocol;
  const std::string cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello";
  const auto zip = compressed(repeated("hello world ", 1500));
  std::vector<FaultyServer> all{
      {"body_cut", Errc::truncated, says(cut)},
      {"body_reset", Errc::truncated, resets(cut)},
      {"body_stops", Errc::timeout, stops(cut), 100ms},
      {"chunked_cut", Errc::truncated, says(chunked("5\r\nhel"))},
      {"chunked_without_an_end", Errc::truncated, says(chunked("5\r\nhello\r\n"))},
      {"chunked_cut_in_its_trailer", Errc::truncated, says(chunked("5\r\nhello\r\n0\r\nA: b\r\n"))},
      {"chunk_size_zz", p, says(chunked("zz\r\nhello\r\n0\r\n\r\n"))},
      {"chunk_size_negative", p, says(chunked("-5\r\nhello\r\n0\r\n\r\n"))},
      {"chunk_size_0x", p, says(chunked("0x5\r\nhello\r\n0\r\n\r\n"))},
      {"chunk_size_2_63", p, says(chunked("8000000000000000\r\nhello\r\n0\r\n\r\n"))},
      {"chunk_size_2_68", p, says(chunked("100000000000000000\r\nhello\r\n0\r\n\r\n"))},
      {"chunk_size_empty", p, says(chunked("\r\nhello\r\n0\r\n\r\n"))},
      {"chunk_without_its_line_end", p, says(chunked("5\r\nhello0\r\n\r\n"))},
      {"chunk_with_a_bare_lf", p, says(chunked("5\nhello\r\n0\r\n\r\n"))},
      {"chunk_extension_of_1_mib", Errc::too_large, says(chunked("5;" + std::string(1 << 20, 'x') + "\r\n"))},
      {"chunk_extensions_without_end", Errc::too_large, repeats(chunked(""), "1;abcdefgh\r\nx\r\n")},
      {"trailer_of_1_mib", Errc::too_large, says(chunked("0\r\nA: " + std::string(1 << 20, 'x') + "\r\n\r\n"))},
      {"trailers_without_end", Errc::too_large, repeats(chunked("0\r\n"), repeated("A: bcdefghi\r\n", 100))},
      {"length_over_the_limit", Errc::too_large, says("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")},
      {"endless_body", Errc::too_large, repeats("HTTP/1.1 200 OK\r\n\r\n", std::string(65536, 'x'))},
      {"endless_chunks", Errc::too_large, repeats(chunked(""), "400\r\n" + std::string(1024, 'x') + "\r\n")},
      {"tiny_chunks_count_as_sent", Errc::too_large, repeats(chunked(""), repeated("1\r\nx\r\n", 1000))},
      {"gzip_cut", Errc::truncated, says(zipped(zip.substr(0, zip.size() / 2)))},
      {"gzip_cut_in_its_checksum", Errc::truncated, says(zipped(zip.substr(0, zip.size() - 1)))},
      {"gzip_of_one_byte", Errc::truncated, says(zipped(zip.substr(0, 1)))},
      {"gzip_with_a_wrong_checksum", p, says(zipped(zip.substr(0, zip.size() - 8) + "12345678"))},
      {"gzip_that_is_none", p, says(zipped("this is not compressed"))},
      {"gzip_and_junk", p, says(zipped(zip + "junk"))},
      {"gzip_and_a_second_member", p, says(zipped(zip + zip))},
      {"deflate_cut", Errc::truncated, says(zipped(compressed("hello hello", 15).substr(0, 9), "deflate"))},
      {"bomb", Errc::too_large, says(zipped(compressed(std::string(64 << 20, '\0'))))},
      {"more_than_the_limit_when_decompressed", Errc::too_large, says(zipped(compressed(numbers(300'000))))},
      {"coding_twice", p, says(zipped(zip, "gzip, gzip"))},
      {"codings_5000", p, says(zipped(zip, repeated("gzip,", 5000)))},
      {"coding_of_two_kinds", p, says(zipped(zip, "br, gzip"))},
      {"unknown_coding", p, says(zipped(zip, "compress"))},
  };
  if (noun::has_brotli()) {
    const auto br = brotli(numbers(5000));
    const auto of_br = [](std::string_view bytes) { return says(zipped(bytes, "br")); };
    all.push_back({"br_cut", Errc::truncated, of_br(br.substr(0, br.size() / 2))});
    all.push_back({"br_cut_in_its_last_byte", Errc::truncated, of_br(br.substr(0, br.size() - 1))});
    all.push_back({"br_that_is_none", p, of_br("this is not compressed")});
    all.push_back({"br_and_junk", p, of_br(br + "junk")});
    all.push_back({"br_bomb", Errc::too_large, of_br(brotli(std::string(64 << 20, '\0')))});
    all.push_back({"more_br_than_the_limit", Errc::too_large, of_br(brotli(numbers(300'000)))});
  }
  if (noun::has_zstd()) {
    const auto frame = zstd(numbers(5000));
    const auto of_zstd = [](std::string_view bytes) { return says(zipped(bytes, "zstd")); };
    all.push_back({"zstd_cut", Errc::truncated, of_zstd(frame.substr(0, frame.size() / 2))});
    all.push_back({"zstd_cut_in_its_checksum", Errc::truncated, of_zstd(frame.substr(0, frame.size() - 1))});
    all.push_back({"zstd_cut_in_its_second_frame", Errc::truncated, of_zstd(frame + frame.substr(0, 9))});
    all.push_back({"zstd_with_a_wrong_checksum", p, of_zstd(frame.substr(0, frame.size() - 4) + "1234")});
    all.push_back({"zstd_that_is_none", p, of_zstd("this is not compressed")});
    all.push_back({"zstd_and_junk", p, of_zstd(frame + "junk")});
    all.push_back({"zstd_with_a_large_window", p, of_zstd(zstd("hello", 24))});
    all.push_back({"zstd_bomb", Errc::too_large, of_zstd(zstd(std::string(64 << 20, '\0')))});
    all.push_back({"more_zstd_than_the_limit", Errc::too_large, of_zstd(zstd(numbers(300'000)))});
  }
  for (auto& one : all) one.sent = Sent::answered;
  return all;
}

std::vector<FaultyServer> every_fault() {
  auto all = before_the_head();
  for (auto more : {in_the_head(), in_the_body()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

class Faults : public ::testing::TestWithParam<FaultyServer> {};
INSTANTIATE_TEST_SUITE_P(Servers, Faults, ::testing::ValuesIn(every_fault()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Faults, are_reported_and_leave_the_transport_usable) {
  const auto& fault = GetParam();
  RawServer sound(always(http_response("sound")));
  Caller call;
  call.limits.body = 1'000'000;
  for (const auto method : every_method) {
    if (method == Method::head && fault.sent == Sent::answered) continue;
    SCOPED_TRACE(to_string(method));
    RawServer faulty(fault.script);
    call.timeout = fault.timeout;
    const auto result = call(method, faulty.url("/x?secret=hush"), usual_body(method));
    ASSERT_THAT(result, FailsWith(fault.code, fault.sent));
    EXPECT_EQ(result.error().response() != nullptr, fault.sent == Sent::answered);
    EXPECT_THAT(result.error().message(), Not(HasSubstr("hush")));
    EXPECT_EQ(faulty.requests().size(), 1U);
    call.timeout = 10s;
    if (method == Method::head) continue;
    EXPECT_EQ(call(method, sound.url(), usual_body(method)).value().body, "sound");
  }
}

TEST(CurlFaults, that_the_server_would_send_again_are_repeated_once_or_not_at_all) {
  struct Case {
    std::string note;
    std::string bytes;
    int attempts;
  };
  auto damaged = compressed(repeated("hello world ", 1500));
  damaged[damaged.size() - 5] ^= 1;
  for (const auto& [note, bytes, attempts] :
       {Case{"status 600", "HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n", 1},
        Case{"status 999", "HTTP/1.1 999 High\r\nContent-Length: 0\r\n\r\n", 1},
        Case{"unexpected 101", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nhello", 1},
        Case{"unknown coding", zipped("hello", "compress"), 1}, Case{"two codings", zipped("hello", "gzip, gzip"), 1},
        Case{"unknown transfer coding", with_fields("Transfer-Encoding: tree\r\n"), 1},
        Case{"damaged gzip", zipped(damaged), 2}, Case{"gzip that is none", zipped("hello"), 2},
        Case{"cut gzip", zipped(damaged.substr(0, 30)), 5}, Case{"no HTTP", "nonsense\r\n\r\n", 5}}) {
    SCOPED_TRACE(note);
    RawServer server(says(bytes));
    CallBench bench(noun::libcurl_transport({}).value());
    bench.request.url = server.url();
    const auto done = DrivenCalls(Driver::blocking, bench).run();
    ASSERT_TRUE(done.error);
    EXPECT_EQ(done.error->attempts(), attempts) << done.error->message();
    EXPECT_EQ(server.requests().size(), static_cast<std::size_t>(attempts));
  }
}

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

TEST(CurlFaults, a_refused_connection_is_not_sent) {
  std::string url;
  { url = RawServer(always("")).url(); }
  for (const auto method : every_method)
    EXPECT_THAT(Caller{}(method, url, usual_body(method)), FailsWith(Errc::connect, Sent::no)) << to_string(method);
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
