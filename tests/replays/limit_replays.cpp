// Responses that take all memory, take all time, or never end.
#include "os/in_child.hpp"
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

constexpr std::size_t megabyte = 1'000'000;
const noun::ClientOptions limited{.limits = {.body = megabyte}};

/// A response over a limit, by a call and by a listing.
Situation over(RawServer::Script script, Errc code = Errc::too_large) {
  return [=] {
    RawServer server(script);
    const auto api = client_of(server.url(), {}, limited);
    EXPECT_EQ(failure(api.send({.path = "x"})).value().code(), code);
    EXPECT_EQ(listed(api).value().code(), code);
  };
}
Situation body(std::string sent, std::string_view coding = "gzip") { return over(says(zipped(sent, coding))); }
Situation fields_over(std::string line, std::size_t times) {
  return over(says(with_fields(repeated(line + "\r\n", times))));
}
Situation chunks_over(std::string chunk) { return over(repeats(chunked(""), chunk)); }
Situation codings(std::string list, std::size_t fields = 1) {
  return over(says(http_response(compressed("x"), repeated("Content-Encoding: " + list + "\r\n", fields))),
              Errc::protocol);
}

/// A redirect with a body, to a response with another.
Situation redirected(std::string first, std::string second) {
  return [=] {
    const std::string fields = "Location: /y\r\nContent-Encoding: gzip\r\n";
    RawServer server([&](Peer& peer) {
      while (const auto request = peer.request())
        peer.send(path_of(*request) != "/x" ? http_response(second) : http_response(first, fields, "302 Found"));
    });
    EXPECT_THAT(client_of(server.url(), {}, limited).send({.path = "x"}), FailsWith(Errc::too_large, Sent::answered));
  };
}

/// The rest of a response over the limit is not read: the server notices.
void the_rest() {
  Gate closed;
  RawServer server([&](Peer& peer) {
    repeats("HTTP/1.1 200 OK\r\n\r\n", std::string(65536, 'x'))(peer);
    closed.open();
  });
  EXPECT_THAT(client_of(server.url(), {}, limited).send({.path = "x"}), FailsWith(Errc::too_large, Sent::answered));
  closed.wait();
}

/// A response for which some readers take very long. A child that does is ended after a minute.
Situation in_time(std::string response, noun::Headers headers = {}) {
  return [=] {
    RawServer server(always(response));
    EXPECT_EQ(in_child([&] {
                const noun::ClientOptions options{.limits = {.head = 100'000, .fields = 100'000}, .headers = headers};
                const auto api = client_of(server.url(), {}, options);
                for (const auto& error : {failure(api.send({.path = "x"})), listed(api)})
                  if (error && (error->message().size() > 10'000 || error->sent() != Sent::answered)) return 1;
                return 0;
              }),
              0);
    EXPECT_THAT(server.requests(), SizeIs(2));
  };
}
Situation field(std::string line) { return in_time(http_response("[]", line + "\r\n")); }
Situation challenge(std::string text) {
  return in_time(http_response("", "WWW-Authenticate: " + text + "\r\n", "401 Unauthorized"));
}

}  // namespace

Replays of_limits() {
  const auto bomb = compressed(std::string(64 * megabyte, '\0'));
  const std::string links(60'000, '<');
  return {
      {"CVE-2022-32206", "curl applied any number of codings", codings(repeated("gzip, ", 1000) + "gzip")},
      {"CVE-2023-23916", "curl limited the codings of each field, not of all", codings("gzip", 200)},
      {"CVE-2025-66418", "urllib3 applied any number of codings", codings(repeated("deflate,", 99) + "gzip")},
      {"CVE-2026-22036", "undici applied thousands of codings", codings(repeated("br, gzip, ", 2000) + "gzip")},
      {"CVE-2026-61541", "Zapros nested a decoder for each coding", codings("deflate, gzip, deflate, gzip")},
      {"CVE-2025-66471", "urllib3 decompressed all of a small body at once", body(bomb)},
      {"CVE-2026-22776", "cpp-httplib limited the compressed size alone", body(compressed(numbers(400'000)))},
      {"CVE-2024-3572", "Scrapy did not count decompressed bytes",
       body(compressed(numbers(400'000), MAX_WBITS), "deflate")},
      {"CVE-2026-21441", "urllib3 decompressed all of a redirect's body", redirected(bomb, "y")},
      {"CVE-2020-15168", "node-fetch forgot its limit after a redirect", redirected(compressed("x"), numbers(400'000))},
      {"CVE-2019-10742", "axios read on after its limit", the_rest},
      {"CVE-2023-38039", "curl stored fields without a limit", over(repeats(std::string(ok), "A: b\r\n"))},
      {"CVE-2022-32205", "curl stored cookies without a limit", fields_over("Set-Cookie: a=b", 10'000)},
      {"CVE-2025-58186", "Go parsed any number of cookies", fields_over("Set-Cookie: " + repeated("a=;", 30'000), 1)},
      {"CVE-2026-67353", "guzzle stored large cookies", fields_over("Set-Cookie: a=" + std::string(4000, 'b'), 20)},
      {"CVE-2023-39326", "Go read any number of chunk extensions", chunks_over("1;" + numbers(99) + "\r\nx\r\n")},
      {"CVE-2025-46728", "cpp-httplib read endless chunks", chunks_over("400\r\n" + std::string(1024, 'x') + "\r\n")},
      {"CVE-2025-52887", "cpp-httplib accepted any number of fields", fields_over("A: b", 2000)},
      {"CVE-2021-3737", "Python's http.client read 100 Continue for ever",
       over(repeats("", "HTTP/1.1 100 Continue\r\n\r\n"))},
      {"CVE-2021-31525", "Go recursed for each part of a field", field("Connection: " + repeated("a,", 30'000))},
      {"CVE-2025-61724", "Go joined lines in quadratic time", field("A: b" + repeated("\r\n c", 20'000))},
      {"CVE-2025-25288", "octokit's pagination took long to match Link", field("Link: " + links + ">")},
      {"CVE-2025-25290", "octokit took long to match the Link of a deprecation",
       field("Deprecation: true\r\nLink: " + links + ">; rel=\"deprecation\"")},
      {"CVE-2025-25289", "octokit's errors took long to match authorization",
       in_time(http_response("", "", "403 No"), {{"Authorization", "token" + std::string(60'000, ' ') + "a"}})},
      {"CVE-2021-33503", "urllib3 matched many @ for ever", in_time(redirect_to("http://" + std::string(15'000, '@')))},
      {"CVE-2021-21240", "httplib2 matched white space for ever", challenge("x " + std::string(60'000, '\xa0'))},
      {"CVE-2020-8492", "Python matched many commas for ever", challenge("Basic " + std::string(60'000, ',') + "A")},
  };
}

}}  // namespace noun_test::replays
