// Tests of Signature Version 4: the cases of AWS's suite, and what of a request is signed.
#include "wire/sigv4.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "wire/ascii.hpp"
#include "wire/digest.hpp"
#include "wire/vectors.hpp"

namespace noun::wire { namespace sigv4_test {

using wire_test::Vector;

constexpr Sigv4Key key{.access_key = "AKIDEXAMPLE",
                       .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                       .region = "us-east-1",
                       .service = "service"};
constexpr auto* date = "20150830T123600Z";

class Sigv4Suite : public ::testing::TestWithParam<Vector> {};

/// tests/data/sigv4.json has the requests and signatures of the v4 test suite of aws-c-auth.
TEST_P(Sigv4Suite, has_the_signature) {
  const auto& data = GetParam().data;
  const auto url = "https://example.amazonaws.com" + data.at("target").get<std::string>();
  const auto method = data.at("method").get<std::string>();
  Headers headers{{"X-Amz-Date", date}};
  for (const auto& field : data.value("headers", wire_test::json::array()))
    headers.add(field.at(0).get<std::string>(), field.at(1).get<std::string>());
  const auto hash = hexadecimal(sha256(data.value("body", "")));
  const Sigv4Request request{.method = method,
                             .url = url,
                             .headers = headers,
                             .payload_hash = hash,
                             .path = data.value("of_key", false) ? Sigv4Path::of_key : Sigv4Path::normalized};
  EXPECT_EQ(sigv4_authorization(request, key, date),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" +
                data.at("signed").get<std::string>() + ", Signature=" + data.at("signature").get<std::string>())
      << sigv4_canonical_request(request);
}

INSTANTIATE_TEST_SUITE_P(Aws, Sigv4Suite, ::testing::ValuesIn(wire_test::vectors("sigv4.json")), wire_test::id_of);

std::string canonical(std::string_view url, Sigv4Path path = Sigv4Path::normalized, const Headers& headers = {}) {
  return sigv4_canonical_request(
      {.method = "GET", .url = url, .headers = headers, .payload_hash = "hash", .path = path});
}

std::string without_fields(std::string_view path, std::string_view query) {
  return "GET\n" + std::string(path) + "\n" + std::string(query) + "\nhost:h\n\nhost\nhash";
}

TEST(Sigv4, encodes_a_path_once_more_than_it_is_sent) {
  EXPECT_EQ(canonical("https://h/a%20b/c:d"), without_fields("/a%2520b/c%3Ad", ""));
  EXPECT_EQ(canonical("https://h"), without_fields("/", ""));
  EXPECT_EQ(canonical("https://h/a//b/"), without_fields("/a/b/", ""));
}

TEST(Sigv4, of_s3_has_the_path_encoded_once_with_its_slashes) {
  EXPECT_EQ(canonical("https://h/a%20b//c:d/", Sigv4Path::of_key), without_fields("/a%20b//c%3Ad/", ""));
  EXPECT_EQ(canonical("https://h/bucket/2026%2Fa.jpg", Sigv4Path::of_key), without_fields("/bucket/2026/a.jpg", ""));
  EXPECT_EQ(canonical("https://h/50%", Sigv4Path::of_key), without_fields("/50%25", ""));
  EXPECT_EQ(canonical("https://h/50%+%41%", Sigv4Path::of_key), without_fields("/50%25%2BA%25", ""));
  EXPECT_EQ(canonical("https://h", Sigv4Path::of_key), without_fields("/", ""));
}

TEST(Sigv4, sorts_parameters_by_name_and_value_after_encoding) {
  EXPECT_EQ(canonical("https://h/?b=1&a-b=2&a=z&a=%7e&c&a=%c3%a4&=v&&"),
            without_fields("/", "=v&a=%C3%A4&a=z&a=~&a-b=2&b=1&c="));
  EXPECT_EQ(canonical("https://h/?q=a+b%20c*&r=50%"), without_fields("/", "q=a%2Bb%20c%2A&r=50%25"));
  EXPECT_EQ(canonical("https://h/?q=50%+%41&%4%42=1"), without_fields("/", "%254B=1&q=50%25%2BA"));
}

TEST(Sigv4, signs_the_host_as_it_is_sent) {
  const auto line = [](std::string_view url) {
    const auto text = canonical(url);
    return text.substr(text.find("host:"), text.find("\n\n", text.find("host:")) - text.find("host:"));
  };
  EXPECT_EQ(line("https://API.example.com:443/"), "host:API.example.com");
  EXPECT_EQ(line("https://127.1:443/"), "host:127.0.0.1");
  EXPECT_EQ(line("https://[::A]/"), "host:[::a]");
  EXPECT_EQ(line("http://localhost:9000/"), "host:localhost:9000");
  EXPECT_EQ(line("https://[::1]:8443/"), "host:[::1]:8443");
}

TEST(Sigv4, does_not_sign_fields_that_change_on_their_way) {
  const Headers headers{{"User-Agent", "noun/1"}, {"Authorization", "x"},  {"Accept", "a,  b "},
                        {"TraceParent", "00-1"},  {"Connection", "close"}, {"accept", "c"}};
  EXPECT_EQ(canonical("https://h/", Sigv4Path::normalized, headers),
            "GET\n/\n\naccept:a, b,c\nhost:h\n\naccept;host\nhash");
}

TEST(Sigv4, has_the_date_of_its_seconds) {
  using namespace std::chrono_literals;
  EXPECT_EQ(sigv4_date(std::chrono::sys_days(2015y / 8 / 30) + 12h + 36min), date);
}

}}  // namespace noun::wire::sigv4_test
