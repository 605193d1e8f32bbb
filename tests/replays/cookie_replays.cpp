// Cookies that go to another host. noun keeps none; a program may send its own.
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

/// A cookie of the first host, and further requests to it and to the second, over one transport: the proxy is both.
Situation set_by(std::string first, std::string cookie, std::string second, std::string status = "200 OK") {
  return [=] {
    RawServer proxy(always(http_response("1", "Set-Cookie: " + cookie + "\r\nLocation: /y\r\n", status)));
    const noun::ClientOptions options{.proxy = proxy.url(""), .identity = "replays of cookies"};
    const auto one = client_of("http://" + first, {}, options);
    const auto two = client_of("http://" + second, {}, options);
    for (const auto* api : {&one, &one, &two}) {
      (void)api->send({.path = "x"});
      (void)downloaded(*api);
    }
    EXPECT_THAT(proxy.requests(), AllOf(SizeIs(Ge(6)), Each(Not(HasSubstr("\r\nCookie:")))));
  };
}

/// A cookie of the program, and one of the server with the same name.
void of_the_program() {
  RawServer server(always(http_response("1", "Set-Cookie: sid=theirs; Path=/\r\n")));
  const auto api = client_of(server.url(), {}, {.headers = {{"Cookie", "sid=own"}}});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(api.send({.path = "x"}));
  EXPECT_THAT(server.requests(), Each(HasSubstr("\r\nCookie: sid=own\r\n")));
}

/// A cookie of the program for one client, and a client of another host, which share handles.
void of_another_client() {
  RawServer first(always(http_response("1")));
  RawServer second(always(http_response("1")));
  const auto one = client_of(first.url(), in_header("Cookie", "sid="), {.identity = "replays of cookies"});
  const auto two = client_of(second.url(), {}, {.identity = "replays of cookies"});
  for (const auto* api : {&one, &two}) EXPECT_TRUE(api->send({.path = "x"}));
  EXPECT_THAT(first.requests(), ElementsAre(HasSecret()));
  EXPECT_THAT(second.requests(), ElementsAre(Not(HasSubstr("Cookie"))));
}

}  // namespace

Replays of_cookies() {
  return {
      {"CVE-2023-46218", "curl accepted a cookie for co.UK", set_by("curl.co.UK", "a=b; Domain=co.UK", "bank.co.uk")},
      {"CVE-2014-3620", "curl accepted a cookie for all of test", set_by("me.test", "a=b; Domain=test", "bank.test")},
      {"CVE-2014-3613", "curl matched a part of an address with a domain",
       set_by("192.168.0.1", "a=b; Domain=168.0.1", "127.168.0.1")},
      {"CVE-2026-59883", "guzzle matched a part of an address with a domain",
       set_by("192.168.0.1", "a=b; Domain=0.1", "10.0.0.1")},
      {"CVE-2013-1944", "curl sent a cookie of ample.com to example.com",
       set_by("ample.com", "a=b; Domain=ample.com", "example.com")},
      {"CVE-2022-27779", "curl accepted a cookie for a domain of one label and a dot",
       set_by("me.test.", "a=b; Domain=test.", "bank.test.")},
      {"CVE-2022-29248", "guzzle accepted a cookie for an unrelated host",
       set_by("evil.test", "a=b; Domain=bank.example", "bank.example")},
      {"CVE-2015-1820", "rest-client sent cookies of a redirect to its target",
       set_by("evil.test", "a=b", "bank.test", "302 Found")},
      {"CVE-2015-2296", "requests took a cookie without a host for one of the target",
       set_by("evil.test", "a=b; Domain=", "bank.test", "302 Found")},
      {"CVE-2022-24737", "HTTPie's sessions sent cookies to other hosts",
       set_by("one.test", "a=b; Path=/", "two.example")},
      {"CVE-2022-23607", "treq sent the cookies of a call to every host", of_another_client},
      {"CVE-2024-53990", "async-http-client replaced the program's cookie by one of its own", of_the_program},
  };
}

}}  // namespace noun_test::replays
