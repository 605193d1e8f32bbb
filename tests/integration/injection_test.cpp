// CR, LF, NUL and other bytes through every argument that is text: refused, or sent as one well-formed request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/noun.hpp>

#include "curl/raw_server.hpp"
#include "curl/request_fault.hpp"
#include "os/temporary_folder.hpp"

namespace integration { namespace injection_test {

using noun::Errc;
using noun::Json;
using noun::Method;
using noun_test::RawServer;
using namespace std::literals;

const std::string attacks[] = {"a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\rX-Injected: 1",
                               "a\r\n\r\nX-Injected:", "\r\n\r\nGET /injected", "a HTTP/1.1\r\nX-A: b",
                               "a\0b"s, "a\x1b[31mb\x7f", "a b", "l\u00e4nder", "\u2028\u0085", "\xff\xfe"};

using Api = const noun::Client&;
using Text = const std::string&;

/// A request that takes the text at one place.
struct Place {
  const char* name;
  /// The code of the error, if there is one.
  std::function<std::optional<Errc>(Text base, Text text)> call;
};

template <class T>
std::optional<Errc> code_of(const noun::Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().code());
}

/// A call of a client with options that have the text.
Place of_client(const char* name, std::function<noun::ClientOptions(Text)> options) {
  return {name, [options = std::move(options)](Text base, Text text) {
            auto all = options(text);
            all.retry.max_attempts = 1;
            const auto client = noun::Client::create(base, std::move(all));
            if (!client) return code_of(client);
            auto listing = client->collection("things").list({.page_size = 2});
            for (const auto& item : listing)
              if (!item) return std::optional(item.error().code());
            return code_of(client->collection("things").create<void>(Json(1), {.idempotency_key = "k"}));
          }};
}

/// A call that has the text.
Place of_call(const char* name, std::function<noun::Result<void>(Api, Text)> call) {
  return {name, [call = std::move(call)](Text base, Text text) {
            const noun::Client api{base, {.retry = {.max_attempts = 1}}};
            return code_of(call(api, text));
          }};
}

noun::Result<void> sent(const noun::Client& api, noun::Request request, const noun::CallOptions& options = {}) {
  const auto got = api.send(request, options);
  return got ? noun::Result<void>() : noun::Result<void>(got.error());
}

noun::Result<void> posted(const noun::Client& api, noun::Body body, noun::Headers headers = {}) {
  return sent(api, {.method = Method::post, .path = "x", .headers = std::move(headers), .body = std::move(body)});
}

noun::Result<void> listed(const noun::Client& api, noun::ListOptions options) {
  for (const auto& item : api.collection("things").list(std::move(options)))
    if (!item) return item.error();
  return {};
}

std::vector<Place> places_of_calls(const std::string& file) {
  namespace body = noun::body;
  return {
      of_call("name", [](Api api, Text text) { return api.singleton(noun::runtime(text)).get<void>(); }),
      of_call("name of a collection",
              [](Api api, Text text) { return api.collection(noun::runtime(text))[1].get<void>(); }),
      of_call("id", [](Api api, Text text) { return api.collection("a")[text].get<void>(); }),
      of_call("second id",
              [](Api api, Text text) { return api.collection("a").item(1, text).get<void>(); }),
      of_call("Json id",
              [](Api api, Text text) { return api.collection("a")[Json(text)].get<void>(); }),
      of_call("query name",
              [](Api api, Text text) { return api.singleton("x").get<void>({.query = {{text, 1}}}); }),
      of_call("query value",
              [](Api api, Text text) { return api.singleton("x").get<void>({.query = {{"a", text}}}); }),
      of_call("header name",
              [](Api api, Text text) { return api.singleton("x").get<void>({.headers = {{text, 1}}}); }),
      of_call("header value",
              [](Api api, Text text) { return api.singleton("x").get<void>({.headers = {{"A", text}}}); }),
      of_call("user agent", [](Api api, Text text) {
        return api.singleton("x").get<void>({.headers = {{"User-Agent", text}}});
      }),
      of_call("if_match",
              [](Api api, Text text) { return api.singleton("x").get<void>({.if_match = text}); }),
      of_call("if_none_match",
              [](Api api, Text text) { return api.singleton("x").get<void>({.if_none_match = text}); }),
      of_call("idempotency_key", [](Api api, Text text) {
        return api.collection("x").create<void>(Json(1), {.idempotency_key = text});
      }),
      of_call("path", [](Api api, Text text) { return sent(api, {.path = text}); }),
      of_call("query in a path", [](Api api, Text text) { return sent(api, {.path = "x?" + text}); }),
      of_call("Request::query name",
              [](Api api, Text text) { return sent(api, {.path = "x", .query = {{text, text}}}); }),
      of_call("Request::headers",
              [](Api api, Text text) { return sent(api, {.path = "x", .headers = {{"A", text}}}); }),
      of_call("body", [](Api api, Text text) { return posted(api, text); }),
      of_call("content type", [](Api api, Text text) { return posted(api, "b", {{"Content-Type", text}}); }),
      of_call("form", [](Api api, Text text) { return posted(api, body::form({{text, text}})); }),
      of_call("content type of bytes", [](Api api, Text text) { return posted(api, body::bytes("b", text)); }),
      of_call("content type of a file", [file](Api api, Text text) { return posted(api, body::file(file, text)); }),
      of_call("path of a file", [file](Api api, Text text) { return posted(api, body::file(file + text)); }),
      of_call("name of a part", [](Api api, Text text) { return posted(api, body::multipart({{text, "b"}})); }),
      of_call("value of a part", [](Api api, Text text) { return posted(api, body::multipart({{"a", text}})); }),
      of_call("file name of a part",
              [](Api api, Text text) {
                return posted(api, body::multipart({{"a", body::bytes("b", "text/plain"), text}}));
              }),
      of_call("content type of a part",
              [](Api api, Text text) { return posted(api, body::multipart({{"a", body::bytes("b", text)}})); }),
      of_call("query of a listing", [](Api api, Text text) { return listed(api, {.query = {{text, text}}}); }),
      of_call("headers of a listing", [](Api api, Text text) { return listed(api, {.headers = {{"A", text}}}); }),
      of_call("body of a listing", [](Api api, Text text) { return listed(api, {.body = text}); }),
      of_call("bookmark", [](Api api, Text text) { return listed(api, {.resume = text}); }),
      of_call("key", [](Api api, Text text) { return listed(api, {.key = "/" + text}); }),
      of_call("path of a download",
              [file](Api api, Text text) -> noun::Result<void> {
                const auto got = api.download({.path = text}, file + ".down");
                if (!got) return got.error();
                return {};
              }),
  };
}

/// The URL of a further page is sent as it is given, if that is one: bytes above 0x7f are in no parser's way.
constexpr const char* url_as_given = "url of a page strategy";

std::vector<Place> places_of_clients() {
  using namespace noun::paging;
  return {
      {"base URL",
       [](Text base, Text text) {
         const auto client = noun::Client::create(base + "/" + text);
         return client ? code_of(client->singleton("x").get<void>()) : code_of(client);
       }},
      of_client("headers name", [](Text text) { return noun::ClientOptions{.headers = {{text, 1}}}; }),
      of_client("headers value", [](Text text) { return noun::ClientOptions{.headers = {{"A", text}}}; }),
      of_client("query", [](Text text) { return noun::ClientOptions{.query = {{text, text}}}; }),
      of_client("bearer", [](Text text) { return noun::ClientOptions{.credentials = noun::bearer(text)}; }),
      of_client("user", [](Text text) { return noun::ClientOptions{.credentials = noun::basic(text, text)}; }),
      of_client("header", [](Text text) { return noun::ClientOptions{.credentials = noun::header("A", text)}; }),
      of_client("name of a header",
                [](Text text) { return noun::ClientOptions{.credentials = noun::header(text, "a")}; }),
      of_client("credentials function",
                [](Text text) {
                  return noun::ClientOptions{.credentials = [text](const auto&) { return noun::Headers{{"A", text}}; }};
                }),
      of_client("identity", [](Text text) { return noun::ClientOptions{.identity = text}; }),
      of_client("secret parameter", [](Text text) { return noun::ClientOptions{.secret_parameters = text}; }),
      of_client("trusted origin",
                [](Text text) { return noun::ClientOptions{.trusted_origins = {"http://" + text}}; }),
      of_client("dialect.name", [](Text text) { return noun::ClientOptions{.dialect = {.name = text}}; }),
      of_client("dialect.accept", [](Text text) { return noun::ClientOptions{.dialect = {.accept = text}}; }),
      of_client("dialect.content_type", [](Text text) {
        return noun::ClientOptions{.dialect = {.content_type = "application/" + text + "+json"}};
      }),
      of_client("dialect.idempotency_header",
                [](Text text) { return noun::ClientOptions{.dialect = {.idempotency_header = text}}; }),
      of_client("dialect.member",
                [](Text text) { return noun::ClientOptions{.dialect = {.member = {.request = "/" + text}}}; }),
      of_client("size parameter",
                [](Text text) { return noun::ClientOptions{.dialect = {.paging = {.size_parameter = text}}}; }),
      of_client("page parameter",
                [](Text text) {
                  return noun::ClientOptions{.dialect = {.paging = {.style = PageNumber{.parameter = text}}}};
                }),
      of_client("cursor parameter",
                [](Text text) {
                  return noun::ClientOptions{
                      .dialect = {.paging = {.style = Cursor{.parameter = text, .from_header = "X-Next"}}}};
                }),
      of_client("page strategy",
                [](Text text) {
                  return noun::ClientOptions{
                      .dialect = {.paging = {.style = [text](const PageRequest& page, const PageResponse&)
                                                 -> noun::Result<std::optional<PageRequest>> {
                                    if (page.url.ends_with('?')) return std::nullopt;
                                    return PageRequest{.url = "?", .range = "items=" + text};
                                  }}}};
                }),
      of_client(url_as_given,
                [](Text text) {
                  return noun::ClientOptions{
                      .dialect = {.paging = {.style = [text](const PageRequest& page, const PageResponse&)
                                                 -> noun::Result<std::optional<PageRequest>> {
                                    if (page.url.find("p=") != std::string::npos) return std::nullopt;
                                    return PageRequest{.url = "?p=" + text};
                                  }}}};
                }),
      of_client("proxy", [](Text text) { return noun::ClientOptions{.proxy = "http://127.0.0.1:1" + text}; }),
      of_client("user of a proxy",
                [](Text text) { return noun::ClientOptions{.proxy = "http://" + text + "@127.0.0.1:1"}; }),
      of_client("unix socket", [](Text text) { return noun::ClientOptions{.unix_socket = "/nowhere/" + text}; }),
      of_client("CA file", [](Text text) { return noun::ClientOptions{.tls = {.ca_file = "/nowhere/" + text}}; }),
      of_client("key password",
                [](Text text) { return noun::ClientOptions{.tls = {.client_key_password = text}}; }),
  };
}

TEST(Injection, through_any_argument_is_refused_or_encoded) {
  const noun_test::TemporaryFolder folder;
  folder.write("f", "content");
  auto places = places_of_calls(folder.path("f"));
  for (auto& place : places_of_clients()) places.push_back(std::move(place));
  for (const auto& place : places)
    for (const auto& text : attacks) {
      SCOPED_TRACE(place.name + " "s + ::testing::PrintToString(text));
      RawServer server(noun_test::always(noun_test::http_response("[]", "Content-Type: application/json\r\n")));
      const auto code = place.call(server.url("/v1"), text);
      const auto requests = server.requests();
      for (const auto& request : requests)
        EXPECT_EQ(noun_test::fault_of_request(request, place.name != url_as_given), "") << request;
      EXPECT_LE(requests.size(), 3U);
      // A refusal is one by noun: nothing malformed reached the network to fail there.
      if (requests.empty()) {
        ASSERT_TRUE(code);
        EXPECT_THAT(*code, ::testing::AnyOf(Errc::invalid_argument, Errc::refused, Errc::credentials, Errc::tls,
                                          Errc::connect));
      }
    }
}

TEST(Injection, of_multipart_names_stays_within_their_quotes) {
  RawServer server(noun_test::always(noun_test::http_response("[]")));
  const noun::Client api{server.url("")};
  for (const auto& text : attacks) {
    ASSERT_TRUE(api.send({.method = Method::post,
                          .path = "x",
                          .body = noun::body::multipart(
                              {{text + "\"; filename=\"x", noun::body::bytes("b", "text/plain"), text + "\"\\"}})}));
    const auto request = server.last_request();
    const auto at = request.find("Content-Disposition:");
    ASSERT_NE(at, std::string::npos);
    const auto line = request.substr(at, request.find('\n', at) - at);
    EXPECT_TRUE(line.ends_with("\"\r")) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '"'), 4) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\r'), 1) << line;
    EXPECT_EQ(request.find("\nX-"), std::string::npos);
    EXPECT_EQ(line.find_first_of("\0\x1b\x7f"s), std::string::npos) << line;
  }
}

}  // namespace injection_test
}  // namespace integration
