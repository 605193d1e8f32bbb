// The proxy of the environment as a client's option.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "resource/scripted_client.hpp"

namespace resource_test { namespace proxy_environment_test {

constexpr const char* variables[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                     "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};

struct ProxyEnvironment : ::testing::Test {
  ProxyEnvironment() { clear(); }
  ~ProxyEnvironment() override { clear(); }
  static void clear() {
    for (const auto* name : variables) unset(name);
  }
#ifdef _WIN32
  static void set(const char* name, const char* value) { ::_putenv_s(name, value); }
  static void unset(const char* name) { ::_putenv_s(name, ""); }
#else
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
  static void unset(const char* name) { ::unsetenv(name); }
#endif
  /// Whether a client of `url` would use the proxy: one that is not http is refused.
  static bool uses_proxy(const char* url) {
    const auto client = noun::Client::create(url, {.proxy = noun::proxy_from_environment()});
    if (!client) {
      EXPECT_EQ(message_of(client).find("the proxy is not an http URL"), 0U) << message_of(client);
    }
    return !client;
  }
};

TEST_F(ProxyEnvironment, that_is_empty_has_no_proxy) {
  EXPECT_EQ(noun::proxy_from_environment(), "");
  set("no_proxy", "example.com");
  set("https_proxy", "");
  EXPECT_EQ(noun::proxy_from_environment(), "");
}

TEST_F(ProxyEnvironment, is_read_by_scheme_and_host) {
  set("https_proxy", "socks5://secure:1");
  EXPECT_TRUE(uses_proxy("https://example.com"));
  EXPECT_FALSE(uses_proxy("http://example.com"));
  set("NO_PROXY", "example.com");
  EXPECT_FALSE(uses_proxy("https://api.example.com"));
  EXPECT_TRUE(uses_proxy("https://example.org"));
  set("no_proxy", "example.org");
  EXPECT_TRUE(uses_proxy("https://example.com")) << "lower case comes first";
}

TEST_F(ProxyEnvironment, has_one_for_all_and_not_that_of_a_cgi_server) {
  set("HTTP_PROXY", "socks5://from-a-request:1");
  EXPECT_FALSE(uses_proxy("http://example.com"));
  set("ALL_PROXY", "socks5://all:1");
  EXPECT_TRUE(uses_proxy("http://example.com"));
  EXPECT_TRUE(uses_proxy("https://example.com"));
  set("HTTPS_PROXY", "http://secure:1");
  EXPECT_FALSE(uses_proxy("https://example.com")) << "an http proxy is not refused";
}

}  // namespace proxy_environment_test
}  // namespace resource_test
