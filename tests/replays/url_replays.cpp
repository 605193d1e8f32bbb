// URLs that lead to another host, or another file, than the program thinks.
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

std::string authority_of(const RawServer& server) { return server.url("").substr("http://"sv.size()); }

/// A path from a user, where {} is the authority of another server: it does not leave the base URL.
Situation path_of_a_user(std::string path) {
  return [=] {
    RawServer own(always(http_response("own")));
    RawServer other(always(http_response("other")));
    const auto api = client_of(own.url("/v1"), in_header("X-API-KEY"));
    const auto written = fmt::format(fmt::runtime(path), authority_of(other));
    EXPECT_THAT(api.send({.path = written}), FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_THAT(downloaded(api, written), FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_THAT(streamed(api, written), FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_EQ(own.connections() + other.connections(), 0U);
  };
}

/// A segment from a user: one segment, whatever it has.
void segment_of_a_user() {
  RawServer own(always(http_response("1")));
  const auto users = client_of(own.url("/v1")).collection("users");
  EXPECT_TRUE(users["../admin"].get());
  EXPECT_THAT(users[".."].remove(), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(own.requests(), ElementsAre(StartsWith("GET /v1/users/..%2Fadmin HTTP/1.1\r\n")));
}

/// A target from a server, where {0} is its own authority and {1} that of another one, which receives nothing.
Situation target_of_a_server(std::string target) {
  return [=] {
    RawServer other(always(http_response("other")));
    RawServer own([&](Peer& peer) {
      const auto led = fmt::format(fmt::runtime(target), authority_of(own), authority_of(other));
      while (const auto request = peer.request())
        peer.send(path_of(*request) != "/things" ? redirect_to(led)
                                                 : http_response("[1]", "Link: <" + led + ">; rel=\"next\"\r\n"));
    });
    const auto api = client_of(own.url(), in_header("Authorization", "Bearer "));
    std::size_t attempts = 1;  // of the first page
    for (const auto& error : {failure(api.send({.path = "x"})), failure(downloaded(api)), listed(api)}) {
      ASSERT_TRUE(error);
      attempts += static_cast<std::size_t>(error->attempts());
      EXPECT_THAT(error->code(), AnyOf(Errc::refused, Errc::protocol, Errc::redirected)) << *error;
      EXPECT_THAT(error->message(), Not(HasSecret()));
    }
    EXPECT_EQ(other.connections(), 0U);
    EXPECT_THAT(own.requests(), SizeIs(attempts)) << "no other was made";
  };
}

/// A base URL with userinfo, which is refused. {} is the authority of a server.
Situation base_url(std::string url) {
  return [=] {
    RawServer server(always(http_response("ok")));
    const auto client = noun::Client::create(fmt::format(fmt::runtime(url), authority_of(server)));
    ASSERT_THAT(client, FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_THAT(client.error().message(), Not(HasSecret()));
    EXPECT_EQ(server.connections(), 0U);
  };
}

}  // namespace

Replays of_urls() {
  return {
      {"CVE-2024-39338", "axios took a path that begins with // for a host", path_of_a_user("//{}/steal")},
      {"CVE-2026-25765", "faraday let a path that begins with // replace the host", path_of_a_user("//{}/v1/x?y=z")},
      {"CVE-2025-27152", "axios sent its key to an absolute URL", path_of_a_user("http://{}/")},
      {"CVE-2025-68696", "httparty sent its key to an absolute URL", path_of_a_user("http://{}/v1/things?key=1")},
      {"CVE-2026-33182", "Saloon sent its headers to an absolute URL", path_of_a_user("HTTP://{}/callback")},
      {"CVE-2018-1000850", "Retrofit let an argument of a path leave its segment", segment_of_a_user},
      {"CVE-2022-27780", "curl decoded %2F in a host, and saw another host", target_of_a_server("http://{1}%2F{0}/")},
      {"CVE-2016-8624", "curl connected to the host after #@", target_of_a_server("http://{0}#@{1}/x.txt")},
      {"CVE-2017-14063", "async-http-client connected to the host after #?@", target_of_a_server("http://{0}#?@{1}/")},
      {"CVE-2020-13956", "Apache HttpClient picked a wrong host", target_of_a_server("http://a@{1}@{0}/")},
      {"CVE-2023-45289", "Go took an IPv6 zone for a subdomain", target_of_a_server("http://[::1%25.{0}]/")},
      {"CVE-2022-33987", "got followed a redirect to a Unix socket", target_of_a_server("http://unix:/run/x.sock:/y")},
      {"CVE-2009-0037", "curl followed redirects to files", target_of_a_server("file:///etc/passwd")},
      {"CVE-2019-9948", "Python's urllib read files by local_file:", target_of_a_server("local_file:///etc/passwd")},
      {"CVE-2025-58754", "axios decoded data: URLs of any size", target_of_a_server("data:;base64,WzFd")},
      {"CVE-2020-8169", "curl looked up the rest of a password as a host",
       base_url("http://user:a@" + secret.text + "@{}")},
      {"CVE-2026-8926", "curl used the netrc password of another user", base_url("http://" + secret.text + "@{}")},
  };
}

}}  // namespace noun_test::replays
