// Recordings as values: what noun writes, and what browsers and proxies export. tests/data/har has their peculiarities.
#include "testing/har.hpp"

#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_paths.hpp"

namespace testing_test { namespace har_test {

using namespace std::chrono_literals;
using namespace noun;
using noun::testing::har_end;
using noun::testing::har_entry;
using noun::testing::har_start;
using noun::testing::HarExchange;
using noun::testing::HarPiece;
using noun::testing::moved;
using noun::testing::parse_har;
using noun::testing::read_har;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto noon = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 1 / 20)) + 12h;

std::vector<HarExchange> exchanges_of(const std::string& name) {
  auto read = read_har(noun_test::data_dir + ("/har/" + name));
  EXPECT_TRUE(read) << read.error().message();
  return read ? *std::move(read) : std::vector<HarExchange>{};
}

std::string file_of(const std::string& entries) { return std::string(har_start) + entries + std::string(har_end); }

std::string error_of(const std::string& text) {
  const auto read = parse_har(text, "a.har");
  if (read) return "it is read";
  EXPECT_EQ(read.error().code(), Errc::decode);
  return read.error().what();
}

/// An entry with what is required, as JSON that a test can change.
nlohmann::json entry() {
  return {
      {"startedDateTime", "2026-01-20T12:00:00Z"},
      {"time", 5},
      {"request", {{"method", "GET"}, {"url", "https://api.example.com/tasks"}, {"headers", nlohmann::json::array()}}},
      {"response", {{"status", 200}, {"headers", nlohmann::json::array()}, {"content", {{"text", "[]"}}}}}};
}

TEST(Har, what_is_written_is_read_again) {
  HarExchange exchange{.started = noon + 1234567ns, .latency = 250ms + 1ns};
  exchange.request = {.method = Method::post,
                      .url = "https://api.example.com/tasks?page=1",
                      .headers = {{"Content-Type", "application/octet-stream"}},
                      .body = std::string("\xFF\0\x01", 3),
                      .has_body = true};
  exchange.response = {.status = 200, .headers = {{"ETag", "\"1\""}}, .trailers = {{"Checksum", "7"}}};
  exchange.pieces = {{"data: \xC3", 1s}, {"\xA9\n\n", 1500ms}};
  ErrorDetails details{.code = Errc::truncated,
                       .what = "the connection was lost",
                       .advice = "try again",
                       .sent = Sent::answered,
                       .retryable = Retryable::once};
  exchange.failure = Error(details);

  const auto read = parse_har(file_of(har_entry(exchange)), "a.har");

  ASSERT_TRUE(read) << read.error().message();
  ASSERT_THAT(*read, SizeIs(1));
  const auto& again = read->front();
  EXPECT_EQ(again.started, exchange.started);
  EXPECT_EQ(again.latency, exchange.latency);
  EXPECT_EQ(again.request.method, Method::post);
  EXPECT_EQ(again.request.url, exchange.request.url);
  EXPECT_EQ(again.request.headers, exchange.request.headers);
  EXPECT_EQ(again.request.body, exchange.request.body);
  EXPECT_EQ(again.response, exchange.response);
  ASSERT_THAT(again.pieces, SizeIs(2));
  EXPECT_EQ(again.pieces[0].bytes, "data: \xC3");
  EXPECT_EQ(again.pieces[1].after, 1500ms);
  EXPECT_EQ(again.failure, exchange.failure);
}

TEST(Har, what_har_does_not_have_starts_with_an_underscore) {
  HarExchange exchange{.started = noon};
  exchange.request = {.method = Method::post, .url = "https://api.example.com/", .body = "\xFF", .has_body = true};
  exchange.response.status = 204;
  const auto data = nlohmann::json::parse(har_entry(exchange)).at("/request/postData"_json_pointer);
  EXPECT_EQ(data.value("_encoding", ""), "base64");
  EXPECT_FALSE(data.contains("encoding"));
}

TEST(Har, content_that_was_exported_as_it_was_sent_is_decoded) {
  auto coded = entry();
  coded["response"]["headers"] = {{{"name", "Content-Encoding"}, {"value", "gzip"}}};
  // printf '[1]' | gzip -9n | base64
  coded["response"]["content"] = {{"text", "H4sIAAAAAAAC/4s2jAUAuDIvTAMAAAA="}, {"encoding", "base64"}};
  EXPECT_EQ(parse_har(file_of(coded.dump()), "a.har")->front().response.body, "[1]");
  coded["response"]["content"]["text"] = "H4sI/w==";
  EXPECT_EQ(parse_har(file_of(coded.dump()), "a.har")->front().response.body, "\x1f\x8b\x08\xff") << "it is not gzip";
}

TEST(Har, an_empty_body_is_not_none) {
  HarExchange exchange{.started = noon};
  exchange.request = {.method = Method::post, .url = "https://api.example.com/", .has_body = true};
  exchange.response.status = 204;
  EXPECT_TRUE(parse_har(file_of(har_entry(exchange)), "a.har")->front().request.has_body);
  exchange.request.has_body = false;
  EXPECT_FALSE(parse_har(file_of(har_entry(exchange)), "a.har")->front().request.has_body);
}

TEST(Har, exports_of_firefox_are_read) {
  const auto read = exchanges_of("firefox.har");
  ASSERT_THAT(read, SizeIs(3)) << "the preflight is left out";
  const auto& created = read[0];
  EXPECT_EQ(created.entry, 1u);
  EXPECT_EQ(created.started, noon + 150ms);
  EXPECT_EQ(created.latency, 120ms);
  EXPECT_EQ(created.request.body, R"({"article": "tea", "count": 2.0 })");
  EXPECT_EQ(created.response.body, R"({"id":7,"article":"tea"})");
  EXPECT_THAT(created.response.headers.values("Set-Cookie"), SizeIs(2));
  EXPECT_FALSE(created.lacks_body);
  const auto& invoice = read[1];
  EXPECT_TRUE(invoice.lacks_body);
  EXPECT_EQ(invoice.latency, 90ms) << "the time of TLS is in that of the connection";
  const auto& login = read[2];
  EXPECT_EQ(login.request.body, "user=ada&note=a%20b%26c");
  ASSERT_TRUE(login.failure);
  EXPECT_EQ(login.failure->code(), Errc::send);
  EXPECT_EQ(login.failure->sent(), Sent::maybe);
}

TEST(Har, exports_of_chromium_are_read) {
  const auto read = exchanges_of("chromium.har");
  ASSERT_THAT(read, SizeIs(4)) << "WebSockets and data are left out";
  EXPECT_THAT(read[0].request.headers, SizeIs(2)) << "pseudo-headers are left out";
  EXPECT_EQ(read[0].latency, 45500us);
  EXPECT_FALSE(read[0].failure);
  EXPECT_EQ(read[1].request.url, "https://api.example.com/tasks?per_page=2&page=2") << "without the fragment";
  EXPECT_EQ(read[2].response.status, 301);
  EXPECT_EQ(read[2].response.headers.get("Location"), "https://api.example.com/tasks/1");
  EXPECT_FALSE(read[2].lacks_body);
  ASSERT_TRUE(read[3].failure);
  EXPECT_EQ(read[3].failure->code(), Errc::resolve);
  EXPECT_EQ(read[3].failure->sent(), Sent::no);
}

TEST(Har, exports_of_a_proxy_are_read_in_the_order_of_their_start) {
  const auto read = exchanges_of("proxy.har");
  ASSERT_THAT(read, SizeIs(2)) << "CONNECT is left out";
  EXPECT_EQ(read[0].entry, 1u);
  EXPECT_EQ(read[0].latency, 40ms) << "-1 is unknown";
  EXPECT_EQ(read[1].started, noon + 5s + 400us);
  EXPECT_EQ(read[1].failure->what(), "Server disconnected");
  EXPECT_TRUE(read[1].request.has_body);
}

TEST(Har, an_error_names_the_file_the_entry_and_the_member) {
  auto broken = entry();
  broken["request"]["url"] = 7;
  EXPECT_EQ(error_of(file_of(entry().dump() + "," + broken.dump())),
            "the recording \"a.har\" cannot be read: log.entries[1].request.url: string expected, number found");
  broken = entry();
  broken.erase("response");
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("log.entries[0]: the member response is missing"));
  broken = entry();
  broken["startedDateTime"] = "yesterday";
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("log.entries[0].startedDateTime: it is no date"));
  broken["startedDateTime"] = "1969-12-31T23:59:59Z";
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("from 1970 to 2199"));
  broken = entry();
  broken["response"]["content"]["encoding"] = "quoted-printable";
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("response.content.encoding: only base64"));
  broken["response"]["content"] = {{"encoding", "base64"}, {"text", "a?"}};
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("response.content.text: it is not base64"));
  broken = entry();
  broken["response"]["headers"].push_back(nlohmann::json::array());
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("response.headers[0]: object expected, array found"));
  broken = entry();
  broken["response"]["_errorCode"] = "bad_luck";
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("_errorCode: 'bad_luck' is not known"));
  broken = entry();
  broken["response"]["content"]["_pieces"] = {{{"size", 3}, {"after", 0}}};
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("_pieces[0]: it is longer"));
  broken["response"]["content"]["_pieces"] = {{{"size", 1}, {"after", 0}}};
  EXPECT_THAT(error_of(file_of(broken.dump())), HasSubstr("_pieces: they are shorter"));
}

TEST(Har, pieces_take_no_longer_than_the_whole) {
  auto long_ago = entry();
  long_ago["time"] = 1e300;
  long_ago["response"]["content"]["_pieces"] = {{{"size", 1}, {"after", 1e300}}, {{"size", 1}, {"after", 1e300}}};
  const auto read = parse_har(file_of(long_ago.dump()), "a.har");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->front().latency, 0s);
  EXPECT_GT(read->front().pieces[0].after, 24h * 365);
  EXPECT_EQ(read->front().pieces[1].after, 0s);
}

TEST(Har, an_entry_with_a_status_that_noun_never_has_is_left_out) {
  for (const double status : {999., 103., 99., -1., 200.5}) {
    auto foreign = entry();
    foreign["response"]["status"] = status;
    const auto read = parse_har(file_of(foreign.dump() + "," + entry().dump()), "a.har");
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_THAT(*read, SizeIs(1)) << status;
    EXPECT_EQ(read->front().entry, 1U);
  }
}

TEST(Har, text_that_is_no_recording_is_an_error) {
  EXPECT_THAT(error_of("{}"), HasSubstr("\"a.har\" cannot be read: the member log is missing"));
  EXPECT_THAT(error_of("[]"), HasSubstr("object expected, array found"));
  EXPECT_THAT(error_of(file_of(entry().dump()).substr(0, 200)), HasSubstr("\"a.har\" cannot be read: "));
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("deeper than 128 levels"));
  const auto missing = read_har("no such folder/a.har");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Errc::invalid_argument);
  EXPECT_THAT(missing.error().what(), HasSubstr("\"no such folder/a.har\" cannot be opened"));
  EXPECT_EQ(read_har(noun_test::data_dir).error().code(), Errc::invalid_argument) << "a folder";
}

TEST(Har, a_recording_moves_to_another_origin) {
  HarExchange exchange{.started = noon};
  exchange.request = {.url = "https://api.example.com/tasks",
                      .body = R"({"callback": "https:\/\/api.example.com\/done"})"};
  exchange.response = {
      .status = 200,
      .headers = {{"Link", "<https://api.example.com/tasks?page=2>; rel=next"}},
      .body = R"(["https://api.example.com/1","https://api.example.com:8443/1","https://api.example.community"])"};
  exchange.response.trailers = {{"Link", "<https://api.example.com/>"}};
  const auto there = moved({exchange}, {{"https://api.example.com", "http://127.0.0.1:8080"}}).front();
  EXPECT_EQ(there.response.trailers.get("Link"), "<http://127.0.0.1:8080/>");
  EXPECT_EQ(there.request.url, "http://127.0.0.1:8080/tasks");
  EXPECT_EQ(there.request.body, R"({"callback": "http:\/\/127.0.0.1:8080\/done"})");
  EXPECT_EQ(there.response.headers.get("Link"), "<http://127.0.0.1:8080/tasks?page=2>; rel=next");
  EXPECT_EQ(there.response.body,
            R"(["http://127.0.0.1:8080/1","https://api.example.com:8443/1","https://api.example.community"])");
}

TEST(Har, origins_move_all_at_once) {
  HarExchange exchange{.started = noon};
  exchange.request.url = "http://a:1/x?to=http://a:2&from=http://a:1";
  const auto there = moved({exchange}, {{"http://a:1", "http://a:2"}, {"http://a:2", "http://a:1"}}).front();
  EXPECT_EQ(there.request.url, "http://a:2/x?to=http://a:1&from=http://a:2");
}

TEST(Har, an_origin_in_a_query_moves) {
  HarExchange exchange{.started = noon};
  const auto there = [&](std::string url) {
    exchange.request.url = std::move(url);
    return moved({exchange}, {{"https://api.example.com", "http://[::1]:8080"}}).front().request.url;
  };
  EXPECT_EQ(there("https://h/?back=https%3A%2F%2Fapi.example.com%2Fx"),
            "https://h/?back=http%3A%2F%2F%5B%3A%3A1%5D%3A8080%2Fx");
  EXPECT_EQ(there("https://h/?back=https%3a%2f%2fapi.example.com"),
            "https://h/?back=http%3a%2f%2f%5b%3a%3a1%5d%3a8080");
  for (const std::string other : {"https://h/?back=https%3A%2F%2Fapi.example.com%3A8443%2Fx",
                                  "https://h/?back=https%3a%2f%2fapi.example.com%3a8443"})
    EXPECT_EQ(there(other), other);
}

TEST(Har, an_origin_moves_that_is_in_two_pieces) {
  const auto there = [](std::vector<HarPiece> pieces) {
    HarExchange exchange{.started = noon};
    exchange.pieces = std::move(pieces);
    return moved({exchange}, {{"https://api.example.com", "http://127.0.0.1:8080"}}).front().pieces;
  };
  const auto apart = there({{"a https://api.example.com/1", 1s}, {" b https://api.example.com/2", 2s}});
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_EQ(apart[1].bytes, " b http://127.0.0.1:8080/2");
  EXPECT_EQ(apart[1].after, 2s);
  const auto across = there({{"a https://api.exam", 1s}, {"ple.com/1", 2s}});
  ASSERT_EQ(across.size(), 1U);
  EXPECT_EQ(across[0].bytes, "a http://127.0.0.1:8080/1");
  EXPECT_EQ(across[0].after, 3s);
  const auto other = there({{"https://api.example.com", 1s}, {":8443/", 2s}});
  ASSERT_EQ(other.size(), 2U);
  EXPECT_EQ(other[0].bytes + other[1].bytes, "https://api.example.com:8443/");
}

TEST(Har, pieces_have_the_changed_bytes_however_they_are_split) {
  std::mt19937 random(1);
  const auto draw = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  const auto change = [](std::string text) {
    for (std::size_t at = 0; (at = text.find("abc", at)) != std::string::npos;) text.replace(at, 3, "*");
    // What a piece has alone may not be what it has among others.
    return text.find('[') < text.find(']') ? text.replace(text.find('['), 1, "<<") : text;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<HarPiece> pieces(draw(40));
    std::string all;
    for (auto& [bytes, after] : pieces) {
      for (auto size = draw(4); size > 0; --size) bytes += "aabbcc[]"[draw(7)];
      all += bytes;
      after = 1s;
    }
    const auto count = pieces.size();
    noun::testing::change_pieces(pieces, change);
    std::string changed;
    auto span = Duration::zero();
    for (const auto& [bytes, after] : pieces) changed += bytes, span += after;
    ASSERT_EQ(changed, change(all));
    ASSERT_EQ(span, 1s * count);
  }
}

TEST(Har, only_pieces_that_a_change_spans_become_one) {
  std::vector<HarPiece> pieces;
  const auto add = [&](const std::string& bytes) { pieces.push_back({bytes, 1s}); };
  for (int event = 0; event < 1000; ++event) add("data: https://a/\n\n");
  for (const auto* part : {"data: htt", "ps:", "//a/\n\n", "data: 1\n\n", "data: https", "://a/\n\n"}) add(part);
  for (int event = 0; event < 1000; ++event) add("data: https://a/\n\n");
  for (const auto* part : {"data: https:/", "/a/\n\n", "data: 2\n\n"}) add(part);
  std::size_t all = 0;
  for (const auto& piece : pieces) all += piece.bytes.size();
  std::size_t changed = 0;
  noun::testing::change_pieces(pieces, [&](std::string text) {
    changed += text.size();
    for (std::size_t at = 0; (at = text.find("https://a/", at)) != std::string::npos;) text.replace(at, 10, "***");
    return text;
  });
  ASSERT_EQ(pieces.size(), 2005U);
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    EXPECT_EQ(pieces[at].bytes, at == 1001 ? "data: 1\n\n" : at == 2004 ? "data: 2\n\n" : "data: ***\n\n") << at;
    EXPECT_EQ(pieces[at].after, at == 1000 ? 3s : at == 1002 || at == 2003 ? 2s : 1s) << at;
  }
  EXPECT_LE(changed, 10 * all);
}

}}  // namespace testing_test::har_test
