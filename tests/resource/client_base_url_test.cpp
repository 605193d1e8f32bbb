// Tests of base URLs: with and without a path, and those that are refused when the client is created.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "resource/client_core.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace client_base_url_test {

using ::testing::HasSubstr;

TEST(BaseUrl, is_the_same_with_and_without_a_trailing_slash) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://api.example.com", "https://api.example.com/things/1"},
      {"https://api.example.com/", "https://api.example.com/things/1"},
      {"https://api.example.com//", "https://api.example.com/things/1"},
      {"https://api.example.com/v1", "https://api.example.com/v1/things/1"},
      {"https://api.example.com/v1/", "https://api.example.com/v1/things/1"},
      {"https://api.example.com:8443/a/b%20c/", "https://api.example.com:8443/a/b%20c/things/1"},
      {"http://127.0.0.1:80", "http://127.0.0.1:80/things/1"},
      {"http://[::1]:8080/v2", "http://[::1]:8080/v2/things/1"},
      {"HTTPS://API.example.com/V1", "HTTPS://API.example.com/V1/things/1"},
  };
  for (const auto& [base, url] : cases) {
    Bench bench;
    const auto client = bench.create(base);
    ASSERT_TRUE(client) << base << ": " << message_of(client);
    EXPECT_FALSE(client->base_url().ends_with('/'));
    static_cast<void>(client->collection("things")[1].get());
    EXPECT_EQ(bench.last().url, url);
  }
}

TEST(BaseUrl, that_is_invalid_is_refused) {
  const std::string huge = "https://" + std::string(9'000'000, 'a') + "/";
  const char* null = nullptr;
  expect_error(Bench().create(null), Errc::invalid_argument, "the base URL is empty");
  const std::pair<std::string, const char*> cases[] = {
      {"", "the base URL is empty"},
      {"api.example.com", "the base URL \"api.example.com\" is not a valid"},
      {"/v1", "not a valid"},
      {"https://", "not a valid"},
      {"https:///v1", "not a valid"},
      {"https:/api.example.com", "not a valid"},
      {"ftp://api.example.com", "not a valid"},
      {"file:///etc/passwd", "not a valid"},
      {"httpss://api.example.com", "not a valid"},
      {" https://api.example.com", "not a valid"},
      {"https://api.example.com ", "not a valid"},
      {"https://api.example.com/a b", "not a valid"},
      {"https://api.exa mple.com", "not a valid"},
      {"https://api.example.com/\r\nHost: evil", "not a valid"},
      {"https://api.example.com\\v1", "not a valid"},
      {"https://api.example.com:99999", "not a valid"},
      {"https://api.example.com:0", "not a valid"},
      {"https://api.example.com:x", "not a valid"},
      {huge, "not a valid"},
      {"https://user:s3cret@api.example.com", "has userinfo"},
      {"https://user@api.example.com", "has userinfo"},
      {"https://@api.example.com", "has userinfo"},
      {"user:s3cret@api.example.com", "has userinfo"},
      {"https://api.example.com?key=1", "has a query or a fragment"},
      {"https://api.example.com/v1?", "has a query or a fragment"},
      {"https://api.example.com/v1#top", "has a query or a fragment"},
      {"https://api.example.com#", "has a query or a fragment"},
      {"https://api.example.com/../v1", "has a dot segment"},
      {"https://api.example.com/v1/.", "has a dot segment"},
      {"https://api.example.com/./v1", "has a dot segment"},
      {"https://api.example.com/v1/..", "has a dot segment"},
      {"https://api.example.com/%2e%2e/v1", "has a dot segment"},
      {"https://api.example.com/v1/%2E", "has a dot segment"},
      {"https://api.example.com/.%2e", "has a dot segment"},
      {"https://api.example.com/v%zz", "invalid percent-encoding"},
      {"https://api.example.com/v%2", "invalid percent-encoding"},
      {"https://api.example.com/l\u00e4nder", "percent-encoded"},
  };
  for (const auto& [base, because] : cases) {
    SCOPED_TRACE(base.substr(0, 80));
    const auto client = Bench().create(base);
    expect_error(client, Errc::invalid_argument, because);
    EXPECT_LT(message_of(client).size(), 400U);
  }
}

TEST(Client, throws_the_error_that_create_returns) {
  Bench bench;
  try {
    const noun::Client client{"ftp://api.example.com", bench.filled()};
    FAIL() << "a client was created";
  } catch (const noun::Exception& exception) {
    EXPECT_EQ(exception.error().code(), Errc::invalid_argument);
    EXPECT_EQ(exception.error().message(), exception.what());
    EXPECT_THAT(exception.what(), HasSubstr("not a valid http or https URL"));
  }
}

TEST(Client, is_created_without_a_transport_option) {
  const noun::Client client{"https://api.example.com"};
  EXPECT_EQ(client.base_url(), "https://api.example.com");
  EXPECT_EQ(client.quota_snapshot().sent, 0U);
  EXPECT_EQ(client.observer_faults(), 0U);
}

/// The transport of a client with these options.
std::shared_ptr<noun::Transport> transport_of(noun::ClientOptions options) {
  return noun::detail::ClientCore::create("https://api.example.com", std::move(options))
      .value()
      ->driver_context.transport;
}

TEST(Client, of_the_same_identity_shares_connections) {
  const auto mine = transport_of({.identity = "me"});
  EXPECT_EQ(transport_of({.identity = "me"}), mine);
  EXPECT_NE(transport_of({.identity = "you"}), mine);
  EXPECT_NE(transport_of({.proxy = "http://127.0.0.1:3128", .identity = "me"}), mine);
  EXPECT_NE(transport_of({.tls = {.verify = false}, .identity = "me"}), mine);
  const auto anonymous = transport_of({});
  EXPECT_NE(transport_of({}), anonymous);
}

TEST(Client, with_an_invalid_proxy_or_file_is_refused) {
  const auto code_with = [](const noun::ClientOptions& options) {
    return code_of(noun::Client::create("https://api.example.com", options));
  };
  EXPECT_EQ(code_with({.proxy = "not a proxy"}), Errc::invalid_argument);
  EXPECT_EQ(code_with({.tls = {.ca_file = "/no/such/file.pem"}}), Errc::tls);
  EXPECT_EQ(code_with({.tls = {.ca_file = "/no/such/file.pem"}, .identity = "me"}), Errc::tls);
}

TEST(Client, with_a_transport_has_no_option_that_only_its_own_one_uses) {
  const std::pair<noun::ClientOptions, const char*> cases[] = {
      {{.proxy = "http://127.0.0.1:3128"}, "proxy"},
      {{.tls = {.verify = false}}, "tls"},
      {{.tls = {.ca_file = "/no/such/file.pem"}}, "tls"},
      {{.unix_socket = "/a"}, "unix_socket"},
  };
  for (const auto& [options, name] : cases) {
    const auto refused = Bench().create("https://api.example.com", options);
    expect_error(refused, Errc::invalid_argument, std::string("transport ignores ClientOptions::") + name);
    expect_error(refused, Errc::invalid_argument, std::string("set TransportOptions::") + name);
  }
  EXPECT_TRUE(Bench().create("https://api.example.com", {.tls = {.verify = true}, .proxy = ""}));
}

TEST(TrustedOrigin, that_is_not_an_origin_is_refused) {
  const std::pair<const char*, const char*> cases[] = {
      {nullptr, "is not a scheme"},
      {"", "is not a scheme, a host and optionally a port"},
      {"mirror.example.com", "is not a scheme"},
      {"https://mirror.example.com/v1", "is not a scheme"},
      {"https://mirror.example.com?a", "is not a scheme"},
      {"https://mirror.example.com#a", "is not a scheme"},
      {"https://user@mirror.example.com", "is not a scheme"},
      {"ftp://mirror.example.com", "is not a scheme"},
      {"http://mirror.example.com", "is http, but the base URL is https"},
  };
  for (const auto& [origin, because] : cases) {
    SCOPED_TRACE(origin == nullptr ? "null" : origin);
    expect_error(Bench().create("https://api.example.com", {.trusted_origins = {origin}}), Errc::invalid_argument,
                 because);
  }
  EXPECT_TRUE(Bench().create("https://api.example.com",
                             {.trusted_origins = {"https://a.example.com", "https://b.example.com/"}}));
  EXPECT_TRUE(Bench().create("http://localhost:1", {.trusted_origins = {"http://localhost:2"}}));
}

}  // namespace client_base_url_test
}  // namespace resource_test
