// Redirects that take secrets, or the body, to somebody else.
#include <cstdlib>
#include <mutex>

#include <sys/socket.h>

#include "curl/tls_peer.hpp"
#include "os/in_child.hpp"
#include "os/temporary_folder.hpp"
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

/// A redirect to the port of another server. A call does not go there; a download does, without the secret.
Situation elsewhere(Put put, std::string host, std::string status = "302 Found") {
  return [=] {
    RawServer other(always(http_response("other")));
    RawServer own(always(redirect_to(fmt::format("http://{}:{}/", host, other.port()), status)));
    const auto api = client_of(own.url(), put);
    EXPECT_THAT(api.send({.path = "x"}), FailsWith(Errc::refused, Sent::answered));
    EXPECT_EQ(other.connections(), 0U);
    EXPECT_TRUE(downloaded(api));
    EXPECT_THAT(own.requests(), AllOf(SizeIs(2), Each(HasSecret())));
    EXPECT_THAT(other.requests(), AllOf(SizeIs(1), Each(Not(HasSecret()))));
  };
}
Situation to_host(Put put, std::string status = "302 Found") { return elsewhere(put, "localhost", status); }
Situation to_port(Put put, std::string status = "302 Found") { return elsewhere(put, "127.0.0.1", status); }

Situation both(Situation one, Situation two) {
  return [=] { one(), two(); };
}

/// The other server redirects again: to itself, then back.
void and_back() {
  std::string back;
  RawServer other([&](Peer& peer) {
    while (const auto request = peer.request()) peer.send(redirect_to(path_of(*request) == "/1" ? "/2" : back));
  });
  RawServer own([&](Peer& peer) {
    while (const auto request = peer.request())
      peer.send(path_of(*request) == "/x" ? redirect_to(other.url("/1")) : http_response("back"));
  });
  back = own.url("/y");
  EXPECT_TRUE(downloaded(client_of(own.url(), as_bearer)));
  EXPECT_THAT(other.requests(), AllOf(SizeIs(2), Each(Not(HasSecret()))));
  EXPECT_THAT(own.requests(), ElementsAre(HasSecret(), Not(HasSecret()))) << "the other server chose the second URL";
}

/// A redirect from https to plain http at the same host and port.
Situation downgrade(Put put) {
  return [=] {
    std::mutex mutex;
    std::vector<std::string> encrypted;
    RawServer own([&](Peer& peer) {
      char first = 0;
      constexpr char handshake = '\x16';
      ::recv(peer.descriptor(), &first, 1, MSG_PEEK);
      if (first != handshake) return (void)peer.request();
      TlsPeer session(certificates(), "own", peer);
      for (auto request = session.some(); !request.empty(); request = session.some()) {
        const std::lock_guard lock(mutex);
        encrypted.push_back(request);
        session.send(redirect_to(own.url("/y")));
      }
    });
    const auto api = client_of(own.url("/", "https"), put, {.tls = {.ca_file = certificates().path("own.pem")}});
    EXPECT_THAT(api.send({.path = "x"}), FailsWith(Errc::refused, Sent::answered));
    EXPECT_THAT(downloaded(api), FailsWith(Errc::refused, Sent::answered));
    const std::lock_guard lock(mutex);
    EXPECT_THAT(encrypted, AllOf(SizeIs(2), Each(HasSecret())));
    EXPECT_THAT(own.requests(), IsEmpty()) << "in the clear";
  };
}

/// A redirect to schemes that libcurl knows beside HTTP.
void to_other_protocols() {
  RawServer other([](Peer& peer) { peer.some(); });
  for (const auto* scheme : {"imap", "pop3", "smtp", "ldap"}) {
    RawServer own(always(redirect_to(other.url("/", scheme))));
    const auto api = client_of(own.url(), as_bearer);
    EXPECT_THAT(api.send({.path = "x"}), FailsWith(Errc::refused, Sent::answered)) << scheme;
    EXPECT_THAT(downloaded(api), FailsWith(Errc::refused, Sent::answered)) << scheme;
  }
  EXPECT_EQ(other.connections(), 0U);
}

/// A redirect of a request with a body: only a QUERY may become a GET, and the GET has no body.
void with_a_body() {
  for (const auto* status : {"301 Moved", "302 Found", "303 See Other"})
    for (const auto method : {Method::post, Method::put, Method::patch, Method::query}) {
      RawServer own([&](Peer& peer) {
        while (const auto request = peer.request())
          peer.send(request->find(" /x ") == std::string::npos ? http_response("y") : redirect_to("/y", status));
      });
      const noun::Request request{method, "x", {}, {{"Content-Type", "text/plain"}}, secret.text};
      EXPECT_EQ(client_of(own.url()).send(request).has_value(), method == Method::query) << status;
      EXPECT_THAT(own.requests(), Each(AnyOf(Not(StartsWith("GET ")), Not(AnyOf(HasSecret(), HasSubstr("Content-"))))));
    }
}

/// A ~/.netrc with the secret as {}, and a redirect to `target`, where {} is the authority of another server.
Situation netrc(std::string entries, std::string target = "http://{}/y", Put put = {}) {
  return [=] {
    RawServer other(always(http_response("other")));
    RawServer own(always(redirect_to(fmt::format(fmt::runtime(target), fmt::format("localhost:{}", other.port())))));
    const TemporaryFolder home;
    home.write(".netrc", fmt::format(fmt::runtime(entries), secret.text));
    EXPECT_EQ(in_child([&] {
                ::setenv("HOME", home.path("").c_str(), 1);
                const auto api = client_of(own.url(), put);
                (void)downloaded(api);
                return api.send({.path = "x"}) ? 1 : 0;
              }),
              0);
    ASSERT_THAT(own.requests(), SizeIs(2));
    for (const auto& request : own.requests())
      EXPECT_EQ(request.find("Authorization") != std::string::npos, put != nullptr) << request;
    EXPECT_THAT(other.requests(), Each(AllOf(Not(HasSecret()), Not(HasSubstr("Authorization")))));
  };
}

}  // namespace

Replays of_redirects() {
  const auto key = in_header("X-API-Key");
  const auto cookie = in_header("Cookie", "sid=");
  const auto authorization = in_header("Authorization", "Bearer ");
  return {
      {"CVE-2018-1000007", "curl sent a custom Authorization header to another host", to_host(authorization)},
      {"CVE-2022-27774", "curl sent credentials to another port", to_port(as_password)},
      {"CVE-2022-27776", "curl sent Authorization and Cookie to a port", both(to_port(authorization), to_port(cookie))},
      {"CVE-2025-14524", "curl passed a bearer token on to IMAP, LDAP, POP3 and SMTP", to_other_protocols},
      {"CVE-2018-18074", "requests sent Authorization after a redirect from https to http", downgrade(as_password)},
      {"CVE-2018-20060", "urllib3 kept Authorization for another origin", to_host(as_bearer, "301 Moved")},
      {"CVE-2018-25091", "urllib3 kept authorization in lower case", to_host(in_header("authorization", "Bearer "))},
      {"CVE-2023-43804", "urllib3 kept Cookie for another origin", to_host(cookie, "303 See Other")},
      {"CVE-2023-45803", "urllib3 kept the body when the method became GET", with_a_body},
      {"CVE-2024-45336", "Go restored removed headers at the second redirect", and_back},
      {"CVE-2022-31042", "guzzle kept Cookie from https to http", downgrade(cookie)},
      {"CVE-2022-31043", "guzzle kept Authorization from https to http", downgrade(as_bearer)},
      {"CVE-2022-31090", "guzzle kept the password of its curl handler", to_host(as_password, "307 Temporary")},
      {"CVE-2022-31091", "guzzle took another port for the same origin", to_port(as_bearer, "308 Permanent")},
      {"CVE-2022-21712", "twisted sent cookies and Authorization on", both(to_host(cookie), to_host(as_bearer))},
      {"CVE-2022-0155", "follow-redirects sent cookies to another host", to_host(in_header("cookie"), "301 Moved")},
      {"CVE-2022-0536", "follow-redirects kept Authorization from https to http", downgrade(authorization)},
      {"CVE-2022-0235", "node-fetch sent secure headers to another host",
       both(to_host(authorization, "307 Temporary"), to_host(in_header("WWW-Authenticate")))},
      {"CVE-2023-45143", "undici kept Cookie for another origin", to_host(cookie, "308 Permanent")},
      {"CVE-2024-30260", "undici kept Authorization for another origin", to_host(authorization, "308 Permanent")},
      {"CVE-2021-31879", "wget kept Authorization for another origin", to_port(authorization, "301 Moved")},
      {"CVE-2025-46421", "libsoup sent Authorization to another host", to_host(in_header("Authorization", "Digest "))},
      {"CVE-2026-33745", "cpp-httplib sent basic and bearer credentials to another host",
       both(to_host(as_password, "301 Moved"), to_host(as_bearer, "308 Permanent"))},
      {"CVE-2026-40895", "follow-redirects sent X-API-Key on", both(to_host(key), to_port(key, "308 Permanent"))},
      {"CVE-2026-54171", "excon kept other sensitive headers", to_host(in_header("X-Vendor-Session"), "307 Temporary")},
      {"CVE-2014-1829", "requests sent the password of a netrc entry to another server",
       netrc("machine 127.0.0.1 login user password {}\n")},
      {"CVE-2024-47081", "requests took the host of a netrc entry from the userinfo of a URL",
       netrc("machine 127.0.0.1 login user password {}\n", "http://127.0.0.1:@{}/y")},
      {"CVE-2024-11053", "curl sent the first host's password to a host whose netrc entry has none",
       netrc("machine 127.0.0.1 login user password {}\nmachine localhost login user\n")},
      {"CVE-2025-0167", "curl sent the first host's password on, because of an empty default netrc entry",
       netrc("machine 127.0.0.1 login user password {}\ndefault\n")},
      {"CVE-2026-3783", "curl passed a bearer token on to a host with a netrc entry",
       netrc("machine localhost login user password {}\n", "http://{}/y", as_bearer)},
  };
}

}}  // namespace noun_test::replays
