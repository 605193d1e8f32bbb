// Servers that are not who they say, and connections of clients with other TLS settings.
#include <stdexcept>

#include "curl/tls_peer.hpp"
#include "curl/tls_server.hpp"
#include "replays/replay.hpp"

namespace noun_test { namespace replays {

const Certificates& certificates() {
  static const struct Made : Certificates {
    Made() {
      make("own");
      make("tunnel", "DNS:api.test,DNS:other.test");
      make("other", "DNS:other.test");
      make("wildcard", "DNS:*.0.0.1");
      make("client", "DNS:client.test");
      make("another", "DNS:another.test");
    }
  } made;
  return made;
}

namespace {

noun::Tls trusting(const std::string& name) { return {.ca_file = certificates().path(name + ".pem")}; }
noun::Tls with_client(noun::Tls tls, const std::string& name) {
  tls.client_certificate = certificates().path(name + ".pem");
  tls.client_key = certificates().path(name + ".key");
  return tls;
}

/// A server with another certificate than it should have: it receives no request.
Situation not_verified(std::string certificate, bool is_trusted, std::string host = "127.0.0.1") {
  return [=] {
    TlsServer server(certificates(), certificate);
    const noun::ClientOptions options{.tls = is_trusted ? trusting(certificate) : noun::Tls()};
    EXPECT_THAT(client_of(server.url(host), as_bearer, options).send({.path = "x"}), FailsWith(Errc::tls, Sent::no));
    EXPECT_THAT(server.stop(), Not(HasSecret()));
  };
}

/// Two clients of one identity. The second has other TLS settings, by which it gets no connection of its own.
/// @param clients  whether the server asks for their certificates.
Situation reused(noun::Tls (*first)(), noun::Tls (*second)(), bool clients = true) {
  return [=] {
    RawServer server([&](Peer& peer) {
      try {
        TlsPeer session(certificates(), "own", peer,
                        {.version = TLS1_2_VERSION, .clients = clients ? certificates().path("client.pem") : ""});
        while (!session.some().empty()) session.send(http_response("1"));
      } catch (const std::runtime_error&) {  // one side did not accept the other
      }
    });
    const auto client = [&](noun::Tls tls) {
      return client_of(server.url("", "https"), {}, {.tls = std::move(tls), .identity = "replays of sessions"});
    };
    const auto one = client(first());
    EXPECT_TRUE(one.send({.path = "x"}));
    EXPECT_THAT(client(second()).send({.path = "x"}), FailsWith(Errc::tls, Sent::no));
    EXPECT_TRUE(one.send({.path = "x"}));
    EXPECT_EQ(server.connections(), 2U);
  };
}

noun::Tls unverified() { return {.verify = false}; }
noun::Tls of_the_system() { return {}; }
noun::Tls own() { return trusting("own"); }
noun::Tls other() { return trusting("other"); }
noun::Tls client() { return with_client(own(), "client"); }
noun::Tls another_client() { return with_client(own(), "another"); }
noun::Tls unverified_client() { return with_client(unverified(), "client"); }

}  // namespace

Replays of_tls() {
  return {
      {"CVE-2014-9365", "Python did not verify certificates by default", not_verified("own", false)},
      {"CVE-2020-13482", "em-http-request did not verify the host name", not_verified("other", true, "localhost")},
      {"CVE-2016-3739", "curl with mbedTLS did not verify hosts that are addresses", not_verified("other", true)},
      {"CVE-2014-0139", "curl matched a wildcard with an address", not_verified("wildcard", true)},
      {"CVE-2024-35195", "requests never verified again", reused(unverified, of_the_system, false)},
      {"CVE-2021-22924", "curl reused a connection of other authorities", reused(own, other, false)},
      {"CVE-2016-5420", "curl reused a connection of another certificate", reused(client, another_client)},
      {"CVE-2022-27782", "curl reused a connection of other TLS settings", reused(unverified_client, other)},
      {"CVE-2026-8932", "curl reused a connection of other mTLS settings", reused(client, own)},
  };
}

}}  // namespace noun_test::replays
