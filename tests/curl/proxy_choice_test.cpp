// Which proxy the variables of an environment name for an origin.
#include "curl/proxy_choice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace noun_test { namespace proxy_choice_test {

using noun::proxy_for;
using noun::proxy_setting;

std::string proxy_of(const std::string& url, const noun::ProxyVariables& variables) {
  return proxy_for(proxy_setting(variables), noun::wire::origin_of(url).value());
}

TEST(ProxyChoice, is_by_scheme) {
  const noun::ProxyVariables both{.http = "http://a:1", .https = "http://user:p=w@b:2"};
  EXPECT_EQ(proxy_of("http://example.com", both), "http://a:1");
  EXPECT_EQ(proxy_of("https://example.com/v1", both), "http://user:p=w@b:2");
  EXPECT_EQ(proxy_of("https://example.com", {.http = "http://a:1"}), "");
  EXPECT_EQ(proxy_of("https://example.com", {.https = "b:2"}), "http://b:2") << "curl's default";
  EXPECT_EQ(proxy_setting({.none = "*"}), "");
}

TEST(ProxyChoice, leaves_a_url_as_it_is) {
  EXPECT_EQ(proxy_for("http://a:1", noun::wire::origin_of("https://x").value()), "http://a:1");
  EXPECT_EQ(proxy_for("a:1", noun::wire::origin_of("https://x").value()), "a:1");
  EXPECT_EQ(proxy_for("", noun::wire::origin_of("https://x").value()), "");
}

TEST(ProxyChoice, decides_whether_a_request_is_readable) {
  const auto readable = [](const char* url, std::string_view setting) {
    return noun::is_readable(noun::wire::origin_of(url).value(), setting);
  };
  EXPECT_FALSE(readable("http://localhost", ""));
  EXPECT_TRUE(readable("http://localhost", "http://a:1"));
  EXPECT_TRUE(readable("http://example.com", ""));
  EXPECT_FALSE(readable("https://example.com", ""));
  EXPECT_FALSE(readable("https://localhost", "http://a:1"));
  const auto setting = proxy_setting({.http = "http://a:1", .none = "127.0.0.0/8"});
  EXPECT_FALSE(readable("http://127.1", setting));
  EXPECT_TRUE(readable("http://[::1]", setting));
  EXPECT_FALSE(readable("http://localhost", proxy_setting({.https = "http://a:1"})));
}

TEST(ProxyChoice, leaves_out_domains_and_addresses) {
  struct Case {
    std::string url;
    std::string none;
    bool direct;
  };
  const Case cases[] = {
      {"https://example.com", "example.com", true},
      {"https://API.Example.com:8443/v1", "other.org, EXAMPLE.com", true},
      {"https://api.example.com", ".example.com", true},
      {"https://example.com", ".example.com", true},
      {"https://api.example.com.", "example.com.", true},
      {"https://notexample.com", "example.com", false},
      {"https://example.com.evil.org", "example.com", false},
      {"https://example.com", ",, ,", false},
      {"https://example.com", "a.org b.org example.com", true},
      {"https://example.com", "*", true},
      {"https://example.com", "*.com", false},
      {"http://127.0.0.1:80", "127.0.0.1", true},
      {"http://10.1.2.3", "10.0.0.0/8", true},
      {"http://11.1.2.3", "10.0.0.0/8", false},
      {"http://192.168.3.255", "192.168.2.0/23", true},
      {"http://192.168.4.0", "192.168.2.0/23", false},
      {"http://10.1.2.3", "10.1.2.3/33", false},
      {"http://10.1.2.3", "0.0.0.0/0", true},
      {"http://10.1.2.3", "::/0", false},
      {"http://110.1.2.3", "10.1.2.3", false},
      {"http://[::1]:8080", "::1", true},
      {"http://[2001:db8::7]", "2001:db8::/32", true},
      {"http://[2001:db9::7]", "[2001:db8::]/32", false},
  };
  for (const auto& [url, none, direct] : cases)
    EXPECT_EQ(proxy_of(url, {.http = "http://a:1", .https = "http://a:1", .none = none}), direct ? "" : "http://a:1")
        << url << " " << none;
}

}}  // namespace noun_test::proxy_choice_test
