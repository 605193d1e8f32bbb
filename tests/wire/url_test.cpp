// URLs: splitting, resolution (RFC 3986, section 5.4), origins.
#include "wire/url.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table.hpp"
#include "vectors.hpp"

namespace noun::wire { namespace url_test {

using namespace std::literals;

using wire_test::repeated;
using wire_test::Table;

TEST(ResolveReference, each_of_42_vectors_is_resolved_as_section_5_4_shows) {
  const auto vectors = wire_test::vectors("rfc3986_references.json");
  EXPECT_EQ(vectors.size(), 42U);
  for (const auto& vector : vectors)
    EXPECT_EQ(
        resolve_reference(vector.data.at("base").get<std::string>(), vector.data.at("reference").get<std::string>()),
        vector.data.at("expect").get<std::string>())
        << vector.id();
}

TEST(ResolveReference, dot_segments_are_removed_and_nothing_is_encoded_or_decoded) {
  struct Case {
    std::string_view base, reference, expected;
  };
  for (const auto& [base, reference, expected] :
       {Case{"https://a", "b", "https://a/b"},
        {"https://a?x", "?y", "https://a?y"},
        {"urn:a/b", "c", "urn:a/c"},
        {"urn:a", "c", "urn:c"},
        {"urn:a", "../c", "urn:c"},
        {"urn:a", "./c", "urn:c"},
        {"urn:a", "..", "urn:"},
        {"https://a/b", "https://x/./y/../z/.", "https://x/z/"},
        {"https://a/b", "//x/y/..", "https://x/"},
        {"https://a/b", "http:/.//e", "http:/.//e"},
        {"urn:/a/b", "..//c", "urn:/.//c"},
        {"https://a/b", "c%2F..%2f\xC3\xBC?q=%20+", "https://a/c%2F..%2f\xC3\xBC?q=%20+"}})
    EXPECT_EQ(resolve_reference(base, reference), expected) << base << ' ' << reference;
}

/// Scheme, authority, path, query and fragment, with `-` for an undefined part.
std::string parts(std::string_view url) {
  const auto split = split_url(url);
  const auto shown = [](bool is_there, std::string_view part) { return is_there ? part : "-"; };
  return fmt::format("{} | {} | {} | {} | {}", shown(split.has_scheme, split.scheme),
                     shown(split.has_authority, split.authority), split.path, shown(split.has_query, split.query),
                     shown(split.has_fragment, split.fragment));
}

TEST(SplitUrl, the_first_delimiter_decides_and_an_empty_part_is_not_an_undefined_one) {
  for (const auto& [url, expected] :
       Table<std::string_view>{{"https://api.example.com:8443/v1/items?page=2&q=a?b#top#x",
                                "https | api.example.com:8443 | /v1/items | page=2&q=a?b | top#x"},
                               {"x://?#", "x |  |  |  | "},
                               {"", "- | - |  | - | -"},
                               {"https://a#@b/", "https | a |  | - | @b/"},
                               {"https://a?@b/", "https | a |  | @b/ | -"},
                               {"/x?y:z//", "- | - | /x | y:z// | -"},
                               {"/x:y", "- | - | /x:y | - | -"},
                               {"a+b-c.1:x", "a+b-c.1 | - | x | - | -"},
                               {"2024-01-01T00:00", "- | - | 2024-01-01T00:00 | - | -"},
                               {":x", "- | - | :x | - | -"},
                               {"a b:c", "- | - | a b:c | - | -"},
                               {"\xC3\xBC:x", "- | - | \xC3\xBC:x | - | -"}})
    EXPECT_EQ(parts(url), expected) << url;
}

TEST(ResolveReference, a_million_dot_segments_take_linear_time) {
  EXPECT_EQ(resolve_reference("https://b/", "https://a/" + repeated("x/../y/./", 300'000)),
            "https://a/" + repeated("y/", 300'000));
  EXPECT_EQ(resolve_reference("https://a/b/c", repeated("../", 300'000)), "https://a/");
}

std::string origin_text(std::string_view url) {
  const auto origin = origin_of(url);
  return origin ? to_string(*origin) : "none";
}

TEST(WrittenOrigin, ends_with_the_authority_and_is_not_changed) {
  EXPECT_EQ(written_origin("HTTP://a.example:80/b?c#d"), "HTTP://a.example:80");
  EXPECT_EQ(written_origin("http://a.example?b=/"), "http://a.example");
  EXPECT_EQ(written_origin("http://a.example#b"), "http://a.example");
  EXPECT_EQ(written_origin("http://a.example"), "http://a.example");
  EXPECT_EQ(written_origin("http://"), "http://");
  EXPECT_EQ(written_origin("no URL"), "no URL");
}

TEST(WrittenOrigin, leads_to_no_longer_host_and_no_other_port) {
  for (const char* ending : {"", "/b", "?b", "#b"})
    EXPECT_TRUE(leads_to("http://a.example"s + ending, "http://a.example")) << ending;
  for (const char* url : {"http://a.example.org/", "http://a.example:81/", "http://b.example/", ""})
    EXPECT_FALSE(leads_to(url, "http://a.example")) << url;
  EXPECT_FALSE(leads_to("http://a.example/", ""));
}

TEST(OriginOf, scheme_host_and_port_count_in_lower_case_and_the_port_is_filled_in) {
  EXPECT_EQ(origin_of("HTTPS://API.Example.COM/V1"), (UrlOrigin{"https", "api.example.com", 443}));
  EXPECT_EQ(origin_of("http://a:8080?x"), (UrlOrigin{"http", "a", 8080}));
  EXPECT_EQ(origin_of("https://a:443#x"), origin_of("https://a"));
  EXPECT_EQ(origin_of("http://a:0080/"), (UrlOrigin{"http", "a", 80}));
  for (const auto* other : {"http://a", "https://b", "https://a:444", "https://a."})
    EXPECT_NE(origin_of("https://a"), origin_of(other)) << other;
}

TEST(OriginOf, the_text_is_normalized_and_omits_the_default_port) {
  const Table<std::vector<const char*>> origins = {
      {"https://a", {"https://a:443/", "https://a/@evil", "https://a?@evil", "https://a#@evil"}},
      {"http://a:443", {"http://a:443/"}},
      {"https://[2001:db8::1]:444", {"https://[2001:DB8::1]:444/"}},
      {"http://127.0.0.1",
       {"http://0x7f.1/", "http://127.1/", "http://2130706433/", "http://017700000001/"}},
      {"http://[::1]", {"http://[0:0:0:0:0:0:0:1]/"}}};
  for (const auto& [text, urls] : origins)
    for (const auto* url : urls) EXPECT_EQ(origin_text(url), text) << url;
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

TEST(ResolveWritten, what_no_uri_contains_is_encoded) {
  for (const auto& [reference, resolved] : Table<std::string_view>{
           {"/a b?q=c d#e f", "https://a/a%20b?q=c%20d#e%20f"},
           {"\xC3\xBC?\xE4", "https://a/b/%C3%BC?%E4"},
           {"?page[after]=1&q=\"<>^`{|}", "https://a/b/c?page[after]=1&q=%22%3C%3E%5E%60%7B%7C%7D"},
           {"?a=%20%C3%bc+%2f", "https://a/b/c?a=%20%C3%bc+%2f"},
           {"?a=100%&b=%2&c=%g0&d=%%41", "https://a/b/c?a=100%25&b=%252&c=%25g0&d=%25%41"},
           {" https://other/x y\t", "https://other/x%20y"},
           {"https://a b/c d", "https://a b/c%20d"},
           {"https://\xC3\xBC/", "https://\xC3\xBC/"},
           {"/a\n\\b\x7F", "https://a/a\n\\b\x7F"}})
    EXPECT_EQ(resolve_written("https://a/b/c", reference), resolved) << reference;
  for (const auto* refused : {"https://a b/c", "https://\xC3\xBC/", "/a\nb", "/a\\b", "/\x7F"})
    EXPECT_EQ(origin_of(resolve_written("https://a/b/c", refused)), std::nullopt) << refused;
}

TEST(OriginOf, spaces_controls_and_backslashes_are_refused_everywhere) {
  for (const auto* url : {"https://a\\@evil/", "https:\\\\evil", "https://a/\\evil", "https://a/b c", " https://a",
                          "https://a ", "https://a/\r\nX: y", "https://a\t/", "https://a/\x7F"})
    EXPECT_EQ(origin_text(url), "none") << url;
  EXPECT_EQ(origin_text("https://a\0.evil/"sv), "none");
}

TEST(OriginOf, malformed_hosts_and_ports_are_refused) {
  for (const auto* url :
       {"https://a:65536/", "https://a:0/", "https://a:+1/", "https://a:x/", "https://a:80:90/", "https://[::1",
        "https://[::1%25lo]/", "https://[zz]/", "https://a\"b/", "https://a%2Fb/", "https://\xC3\xBC.example/",
        "https://%C3%BC.example/", "https://a%zz/", "https://a%2541/", "https://a%00b/", "https://a%09b/",
        "https://a%7Fb/", "http://%31%32%37.0.0.1/", "http://127%2e1/", "https://a%62/"})
    EXPECT_EQ(origin_text(url), "none") << url;
  EXPECT_EQ(origin_text("https://" + std::string(9'000'000, 'a')), "none");
}

TEST(IsLoopback, names_and_addresses_of_this_machine_are) {
  for (const auto* url : {"http://localhost:1/", "http://LOCALHOST", "http://a.localhost/", "http://127.0.0.1",
                          "http://127.255.1.2", "http://[::1]:8080/"})
    EXPECT_TRUE(is_loopback(origin_of(url).value())) << url;
}

TEST(IsLoopback, similar_names_are_not) {
  for (const auto* url : {"http://localhost.evil.com/", "http://evillocalhost/", "http://127.0.0.1.evil.com/",
                          "http://128.0.0.1/", "http://0.0.0.0/", "http://[::2]/", "http://[::ffff:127.0.0.1]/"})
    EXPECT_FALSE(is_loopback(origin_of(url).value())) << url;
  for (const auto* host : {"127", "127.0.0", "127.0.0.256", "127.0.0.1.2", "127.0.0.", "127.0.0.0001", "127.a.0.1", ""})
    EXPECT_FALSE(is_loopback({"http", host, 80})) << host;
}

TEST(IsOfScheme, in_any_case) {
  for (const auto* url : {"https://a", "HTTPS://a", "Https:"}) EXPECT_TRUE(is_of_scheme(url, "https")) << url;
  for (const auto* url : {"http://a", "https", "httpss://a", "xhttps://a", ""})
    EXPECT_FALSE(is_of_scheme(url, "https")) << url;
}

}}  // namespace noun::wire::url_test
