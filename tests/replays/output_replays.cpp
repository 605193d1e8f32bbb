// Secrets in what a program shows, and in the Referer of a request.
#include <algorithm>

#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

void expect_no_leak(const canary::Witness& witness) {
  std::vector<canary::Row> rows;
  canary::search("a client", secret, witness.surfaces, rows);
  EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
  EXPECT_THAT(rows, SizeIs(Ge(8)));
}

/// What a client shows of calls that are retried, redirected and refused.
Situation shown(Put put) {
  return [=] {
    int requests = 0;
    RawServer server([&](Peer& peer) {
      while (const auto request = peer.request()) switch (++requests % 3) {
          case 1: peer.send(http_response("", "Retry-After: 0\r\n", "503 Busy")); break;
          case 2: peer.send(redirect_to("/y")); break;
          default: peer.send(http_response(*request, "Content-Type: text/plain\r\n", "403 Forbidden"));
        }
    });
    canary::Witness witness;
    noun::ClientOptions options{.observer = witness.observer()};
    put(options);
    const noun::Client api{server.url(), options};
    witness.see(api.singleton("x").get());
    witness.see(downloaded(api));
    expect_no_leak(witness);
    EXPECT_THAT(server.requests().at(0), HasSecret());
  };
}

/// A URL with a password is refused, by an error without it; what a URL may have, is not shown.
Situation in_url(std::string parameter) {
  return [=] {
    canary::Witness witness;
    witness.see(noun::Client::create("http://user:" + secret.text + "@127.0.0.1:1/"));
    expect_no_leak(witness);
    shown([&](noun::ClientOptions& options) { options.query.add(parameter, secret.text); })();
  };
}

/// A redirect at the same origin, and one of a download to another.
Situation referer(std::string path) {
  return [=] {
    RawServer other(always(http_response("other")));
    RawServer own([&](Peer& peer) {
      while (const auto request = peer.request())
        peer.send(redirect_to(path_of(*request).starts_with("/x?") ? path : other.url("/z")));
    });
    EXPECT_TRUE(downloaded(client_of(own.url(), as_bearer, {.query = {{"token", secret.text}}})));
    EXPECT_THAT(own.requests(), AllOf(SizeIs(2), Each(Not(HasSubstr("\r\nReferer:")))));
    EXPECT_THAT(other.requests(), ElementsAre(Not(AnyOf(HasSubstr("\r\nReferer:"), HasSecret()))));
  };
}

/// Escapes of a terminal, in all places of a response that errors repeat.
void escapes() {
  const std::string escape = "\x1b[2J\x9b\x07";
  for (const auto& response :
       {http_response(escape, "", "403 " + escape), http_response("{\"title\":\"" + escape + "\"}", "", "400 Bad"),
        redirect_to("http://" + escape + "/"), "HTTP/1.1 " + escape + "\r\n\r\n", with_fields(escape + "\r\n"),
        http_response(escape, "Content-Type: text/" + escape + "\r\n")}) {
    RawServer server(says(response));
    const auto message = failure(client_of(server.url()).singleton("x").get()).value().message();
    EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x9b'; }))
        << PrintToString(message);
  }
}

}  // namespace

Replays of_output() {
  return {
      {"CVE-2024-6104", "go-retryablehttp wrote passwords of URLs into its log", in_url("api_key")},
      {"CVE-2015-3448", "rest-client wrote passwords of URLs into its log", in_url("password")},
      {"CVE-2019-11250", "Kubernetes' client-go wrote bearer tokens into its log", shown(as_bearer)},
      {"CVE-2021-22876", "curl sent the userinfo of a URL as Referer", referer("/y")},
      {"CVE-2026-67354", "guzzle sent the fragment of a URL as Referer", referer("/y#" + secret.text)},
      {"CVE-2026-42507", "Go put input into errors without escaping it", escapes},
  };
}

}}  // namespace noun_test::replays
