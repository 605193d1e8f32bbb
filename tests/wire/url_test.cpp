// URLs: parts, resolution (RFC 3986, section 5.4), origins.
#include "wire/url.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace noun::wire {
namespace url_test {

using namespace std::literals;

using wire_test::Vector;

class Rfc3986Reference : public testing::TestWithParam<Vector> {};

TEST_P(Rfc3986Reference, is_resolved_as_the_section_shows) {
  const auto& data = GetParam().data;
  EXPECT_EQ(resolve_reference(data.at("base").get<std::string>(), data.at("reference").get<std::string>()),
            data.at("expect").get<std::string>());
}

INSTANTIATE_TEST_SUITE_P(section_5_4, Rfc3986Reference,
                         testing::ValuesIn(wire_test::vectors("rfc3986_references.json")), wire_test::id_of);

TEST(Rfc3986References, all_42_are_there) { EXPECT_EQ(wire_test::vectors("rfc3986_references.json").size(), 42U); }

TEST(SplitUrl, a_full_url_has_all_parts) {
  const auto parts = split_url("https://api.example.com:8443/v1/items?page=2&q=a?b#top#x");
  EXPECT_EQ(parts.scheme, "https");
  EXPECT_EQ(parts.authority, "api.example.com:8443");
  EXPECT_EQ(parts.path, "/v1/items");
  EXPECT_EQ(parts.query, "page=2&q=a?b");
  EXPECT_EQ(parts.fragment, "top#x");
  EXPECT_TRUE(parts.has_scheme && parts.has_authority && parts.has_query && parts.has_fragment);
}

TEST(SplitUrl, an_empty_part_is_not_an_undefined_one) {
  const auto empty = split_url("x://?#");
  EXPECT_TRUE(empty.has_scheme && empty.has_authority && empty.has_query && empty.has_fragment);
  EXPECT_EQ(empty.authority, "");
  const auto none = split_url("");
  EXPECT_FALSE(none.has_scheme || none.has_authority || none.has_query || none.has_fragment);
}

TEST(SplitUrl, the_first_delimiter_decides) {
  EXPECT_EQ(split_url("https://a#@b/").authority, "a");
  EXPECT_EQ(split_url("https://a?@b/").authority, "a");
  EXPECT_EQ(split_url("/x?y:z//").path, "/x");
  EXPECT_FALSE(split_url("/x:y").has_scheme);
}

TEST(SplitUrl, what_cannot_be_a_scheme_is_a_path) {
  for (const auto* text : {"2024-01-01T00:00", ":x", "a b:c", "\xC3\xBC:x"}) {
    EXPECT_FALSE(split_url(text).has_scheme) << text;
    EXPECT_EQ(split_url(text).path, text);
  }
  EXPECT_EQ(split_url("a+b-c.1:x").scheme, "a+b-c.1");
}

TEST(ResolveReference, a_base_without_path_gets_one) {
  EXPECT_EQ(resolve_reference("https://a", "b"), "https://a/b");
  EXPECT_EQ(resolve_reference("https://a?x", "?y"), "https://a?y");
}

TEST(ResolveReference, a_base_without_authority_merges_by_its_path_alone) {
  EXPECT_EQ(resolve_reference("urn:a/b", "c"), "urn:a/c");
  EXPECT_EQ(resolve_reference("urn:a", "c"), "urn:c");
  EXPECT_EQ(resolve_reference("urn:a", "../c"), "urn:c");
  EXPECT_EQ(resolve_reference("urn:a", "./c"), "urn:c");
  EXPECT_EQ(resolve_reference("urn:a", ".."), "urn:");
}

TEST(ResolveReference, nothing_is_encoded_or_decoded) {
  EXPECT_EQ(resolve_reference("https://a/b", "c%2F..%2f\xC3\xBC?q=%20+"), "https://a/c%2F..%2f\xC3\xBC?q=%20+");
}

TEST(ResolveReference, dot_segments_of_an_absolute_reference_are_removed_too) {
  EXPECT_EQ(resolve_reference("https://a/b", "https://x/./y/../z/."), "https://x/z/");
  EXPECT_EQ(resolve_reference("https://a/b", "//x/y/.."), "https://x/");
}

TEST(ResolveReference, a_million_dot_segments_take_linear_time) {
  std::string deep = "https://a/";
  for (int i = 0; i < 300'000; ++i) deep += "x/../y/./";
  const auto resolved = resolve_reference("https://b/", deep);
  EXPECT_EQ(resolved.size(), std::string("https://a/").size() + 600'000);
  std::string up;
  for (int i = 0; i < 300'000; ++i) up += "../";
  EXPECT_EQ(resolve_reference("https://a/b/c", up), "https://a/");
}

std::string origin_text(std::string_view url) {
  const auto origin = origin_of(url);
  return origin ? to_string(*origin) : "none";
}

TEST(OriginOf, scheme_and_host_are_lower_case_and_the_port_is_filled_in) {
  EXPECT_EQ(origin_of("HTTPS://API.Example.COM/V1"), (UrlOrigin{"https", "api.example.com", 443}));
  EXPECT_EQ(origin_of("http://a:8080?x"), (UrlOrigin{"http", "a", 8080}));
  EXPECT_EQ(origin_of("https://a:443#x"), origin_of("https://a"));
  EXPECT_EQ(origin_of("http://a:0080/"), (UrlOrigin{"http", "a", 80}));
}

TEST(OriginOf, scheme_host_and_port_all_count) {
  EXPECT_NE(origin_of("https://a"), origin_of("http://a"));
  EXPECT_NE(origin_of("https://a"), origin_of("https://b"));
  EXPECT_NE(origin_of("https://a"), origin_of("https://a:444"));
  EXPECT_NE(origin_of("https://a"), origin_of("https://a."));
}

TEST(OriginOf, its_text_leaves_the_default_port_out) {
  EXPECT_EQ(origin_text("https://a:443/"), "https://a");
  EXPECT_EQ(origin_text("http://a:443/"), "http://a:443");
  EXPECT_EQ(origin_text("https://[2001:DB8::1]:444/"), "https://[2001:db8::1]:444");
}

TEST(OriginOf, every_spelling_of_an_address_is_the_one_that_is_connected_to) {
  for (const auto* url :
       {"http://0x7f.1/", "http://127.1/", "http://2130706433/", "http://017700000001/", "http://%31%32%37.0.0.1/"})
    EXPECT_EQ(origin_text(url), "http://127.0.0.1") << url;
  EXPECT_EQ(origin_text("http://[0:0:0:0:0:0:0:1]/"), "http://[::1]");
}

TEST(OriginOf, only_http_and_https_have_one) {
  for (const auto* url :
       {"ftp://a/", "file:///etc/passwd", "gopher://a", "scp://a/", "ws://a", "javascript:x", "a", "//a", "/a", "",
        "https", "https:", "https:a", "https:/a", "https://", "https:///a", "https://?a"})
    EXPECT_EQ(origin_text(url), "none") << url;
}

TEST(OriginOf, userinfo_is_refused) {
  for (const auto* url : {"https://api@evil/", "https://@evil/", "https://a:b@evil", "https://api.example.com%40evil/",
                          "https://a@b@evil/"})
    EXPECT_EQ(origin_text(url), "none") << url;
}

TEST(OriginOf, an_at_sign_behind_the_authority_is_harmless) {
  EXPECT_EQ(origin_text("https://a/@evil"), "https://a");
  EXPECT_EQ(origin_text("https://a?@evil"), "https://a");
  EXPECT_EQ(origin_text("https://a#@evil"), "https://a");
}

TEST(OriginOf, spaces_controls_and_backslashes_are_refused_wherever_they_are) {
  for (const auto* url : {"https://a\\@evil/", "https:\\\\evil", "https://a/\\evil", "https://a/b c", " https://a",
                          "https://a ", "https://a/\r\nX: y", "https://a\t/", "https://a/\x7F"})
    EXPECT_EQ(origin_text(url), "none") << url;
  EXPECT_EQ(origin_text("https://a\0.evil/"sv), "none");
}

TEST(OriginOf, malformed_hosts_and_ports_are_refused) {
  for (const auto* url :
       {"https://a:65536/", "https://a:0/", "https://a:+1/", "https://a:x/", "https://a:80:90/", "https://[::1",
        "https://[::1%25lo]/", "https://[zz]/", "https://a\"b/", "https://a%2Fb/", "https://\xC3\xBC.example/",
        "https://%C3%BC.example/", "https://a%zz/", "https://a%2541/", "https://a%00b/", "https://a%09b/"})
    EXPECT_EQ(origin_text(url), "none") << url;
  EXPECT_EQ(origin_text("https://" + std::string(9'000'000, 'a')), "none");
}

TEST(IsLoopback, names_and_addresses_of_this_machine_are) {
  for (const auto* url : {"http://localhost:1/", "http://LOCALHOST", "http://a.localhost/", "http://127.0.0.1",
                          "http://127.255.1.2", "http://[::1]:8080/"})
    EXPECT_TRUE(is_loopback(origin_of(url).value())) << url;
}

TEST(IsLoopback, what_only_looks_like_it_is_not) {
  for (const auto* url : {"http://localhost.evil.com/", "http://evillocalhost/", "http://127.0.0.1.evil.com/",
                          "http://128.0.0.1/", "http://0.0.0.0/", "http://[::2]/", "http://[::ffff:127.0.0.1]/"})
    EXPECT_FALSE(is_loopback(origin_of(url).value())) << url;
  for (const auto* host : {"127", "127.0.0", "127.0.0.256", "127.0.0.1.2", "127.0.0.", "127.0.0.0001", "127.a.0.1", ""})
    EXPECT_FALSE(is_loopback({"http", host, 80})) << host;
}

}  // namespace url_test
}  // namespace noun::wire
