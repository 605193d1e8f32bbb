// Faults of servers that speak HTTP/1.1, or something that was meant to be it.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "curl/raw_responses.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Sent;
using Peer = RawServer::Peer;

RawServer::Script drips(std::string bytes) {
  return [bytes = std::move(bytes)](Peer& peer) {
    Gate never;
    if (!peer.request()) return;
    for (const char c : bytes)
      if (never.wait_for(10ms) || !peer.send({&c, 1})) return;
  };
}

std::vector<Fault> answered(std::vector<Fault> faults) {
  for (auto& one : faults) one.sent = Sent::answered;
  return faults;
}

/// `HTTP/1.1 STATUS`, the fields and no body.
std::string head(std::string_view status, std::string_view fields = "") { return http_response("", fields, status); }

}  // namespace

std::vector<Fault> faults_before_the_head() {
  return {
      {"reset_on_request", Errc::send, resets("")},
      {"closed_without_a_byte", Errc::send, [](Peer& peer) { peer.request(); }},
      {.name = "silence", .code = Errc::timeout, .script = stops(""), .hangs = true},
      {"garbage", Errc::protocol, says("\x01\x02\x03 nonsense\r\n\r\n")},
      {"tls_alert_on_plain_http", Errc::protocol, says(std::string("\x15\x03\x01\x00\x02\x02\x46\r\n", 9))},
      {"http_0_9", Errc::protocol, says("<html>hello</html>\r\n")},
      {"status_000", Errc::protocol, says("HTTP/1.1 000 Zero\r\n\r\n")},
      {"status_99", Errc::protocol, says("HTTP/1.1 99 Low\r\n\r\n")},
      {"status_1000", Errc::protocol, says("HTTP/1.1 1000 High\r\n\r\n")},
      {"status_minus_20", Errc::protocol, says("HTTP/1.1 -20 Below\r\n\r\n")},
      {"status_600", Errc::protocol, says("HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n"), Sent::maybe, 1},
      {"status_999", Errc::protocol, says("HTTP/1.1 999 High\r\nContent-Length: 0\r\n\r\n"), Sent::maybe, 1},
      {"http_9_9", Errc::protocol, says("HTTP/9.9 200 OK\r\n\r\n")},
      {"http_3", Errc::protocol, says("HTTP/3 200 OK\r\n\r\n")},
      {"unexpected_101", Errc::protocol, says("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n[1,2]"), Sent::maybe, 1},
      {"head_cut", Errc::truncated, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")},
      {"head_cut_in_a_field", Errc::truncated, says("HTTP/1.1 200 OK\r\nContent-Le")},
      {"head_cut_after_an_interim_one", Errc::truncated, says("HTTP/1.1 100 Continue\r\n\r\n")},
      {"head_reset", Errc::truncated, resets("HTTP/1.1 200 OK\r\nA: b\r\n")},
      {.name = "head_dripped",
       .code = Errc::timeout,
       .script = drips(std::string(ok) + "A: " + std::string(30, 'a')),
       // Without a limit of time for an attempt, its end is met.
       .differently = {{Way::download, {Errc::truncated, 3}}, {Way::stream, {Errc::truncated, 3}}},
       .hangs = true},
  };
}

std::vector<Fault> faults_in_the_head() {
  return {
      {"line_of_110_kib", Errc::too_large, says(with_fields("A: " + std::string(110 * 1024, 'a') + "\r\n"))},
      {"line_of_70_kib", Errc::too_large, says(with_fields("A: " + std::string(70 * 1024, 'a') + "\r\n"))},
      {"fields_6000", Errc::too_large, says(with_fields(repeated("A: b\r\n", 6000)))},
      {"cookies_1000", Errc::too_large, says(with_fields(repeated("Set-Cookie: a=b\r\n", 1000)))},
      {"interim_flood", Errc::too_large, repeats("", repeated("HTTP/1.1 100 Continue\r\n\r\n", 100))},
      {"interim_fields_flood", Errc::too_large, repeats("", "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n")},
      {"fold_on_the_first_line", Errc::protocol, says(with_fields(" folded\r\nContent-Length: 5\r\n"))},
      {"fold_makes_a_second_length", Errc::protocol, says(with_fields("Content-Length: 5\r\n 6\r\n"))},
      {"bare_cr", Errc::protocol, says(with_fields("A: b\rC: d\r\nContent-Length: 5\r\n"))},
      {"bare_cr_line", Errc::protocol, says(with_fields("A: b\r\n\rC: d\r\nContent-Length: 5\r\n"))},
      {"nul", Errc::protocol, says(with_fields(std::string("A: b\0c\r\nContent-Length: 5\r\n", 27)))},
      {"control_character", Errc::protocol, says(with_fields("A: b\x01\r\nContent-Length: 5\r\n"))},
      {"delete_character", Errc::protocol,
       says(with_fields("A: longer than eight \x7f bytes\r\nContent-Length: 5\r\n"))},
      {"space_before_the_colon", Errc::protocol, says(with_fields("Content-Length : 5\r\n"))},
      {"empty_name", Errc::protocol, says(with_fields(": b\r\nContent-Length: 5\r\n"))},
      {"no_colon", Errc::protocol, says(with_fields("Content-Length 5\r\n"))},
      {"two_lengths", Errc::protocol, says(with_fields("Content-Length: 5\r\nContent-Length: 4\r\n"))},
      {"list_of_lengths", Errc::protocol, says(with_fields("Content-Length: 5, 4\r\n"))},
      {"length_7x", Errc::protocol, says(with_fields("Content-Length: 5x\r\n"))},
      {"length_plus", Errc::protocol, says(with_fields("Content-Length: +5\r\n"))},
      {"length_minus", Errc::protocol, says(with_fields("Content-Length: -5\r\n"))},
      {"length_empty", Errc::protocol, says(with_fields("Content-Length:\r\n"))},
      {"length_overflow", Errc::protocol, says(with_fields("Content-Length: 18446744073709551616\r\n"))},
      {"length_hex", Errc::protocol, says(with_fields("Content-Length: 0x5\r\n"))},
      {"status_line_of_http_2", Errc::protocol, says("HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\n[1,2]"), Sent::maybe,
       1},
      {"unknown_transfer_coding", Errc::protocol, says(with_fields("Transfer-Encoding: tree\r\n")), Sent::maybe, 1},
      {"gzip_transfer_coding", Errc::protocol, says(with_fields("Transfer-Encoding: gzip, chunked\r\n")), Sent::maybe,
       1},
      {"chunked_chunked", Errc::protocol, says(with_fields("Transfer-Encoding: chunked, chunked\r\n")), Sent::maybe, 1},
      {"chunked_twice", Errc::protocol,
       says(with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")), Sent::maybe, 1},
  };
}

std::vector<Fault> faults_in_the_body() {
  const std::string cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1,2]";
  return answered({
      {"body_cut", Errc::truncated, says(cut)},
      {"body_reset", Errc::truncated, resets(cut)},
      {.name = "body_stops", .code = Errc::timeout, .script = stops(cut), .hangs = true},
      {"chunked_cut", Errc::truncated, says(chunked("5\r\n[1,"))},
      {"chunked_without_an_end", Errc::truncated, says(chunked("5\r\n[1,2]\r\n"))},
      {"chunked_cut_in_its_trailer", Errc::truncated, says(chunked("5\r\n[1,2]\r\n0\r\nA: b\r\n"))},
      {"chunk_size_zz", Errc::protocol, says(chunked("zz\r\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_size_negative", Errc::protocol, says(chunked("-5\r\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_size_0x", Errc::protocol, says(chunked("0x5\r\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_size_2_63", Errc::protocol, says(chunked("8000000000000000\r\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_size_2_68", Errc::protocol, says(chunked("100000000000000000\r\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_size_empty", Errc::protocol, says(chunked("\r\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_without_its_line_end", Errc::protocol, says(chunked("5\r\n[1,2]0\r\n\r\n"))},
      {"chunk_with_a_bare_lf", Errc::protocol, says(chunked("5\n[1,2]\r\n0\r\n\r\n"))},
      {"chunk_extension_of_1_mib", Errc::too_large, says(chunked("5;" + std::string(1 << 20, 'x') + "\r\n"))},
      {"chunk_extensions_without_end", Errc::too_large, repeats(chunked(""), "1;abcdefgh\r\nx\r\n")},
      {"trailer_of_1_mib", Errc::too_large, says(chunked("0\r\nA: " + std::string(1 << 20, 'x') + "\r\n\r\n"))},
      {"trailers_without_end", Errc::too_large, repeats(chunked("0\r\n"), repeated("A: bcdefghi\r\n", 100))},
      {.name = "length_over_the_limit",
       .code = Errc::too_large,
       .script = says("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n"),
       .differently = {{Way::stream, {Errc::truncated}}}},
      {"endless_body", Errc::too_large, repeats("HTTP/1.1 200 OK\r\n\r\n", std::string(65536, 'x'))},
      {"endless_chunks", Errc::too_large, repeats(chunked(""), "400\r\n" + std::string(1024, 'x') + "\r\n")},
      {"tiny_chunks_count_as_sent", Errc::too_large, repeats(chunked(""), repeated("1\r\nx\r\n", 1000))},
  });
}

std::vector<Fault> faults_of_json() {
  const auto json = [](std::string_view body) {
    return always(http_response(body, "Content-Type: application/json\r\n"));
  };
  const auto deep = [](std::size_t depth, std::string_view open) { return repeated(open, depth); };
  auto rows = answered({
      {"login_page", Errc::decode, always(http_response("<html>Log in</html>", "Content-Type: text/html\r\n"))},
      {"json_cut", Errc::decode, json("[{\"a\": 1}, {\"a\"")},
      {"json_cut_in_a_number", Errc::decode, json("[1, 2, -")},
      {"json_cut_in_an_escape", Errc::decode, json("[\"\\u12")},
      {"two_documents", Errc::decode, json("[1] [2]")},
      {"bytes_after_the_document", Errc::decode, json("[1]x")},
      {"comma_at_the_end", Errc::decode, json("[1, 2,]")},
      {"single_quotes", Errc::decode, json("[{'a': 1}]")},
      {"comment", Errc::decode, json("[1 /* one */]")},
      {"nan", Errc::decode, json("[NaN]")},
      {"infinity", Errc::decode, json("[-Infinity]")},
      {"number_over_the_range", Errc::decode, json("[1e400]")},
      {"leading_zero", Errc::decode, json("[01]")},
      {"plus", Errc::decode, json("[+1]")},
      {"hexadecimal", Errc::decode, json("[0x1]")},
      {"invalid_utf_8", Errc::decode, json("[\"\xff\xfe\"]")},
      {"overlong_utf_8", Errc::decode, json("[\"\xc0\xaf\"]")},
      {"surrogate_in_utf_8", Errc::decode, json("[\"\xed\xa0\x80\"]")},
      {"lone_surrogate", Errc::decode, json("[\"\\ud800\"]")},
      {"control_character_in_a_string", Errc::decode, json("[\"a\nb\"]")},
      {"nul_in_a_string", Errc::decode, json(std::string("[\"a\0b\"]", 7))},
      {"nul_after_the_document", Errc::decode, json(std::string("[1]\0", 4))},
      {"utf_16", Errc::decode, json(std::string("\xff\xfe[\0001\0]\0", 8))},
      {"depth_10_4", Errc::too_large, json(deep(10'000, "["))},
      {"depth_of_objects_10_4", Errc::too_large, json(deep(10'000, "{\"a\":"))},
      {"depth_10_6", Errc::too_large, json(deep(1'000'000, "["))},
  });
  for (auto& row : rows) {
    row.json = true;
    row.attempts = 1;
  }
  return rows;
}

std::vector<Fault> faults_of_statuses() {
  const auto limited = [](std::string_view fields) { return always(head("429 Too Many Requests", fields)); };
  const auto after = [&](std::string_view value) { return limited("Retry-After: " + std::string(value) + "\r\n"); };
  // A rejection is waited for and sent again until the next wait would be too long; how often is the row's `attempts`.
  auto rows = answered({
      {"status_503_for_ever", Errc::server_error, always(head("503 Unavailable"))},
      {"status_500_for_ever", Errc::server_error, always(head("500 Oops"))},
      {"status_408_for_ever", Errc::client_error, always(head("408 Late"))},
      {"retry_after_beyond_any_deadline", Errc::rate_limited, after("99999999"), Sent::answered, 1},
      {"retry_after_of_20_digits", Errc::rate_limited, after("99999999999999999999"), Sent::answered, 1},
      {"retry_after_2_31", Errc::rate_limited, after("2147483648"), Sent::answered, 1},
      {"retry_after_2_63_ns", Errc::rate_limited, after("9223372036"), Sent::answered, 1},
      {"retry_after_in_the_year_9999", Errc::rate_limited, after("Fri, 31 Dec 9999 23:59:59 GMT"), Sent::answered, 1},
      {"status_400", Errc::client_error, always(head("400 Bad")), Sent::answered, 1},
      {.name = "status_404",
       .code = Errc::not_found,
       .script = always(head("404 Not Found")),
       .attempts = 1,
       .differently = {{Way::finish, {Errc::expired_cursor}}}},
      {"status_409", Errc::conflict, always(head("409 Conflict")), Sent::answered, 1},
      {.name = "status_410",
       .code = Errc::client_error,
       .script = always(head("410 Gone")),
       .attempts = 1,
       .differently = {{Way::finish, {Errc::expired_cursor}}, {Way::listing, {Errc::expired_cursor}}}},
      {"status_501", Errc::server_error, always(head("501 No")), Sent::answered, 1},
      {"status_505", Errc::server_error, always(head("505 No")), Sent::answered, 1},
  });
  for (auto& row : rows) row.bodyless = true;
  return rows;
}

std::vector<Fault> faults_of_redirects() {
  const auto to = [](std::string_view location, std::string_view status = "307 Elsewhere") {
    return always(head(status, "Location: " + std::string(location) + "\r\n"));
  };
  auto rows = answered({
      {"location_missing", Errc::protocol, always(head("307 Elsewhere"))},
      {"location_empty", Errc::protocol, to("")},
      {"location_twice", Errc::protocol, always(head("307 Elsewhere", "Location: /a\r\nLocation: /b\r\n"))},
      {"location_to_another_host", Errc::refused, to("http://192.0.2.1/x")},
      {.name = "location_to_another_port",
       .code = Errc::refused,
       .script = to("http://127.0.0.1:1/x"),
       // On this machine, a download follows it.
       .differently = {{Way::download, {Errc::connect, 3}}}},
      {"location_to_a_host_without_a_scheme", Errc::refused, to("//192.0.2.1/x")},
      {"location_with_backslashes", Errc::protocol, to("\\\\192.0.2.1/x")},
      {"location_with_userinfo", Errc::protocol, to("http://127.0.0.1@192.0.2.1/x")},
      {"location_file", Errc::refused, to("file:///etc/passwd")},
      {"location_ftp", Errc::refused, to("ftp://127.0.0.1:1/x")},
      {"location_gopher", Errc::refused, to("gopher://127.0.0.1:1/x")},
      {"redirect_304_without_a_condition", Errc::not_modified, always("HTTP/1.1 304 Not Modified\r\n\r\n")},
      {"status_300", Errc::redirected, always(head("300 Choices"))},
      {"status_305", Errc::redirected, to("http://127.0.0.1:1", "305 Proxy")},
  });
  for (auto& row : rows) {
    row.attempts = 1;
    row.bodyless = true;
  }
  return rows;
}

std::vector<Fault> faults_of_reused_connections() {
  return {
      {.name = "closed_after_the_request", .code = Errc::send, .script = says(""), .reused = true},
      {.name = "reset_after_the_request", .code = Errc::send, .script = resets(""), .reused = true},
      {.name = "cut_head_on_a_reused_one", .code = Errc::truncated, .script = says(std::string(ok)), .reused = true},
      {.name = "unsolicited_response",
       .code = {},
       .script = always(http_response("[1,2]")),
       .reused = true,
       .unsolicited = http_response("another")},
      {.name = "unsolicited_bytes",
       .code = {},
       .script = always(http_response("[1,2]")),
       .reused = true,
       .unsolicited = "0\r\n\r\n"},
  };
}

}  // namespace noun_test
