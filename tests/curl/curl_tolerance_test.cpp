// What the transport makes of violations of the protocol that noun accepts; tests/faults has the others.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "curl/caller.hpp"
#include "curl/decompressor.hpp"
#include "curl/raw_responses.hpp"

namespace noun_test { namespace curl_tolerance_test {

TEST(CurlTolerance, an_empty_body_may_be_coded_and_a_205_may_have_a_body) {
  std::vector<std::pair<std::string, std::string>> all{{zipped("", "gzip"), ""},
                                                       {http_response("hello", "", "205 Reset"), "hello"}};
  if (noun::has_brotli()) all.emplace_back(zipped("", "br"), "");
  if (noun::has_zstd()) all.emplace_back(zipped("", "zstd"), "");
  for (const auto& [bytes, body] : all) {
    RawServer server(says(bytes));
    const auto result = Caller{}.get(server.url());
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->body, body);
  }
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
