// Text of an attacker that would become a field, a request, or another part of a form.
#include <type_traits>

#include "curl/caller.hpp"
#include "curl/request_fault.hpp"
#include "replays/replay.hpp"

namespace noun_test { namespace replays {
namespace {

const std::string a_field = "a\r\nX-Injected: 1";
const std::string a_request = "a HTTP/1.1\r\nX-Injected: 1\r\n\r\nDELETE /everything HTTP/1.1\r\n\r\n";

/// A request is refused before anything is sent, or sent as one request without a further field.
Situation injected(noun::Request request) {
  return [=] {
    RawServer server(always(http_response("1")));
    const auto error = failure(client_of(server.url("/v1")).send(request));
    EXPECT_THAT(server.requests(), SizeIs(error ? 0 : 1));
    if (error) EXPECT_THAT(error, FailsWith(Errc::invalid_argument, Sent::no));
    for (const auto& sent : server.requests()) EXPECT_EQ(fault_of_request(sent), "") << sent;
  };
}
Situation in_path(std::string text) { return injected({.path = text}); }
Situation in_query(std::string text) { return injected({.path = "x", .query = {{"q", text}}}); }
Situation in_field(std::string name, std::string value) { return injected({.path = "x", .headers = {{name, value}}}); }

/// A host with the text, in a base URL and in a redirect.
Situation in_host(std::string text) {
  return [=] {
    RawServer server([&](Peer& peer) {
      while (peer.request()) peer.send(redirect_to(fmt::format("http://127.0.0.1{}:{}/y", text, server.port())));
    });
    EXPECT_THAT(noun::Client::create(fmt::format("http://127.0.0.1{}:{}/", text, server.port())),
                FailsWith(Errc::invalid_argument, Sent::no));
    EXPECT_FALSE(client_of(server.url()).send({.path = "x"}));
    ASSERT_THAT(server.requests(), SizeIs(1));
    EXPECT_EQ(fault_of_request(server.last_request()), "");
  };
}

/// A method is one of an enumeration, no text.
void in_method() {
  static_assert(!std::is_convertible_v<std::string, Method> && !std::is_constructible_v<Method, const char*>);
  RawServer server(always(http_response("")));
  for (const auto method : every_method) {
    ASSERT_TRUE(client_of(server.url()).send({.method = method, .path = "x"})) << method;
    EXPECT_THAT(server.last_request(), StartsWith(std::string(to_string(method)) + " /x HTTP/1.1\r\n"));
  }
}

Situation in_method_or(Situation other) {
  return [=] { in_method(), other(); };
}

/// A field that noun sets itself.
void reserved(const std::string& name) {
  RawServer server(always(http_response("")));
  const noun::Headers field{{name, "1"}};
  EXPECT_THAT(noun::Client::create(server.url(), {.headers = field}), FailsWith(Errc::invalid_argument, Sent::no));
  const auto by_call = client_of(server.url()).send({.path = "x", .headers = field});
  EXPECT_THAT(by_call, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_EQ(server.connections(), 0U);
}

/// The name of a file that closes its quotes and begins another part.
void in_file_name() {
  RawServer server(always(http_response("")));
  const std::string name = "a\"; filename=\"b\"\r\n\r\nc\r\n--x\r\nContent-Disposition: form-data; name=\"role";
  const auto body = noun::body::multipart({{"file", noun::body::bytes("b", "text/plain"), name}});
  ASSERT_TRUE(client_of(server.url()).send({.method = Method::post, .path = "x", .body = body}));
  EXPECT_EQ(server.last_request().find("filename=\"b\""), std::string::npos);
  EXPECT_EQ(server.last_request().find("\nContent-Disposition"), server.last_request().rfind("\nContent-Disposition"));
}

/// %0D%0A in a field of a request and of a response stays what it is.
void percent_encoded() {
  const std::string encoded = "a%0d%0aX-Injected: 1";
  RawServer server(always(http_response("1", "X-Text: " + encoded + "\r\n")));
  EXPECT_EQ(client_of(server.url()).send({.path = "x", .headers = {{"X-Text", encoded}}}).value().headers.get("X-Text"),
            encoded);
  EXPECT_THAT(server.last_request(), HasSubstr("\r\nX-Text: " + encoded + "\r\n"));
}

}  // namespace

Replays of_injection() {
  const auto content_type = noun::body::bytes("b", "text/plain\r\nX-Injected: 1");
  return {
      {"CVE-2019-11236", "urllib3 sent CR and LF of a URL", in_path(a_request)},
      {"CVE-2019-9740", "Python's urllib sent CR and LF of a query", in_query(a_request)},
      {"CVE-2019-9947", "Python's urllib sent CR and LF of a path", in_path("x/" + a_field)},
      {"CVE-2019-9741", "Go sent CR and LF of a query", in_path("x?" + a_field)},
      {"CVE-2020-11078", "httplib2 sent CR and LF of a URI", in_path("x y" + a_field)},
      {"CVE-2019-18348", "Python's urllib sent CR and LF of a host", in_host("\r\nX-Injected: 1\r\n")},
      {"CVE-2026-49214", "guzzle's psr7 accepted control characters in a host", in_host(" a\x7f\r\nX-Injected:")},
      {"CVE-2020-26137", "urllib3 sent CR and LF of a method", in_method},
      {"CVE-2023-49082", "aiohttp sent CR and LF of a method", in_method},
      {"CVE-2019-12387", "twisted sent CR and LF of a method or a URI", in_method_or(in_path(a_field))},
      {"CVE-2017-18587", "hyper sent line ends of a header value", in_field("X-Text", "a\nX-Injected: 1")},
      {"CVE-2022-24775", "guzzle's psr7 accepted line ends in header values", in_field("X-Text", a_field)},
      {"CVE-2023-29197", "guzzle's psr7 accepted LF in header names", in_field("X-Text\nX-Injected", "1")},
      {"CVE-2024-45302", "RestSharp sent CR and LF of a header value", in_field("X-Text", "1\r\n\r\n" + a_request)},
      {"CVE-2026-21428", "cpp-httplib sent CR and LF of headers", in_field("X-Text\r\nX-Injected", "1")},
      {"CVE-2022-35948", "undici sent CR and LF of a content type", in_field("content-type", a_field)},
      {"CVE-2023-26130", "cpp-httplib sent CR and LF of the content type of a body",
       injected({.method = Method::post, .path = "x", .body = content_type})},
      {"CVE-2023-23936", "undici sent CR and LF of a host header", in_field("host", "evil.test\r\nX-Injected: 1")},
      {"CVE-2026-6276", "curl kept a custom Host for the cookies of the next request", [] { reserved("Host"); }},
      {"CVE-2026-1525", "undici sent Content-Length and content-length", [] { reserved("content-length"); }},
      {"CVE-2024-22049", "httparty did not escape the file names of multipart bodies", in_file_name},
      {"CVE-2026-45372", "cpp-httplib decoded %0D%0A after it had checked a header value", percent_encoded},
  };
}

}}  // namespace noun_test::replays
