// Violations of the protocol that noun accepts.

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/decompressor.hpp"
#include "curl/raw_responses.hpp"
#include "encoders.hpp"

namespace noun_test { namespace curl_tolerance_test {

struct SoundServer {
  std::string name;
  std::string bytes;
  std::string body;
};

void PrintTo(const SoundServer& server, std::ostream* out) { *out << server.name; }

class Tolerated : public ::testing::TestWithParam<SoundServer> {};

std::vector<SoundServer> tolerated() {
  const auto zip = compressed("hello");
  std::vector<SoundServer> all{
      {"no_reason_phrase", "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello"},
      {"http_1_0", "HTTP/1.0 200 OK\r\n\r\nhello", "hello"},
      {"until_the_end", "HTTP/1.1 200 OK\r\n\r\nhello", "hello"},
      {"bare_lf", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"},
      {"fold", with_fields("A: b\r\n c\r\nContent-Length: 5\r\n"), "hello"},
      {"equal_lengths", with_fields("Content-Length: 5\r\nContent-Length: 5\r\n"), "hello"},
      {"interim_1000", repeated("HTTP/1.1 100 Continue\r\n\r\n", 1000) + http_response("hello"), "hello"},
      {"early_hints", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + http_response("hello"), "hello"},
      {"chunked_and_length",
       with_fields("").substr(0, 17) + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
       "hello"},
      {"chunked_extension", chunked("5;a=\"b\"\r\nhello\r\n0;c\r\n\r\n"), "hello"},
      {"chunked_trailer", chunked("5\r\nhello\r\n0\r\nContent-Length: 3\r\nA: b\r\n\r\n"), "hello"},
      {"chunked_folded_name",
       with_fields("").substr(0, 17) + "Transfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"chunked_in_capitals",
       with_fields("").substr(0, 17) + "transfer-encoding: CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"gzip", zipped(zip), "hello"},
      {"x_gzip", zipped(zip, "x-gzip"), "hello"},
      {"gzip_and_identity", zipped(zip, "identity, gzip"), "hello"},
      {"deflate", zipped(compressed("hello", MAX_WBITS), "deflate"), "hello"},
      {"raw_deflate", zipped(compressed("hello", -MAX_WBITS), "deflate"), "hello"},
      {"identity", zipped("hello", "identity"), "hello"},
      {"empty_coding", zipped("hello", ""), "hello"},
      {"gzip_of_nothing", zipped("", "gzip"), ""},
      {"status_205_with_a_body", http_response("hello", "", "205 Reset"), "hello"},
  };
  if (noun::has_brotli()) {
    all.push_back({"br", zipped(brotli("hello"), "br"), "hello"});
    all.push_back({"br_in_capitals", zipped(brotli("hello"), "BR"), "hello"});
    all.push_back({"br_of_nothing", zipped("", "br"), ""});
  }
  if (noun::has_zstd()) {
    all.push_back({"zstd", zipped(zstd("hello"), "zstd"), "hello"});
    all.push_back({"zstd_in_two_frames", zipped(zstd("hel") + zstd("lo"), "identity, zstd"), "hello"});
    all.push_back({"zstd_of_nothing", zipped("", "zstd"), ""});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Servers, Tolerated, ::testing::ValuesIn(tolerated()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Tolerated, are_read) {
  RawServer server(says(GetParam().bytes));
  const auto result = Caller{}.get(server.url());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->body, GetParam().body);
}

TEST(CurlTolerance, a_folded_value_is_one_value) {
  RawServer server(says(with_fields("A: b\r\n\tX-Injected: c \r\nContent-Length: 5\r\n")));
  const auto result = Caller{}.get(server.url());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->headers.get("A"), "b X-Injected: c");
  EXPECT_FALSE(result->headers.contains("X-Injected"));
}

TEST(CurlTolerance, trailers_are_apart_from_the_header_fields) {
  RawServer server(says(chunked("5\r\nhello\r\n0\r\nETag: \"1\"\r\nno field\r\nContent-Length: 3\r\nX-A:  b \r\n\r\n")));
  const auto result = Caller{}.get(server.url());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_FALSE(result->headers.contains("ETag"));
  EXPECT_EQ(result->trailers, (noun::Headers{{"ETag", "\"1\""}, {"Content-Length", "3"}, {"X-A", "b"}}));
  EXPECT_EQ(result->etag(), "\"1\"");
}

TEST(CurlTolerance, trailers_count_as_header_fields) {
  std::string fields;
  for (int i = 0; i < 600; ++i) fields += "A: b\r\n";
  RawServer server(says(chunked("0\r\n" + fields + "\r\n")));
  const auto result = Caller{}.get(server.url());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), noun::Errc::too_large);
}

TEST(CurlTolerance, decoded_content_has_no_content_encoding) {
  RawServer server(always(zipped(compressed("hello"))));
  const auto result = Caller{}.get(server.url());
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->headers.empty());
}

}  // namespace curl_tolerance_test
}  // namespace noun_test
