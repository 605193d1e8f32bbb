// Secrets of the proxy that reach a server, secrets of the server that reach the proxy, and proxies of another kind.
#include <map>
#include <mutex>

#include "curl/tls_peer.hpp"
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

constexpr const char* at_proxy = "proxy";

/// A proxy that is also every server behind it. Each host but other.test redirects to https://other.test.
class Internet {
 public:
  /// Options with it as their proxy.
  noun::ClientOptions options(const std::string& user, std::string identity = "") const {
    return {.tls = {.ca_file = certificates().path("tunnel.pem")},
            .proxy = fmt::format("http://{}127.0.0.1:{}", user, server_.port()),
            .identity = std::move(identity)};
  }
  /// The requests for each host, and `at_proxy`.
  std::map<std::string, std::vector<std::string>> received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  void serve(Peer& peer) {
    while (const auto head = peer.request()) {
      keep(at_proxy, *head);
      if (!head->starts_with("CONNECT ")) {
        peer.send(redirect_to("https://other.test/y"));
        continue;
      }
      const auto host = head->substr(8, head->find(':') - 8);
      peer.send("HTTP/1.1 200 OK\r\n\r\n");
      TlsPeer session(certificates(), "tunnel", peer);
      for (auto request = session.some(); !request.empty(); request = session.some()) {
        keep(host, request);
        session.send(host == "other.test" ? http_response("other") : redirect_to("https://other.test/y"));
      }
      return;
    }
  }
  void keep(const std::string& host, const std::string& request) {
    const std::lock_guard lock(mutex_);
    received_[host].push_back(request);
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> received_;
  RawServer server_{[this](Peer& peer) { serve(peer); }};  // last, because its threads use the other members
};

/// The password of the proxy, and a download that is redirected.
Situation password_of_the_proxy(std::string base_url) {
  return [=] {
    Internet internet;
    EXPECT_TRUE(downloaded(client_of(base_url, {}, internet.options("user:" + secret.text + "@"))));
    const auto received = internet.received();
    for (const auto& [host, requests] : received)
      if (host != at_proxy) EXPECT_THAT(requests, Each(Not(AnyOf(HasSecret(), HasSubstr("Authorization"))))) << host;
    EXPECT_THAT(received.at(at_proxy), Each(HasSecret()));
    EXPECT_THAT(received.at("other.test"), SizeIs(1));
  };
}

/// A secret for the server behind a tunnel, and a redirect to another one: neither that nor the proxy receives it.
Situation secret_of_the_server(Put put) {
  return [=] {
    Internet internet;
    EXPECT_TRUE(downloaded(client_of("https://api.test", put, internet.options("user:word@"))));
    const auto received = internet.received();
    EXPECT_THAT(received.at("api.test"), ElementsAre(HasSecret()));
    EXPECT_THAT(received.at("other.test"), ElementsAre(Not(HasSecret())));
    EXPECT_THAT(received.at(at_proxy), Each(Not(HasSecret())));
  };
}

/// Two clients of one identity, of which the second has other credentials for the proxy, or none.
Situation second_user(std::string user) {
  return [=] {
    Internet internet;
    const std::string first = "user:" + secret.text + "@";
    const auto one = client_of("https://other.test", {}, internet.options(first, "replays of proxies"));
    const auto two = client_of("https://other.test", {}, internet.options(user, "replays of proxies"));
    for (const auto* api : {&one, &two, &one}) EXPECT_TRUE(api->send({.path = "x"}));
    EXPECT_THAT(internet.received().at(at_proxy),
                ElementsAre(HasSecret(), AllOf(Not(HasSecret()), ContainsRegex(user.empty() ? "^CONNECT" : "Basic "))));
  };
}

/// There are no proxies with TLS: the client is refused, and none is spoken to in the clear.
void with_tls() {
  RawServer proxy(always(http_response("proxy")));
  EXPECT_THAT(noun::Client::create("https://api.test", {.proxy = proxy.url("", "https")}),
              FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_EQ(proxy.connections(), 0U);
}

/// noun sets this field, for the proxy that it knows. No program can, nor a function of one.
void field_of_the_program() {
  RawServer server(always(http_response("ok")));
  const noun::Headers field{{"proxy-authorization", secret.text}};
  const auto by_function = [&](const noun::CredentialsRequest&) { return noun::Result<noun::Headers>(field); };
  EXPECT_THAT(noun::Client::create(server.url(), {.headers = field}), FailsWith(Errc::invalid_argument, Sent::no));
  const auto by_call = client_of(server.url()).send({.path = "x", .headers = field});
  EXPECT_THAT(by_call, FailsWith(Errc::invalid_argument, Sent::no));
  const auto asked = client_of(server.url(), {}, {.credentials = by_function}).send({.path = "x"});
  EXPECT_THAT(asked, FailsWith(Errc::credentials, Sent::no));
  EXPECT_EQ(server.connections(), 0U);
}

}  // namespace

Replays of_proxies() {
  return {
      {"CVE-2003-1605", "curl sent the proxy's password to the server behind the tunnel",
       password_of_the_proxy("https://api.test")},
      {"CVE-2023-32681", "requests sent Proxy-Authorization to the https server that http was redirected to",
       password_of_the_proxy("http://plain.test")},
      {"CVE-2015-3153", "curl sent headers for the server to the proxy", secret_of_the_server(in_header("X-Acme"))},
      {"GHSA-qccp-gfcp-xxvc", "urllib3 kept sensitive headers for other origins behind a proxy",
       secret_of_the_server(in_header("Authorization", "Bearer "))},
      {"CVE-2026-3784", "curl used a tunnel again for other credentials of the proxy", second_user("other:word@")},
      {"CVE-2026-9079", "curl kept the password of a proxy when it was cleared", second_user("")},
      {"CVE-2021-28363", "urllib3 did not verify the host name of an https proxy", with_tls},
      {"CVE-2026-55568", "guzzle spoke to an https proxy in the clear", with_tls},
      {"CVE-2014-1830", "requests sent Proxy-Authorization to the server of a redirect", field_of_the_program},
      {"CVE-2024-37891", "urllib3 kept a Proxy-Authorization of the program", field_of_the_program},
      {"CVE-2024-28849", "follow-redirects kept a Proxy-Authorization of the program", field_of_the_program},
      {"CVE-2025-4673", "Go kept a Proxy-Authorization of the program", field_of_the_program},
  };
}

}}  // namespace noun_test::replays
