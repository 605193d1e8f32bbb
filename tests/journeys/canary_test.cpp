// A secret in every place that a program or a server can put one, in every scene of a server that repeats what it
// received: no secret becomes visible, and none is sent where it does not belong.
#include "journeys/canary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <noun/future.hpp>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

#include "os/temporary_folder.hpp"
#include "resource/proxied_client.hpp"
#include "wire/url.hpp"

namespace journeys { namespace canary_test {

using namespace std::chrono_literals;
using canary::Secret;
using canary::Witness;
using noun::Errc;
using noun::Error;
using noun::Headers;
using noun::Json;
using noun::Method;
using noun::Response;
using noun::Sent;

constexpr std::string_view api_url = "https://api.example.com/v1";
constexpr std::string_view token_url = "https://login.example.com/token";

/// An item that every scene makes fail to decode.
struct Row {
  int id = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Row, id)

// ---- The places.

/// Everything that a program hands to noun, and what the server knows by itself.
struct Use {
  std::string base_url = std::string(api_url);
  noun::ClientOptions client;
  /// Changes a copy of the client, if it is not null.
  std::optional<noun::ClientChanges> copy;
  noun::CallOptions call;
  noun::ListOptions list;
  noun::Request request = {.method = Method::post, .path = "jobs"};
  noun::Request file = {.path = "file"};
  noun::DownloadOptions download;
  noun::StreamOptions stream;
  noun::FinishOptions finish;
  /// Not a token of an operation.
  std::string token = "nounpoll1.x";
  Json item = {{"size", 1}};
  noun::Body body;

  /// What the token endpoint sends: the last one again and again.
  std::vector<Response> tokens = {token_response("harmless-token")};
  /// What the server adds to the query of its links and redirects.
  std::string link = "n=1";
  /// What it sets as a cookie.
  std::string cookie = "n=1";

  static Response token_response(const std::string& token, const std::string& more = "x") {
    return {.status = 200, .body = Json{{"access_token", token}, {"expires_in", 3600}, {"more", more}}.dump()};
  }
};

/// Who may receive a secret; `links`: whomever the server leads to, in the URL that it chose.
enum class Home { api, token_endpoint, links, nowhere };

/// When the server repeats the secret. What it received in another call, or what nobody declared as a secret, noun
/// cannot know; but it does not show it by itself.
enum class Repeats { always, if_received_in_this_call, never };

struct Place {
  std::string name;
  std::function<void(Use&, const std::string& secret)> put;
  Home home = Home::api;
  Repeats repeats = Repeats::always;
  std::string_view between = canary::awkward;
};

noun::OAuth2ClientCredentials oauth(noun::OAuth2ClientCredentials options = {}) {
  if (options.token_url.str().empty()) options.token_url = token_url;
  if (options.client_id.str().empty()) options.client_id = "id";
  if (options.client_secret.str().empty()) options.client_secret = "harmless-secret";
  return options;
}

/// Credentials from a function: this field, whatever the request is.
noun::Credentials from_function(std::string name, std::string value) {
  return noun::Credentials([name = std::move(name), value = std::move(value)](const noun::CredentialsRequest&) {
    return noun::Result<Headers>(Headers{{name, value}});
  });
}

std::vector<Place> credentials() {
  return {
      {"bearer()", [](Use& use, auto& s) { use.client.credentials = noun::bearer(s); }},
      {"password of basic()", [](Use& use, auto& s) { use.client.credentials = noun::basic("user", s); }},
      {"password of basic() in UTF-8", [](Use& use, auto& s) { use.client.credentials = noun::basic("user", s); },
       Home::api, Repeats::always, "\u00e4/\u20ac\U0001F600"},
      {"header(X-Api-Key)", [](Use& use, auto& s) { use.client.credentials = noun::header("X-Api-Key", s); }},
      {"header() of any name", [](Use& use, auto& s) { use.client.credentials = noun::header("X-Acme", s); }},
      {"Authorization of a function",
       [](Use& use, auto& s) { use.client.credentials = from_function("Authorization", "Token " + s); }, Home::api,
       Repeats::if_received_in_this_call},
      {"any field of a function", [](Use& use, auto& s) { use.client.credentials = from_function("X-Acme", s); },
       Home::api, Repeats::if_received_in_this_call},
      {"Cookie of a function",
       [](Use& use, auto& s) { use.client.credentials = from_function("Cookie", "a=1; sid=" + s + "; b=2"); },
       Home::api, Repeats::if_received_in_this_call, "/+=%."},
      {"signature of a function",
       [](Use& use, auto& s) {
         use.client.credentials =
             from_function("Authorization", "AWS4-HMAC-SHA256 Credential=AK/20260101/s3/aws4_request, Signature=" + s);
       },
       Home::api, Repeats::if_received_in_this_call, "/+="},
      {"digest of a function",
       [](Use& use, auto& s) {
         use.client.credentials =
             from_function("Authorization", "Digest username=\"u\", response=\"" + s + "\", nc=00000001");
       },
       Home::api, Repeats::if_received_in_this_call, "/+=%"},
      {"bearer() with a line end", [](Use& use, auto& s) { use.client.credentials = noun::bearer(s + "\n"); },
       Home::nowhere},
      {"header() with a NUL",
       [](Use& use, auto& s) { use.client.credentials = noun::header("X-Acme", s + std::string(1, '\0')); },
       Home::nowhere},
      {"user of basic() with a colon",
       [](Use& use, auto& s) { use.client.credentials = noun::basic("user:" + s, "word"); }, Home::nowhere},
      {"a field of a function with a line end",
       [](Use& use, auto& s) { use.client.credentials = from_function("X-Acme", s + "\r\nHost: evil.example"); },
       Home::nowhere},
  };
}

std::vector<Place> oauth_places() {
  using noun::ClientAuthentication;
  const auto set = [](Use& use, noun::OAuth2ClientCredentials options) {
    use.client.credentials = noun::oauth2_client_credentials(oauth(std::move(options)));
  };
  return {
      {"client_secret, as a field", [=](Use& use, auto& s) { set(use, {.client_secret = s}); }, Home::token_endpoint},
      {"client_secret, in the body",
       [=](Use& use, auto& s) { set(use, {.client_secret = s, .auth = ClientAuthentication::body}); },
       Home::token_endpoint},
      {"client_secret of a token endpoint that refuses it",
       [=](Use& use, auto& s) {
         set(use, {.client_secret = s});
         use.tokens = {{.status = 401,
                        .headers = {{"WWW-Authenticate", "Basic realm=\"" + s + "\""}, {"X-Request-Id", s}},
                        .body = Json{{"error", "invalid_client"}, {"error_description", s}, {"message", s}}.dump()}};
       },
       Home::token_endpoint},
      {"client_secret of a token endpoint that breaks",
       [=](Use& use, auto& s) {
         set(use, {.client_secret = s});
         use.tokens = {{.status = 500, .headers = {{"Retry-After", s}}, .body = "no: " + s}};
       },
       Home::token_endpoint},
      {"client_secret of a token endpoint that redirects",
       [=](Use& use, auto& s) {
         set(use, {.client_secret = s});
         use.tokens = {{.status = 307, .headers = {{"Location", "https://evil.example/?s=" + s}}, .body = s}};
       },
       Home::token_endpoint},
      {"client_secret of a token endpoint without a token",
       [=](Use& use, auto& s) {
         set(use, {.client_secret = s});
         use.tokens = {{.status = 200, .body = Json{{"access_token", {s}}, {"token_type", s}}.dump()}};
       },
       Home::token_endpoint},
      {"a parameter of the token request",
       [=](Use& use, auto& s) {
         set(use, {.parameters = {{"assertion", s}}});
       },
       Home::token_endpoint, Repeats::never},
      {"the query of token_url",
       [=](Use& use, auto& s) { set(use, {.token_url = fmt::format("{}?api_key={}", token_url, s)}); },
       Home::token_endpoint, Repeats::never, canary::legal_everywhere},
      {"userinfo of token_url",
       [=](Use& use, auto& s) { set(use, {.token_url = fmt::format("https://user:{}@login.example.com/token", s)}); },
       Home::nowhere, Repeats::never, canary::legal_everywhere},
      {"a token that was fetched",
       [=](Use& use, auto& s) {
         set(use, {});
         use.tokens = {Use::token_response(s)};
       }},
      {"a token that was replaced",
       [=](Use& use, auto& s) {
         set(use, {});
         use.tokens = {Use::token_response(s), Use::token_response("harmless-token")};
       }},
      {"a token with a control character",
       [=](Use& use, auto& s) {
         set(use, {});
         use.tokens = {Use::token_response(s + "\n")};
       },
       Home::nowhere},
      {"a refresh token beside the token",
       [=](Use& use, auto& s) {
         set(use, {});
         use.tokens = {
             {.status = 200, .body = Json{{"access_token", "harmless"}, {"refresh_token", s}, {"id_token", s}}.dump()}};
       },
       Home::nowhere, Repeats::never},
      {"a cookie of the token endpoint",
       [=](Use& use, auto& s) {
         set(use, {});
         use.tokens[0].headers.add("Set-Cookie", "sid=" + s);
       },
       Home::nowhere, Repeats::never},
  };
}

std::vector<Place> headers() {
  std::vector<Place> places;
  struct Kind {
    const char* of;
    void (*add)(Use&, const std::string& name, const std::string& value);
    std::vector<const char*> names;
    Repeats repeats = Repeats::if_received_in_this_call;
  };
  const Kind kinds[] = {
      {"ClientOptions::headers",
       [](Use& use, auto& name, auto& value) { use.client.headers.add(name, value); },
       {"Authorization", "Cookie", "X-Api-Key", "PRIVATE-TOKEN", "X-Amz-Security-Token", "Referer", "X-Acme"},
       Repeats::always},
      {"CallOptions::headers",
       [](Use& use, auto& name, auto& value) { use.call.headers.add(name, value); },
       {"Authorization", "Cookie", "X-Api-Key", "X-Acme"}},
      {"ListOptions::headers",
       [](Use& use, auto& name, auto& value) { use.list.headers.add(name, value); },
       {"Authorization", "Cookie", "X-Api-Key", "X-Acme"}},
      {"Request::headers",
       [](Use& use, auto& name, auto& value) { use.request.headers.add(name, value); },
       {"Authorization", "X-Api-Key"}},
      {"DownloadOptions::headers",
       [](Use& use, auto& name, auto& value) { use.download.headers.add(name, value); },
       {"Authorization", "X-Api-Key"}},
      {"StreamOptions::headers",
       [](Use& use, auto& name, auto& value) { use.stream.headers.add(name, value); },
       {"Authorization", "X-Api-Key"}},
      {"FinishOptions::headers",
       [](Use& use, auto& name, auto& value) { use.finish.headers.add(name, value); },
       {"Authorization", "X-Api-Key"}},
      {"the headers of a copy",
       [](Use& use, auto& name, auto& value) {
         use.copy = {.headers = noun::Headers{{name, value}}};
       },
       {"Authorization", "X-Acme"},
       Repeats::always},
  };
  for (const auto& kind : kinds)
    for (const std::string name : kind.names) {
      const bool is_cookie = name == "Cookie";
      const auto* before = is_cookie ? "a=1; sid=" : name == "Authorization" ? "Bearer " : "";
      places.push_back({fmt::format("{} of {}", name, kind.of),
                        [=](Use& use, auto& s) {
                          // Without others, so that the field is sent.
                          if (name == "Authorization") use.client.credentials = noun::header("X-Other", "harmless");
                          kind.add(use, name, before + s);
                        },
                        Home::api, kind.repeats, is_cookie ? "/+=%." : canary::awkward});
    }
  const auto with_line_end = [](const std::string& s) { return s + "\r\nHost: evil.example"; };
  places.push_back({"a field of ClientOptions::headers with a line end",
                    [=](Use& use, auto& s) { use.client.headers.add("X-Acme", with_line_end(s)); }, Home::nowhere});
  places.push_back({"a field of CallOptions::headers with a line end",
                    [=](Use& use, auto& s) { use.call.headers.add("X-Acme", with_line_end(s)); }, Home::nowhere,
                    Repeats::never});
  places.push_back({"the name of a field that is a whole line",
                    [](Use& use, auto& s) { use.call.headers.add("Authorization: Bearer " + s, "1"); }, Home::nowhere,
                    Repeats::never});
  return places;
}

std::vector<Place> parameters() {
  std::vector<Place> places = {
      {"ClientOptions::query", [](Use& use, auto& s) { use.client.query.add("code", s); }},
      {"ClientOptions::query in UTF-8", [](Use& use, auto& s) { use.client.query.add("code", s); }, Home::api,
       Repeats::always, "\u00e4/\u20ac\U0001F600"},
      {"the query of a copy",
       [](Use& use, auto& s) { use.copy = {.query = noun::Query{{"code", s}}}; }},
  };
  std::vector<Place> of_calls = {
      {"secret_parameters in CallOptions::query",
       [](Use& use, auto& s) {
         use.client.secret_parameters = "pin";
         use.call.query.add("pin", s);
       }},
      {"secret_parameters in ListOptions::query",
       [](Use& use, auto& s) {
         use.client.secret_parameters = "pin";
         use.list.query.add("pin", s);
       }},
      {"secret_parameters in Request::path",
       [](Use& use, auto& s) {
         use.client.secret_parameters = "pin";
         use.request.path += "?pin=" + canary::percent_encoded(s);
       }},
      {"api_key in ListOptions::query", [](Use& use, auto& s) { use.list.query.add("api_key", s); }},
      {"api_key in Request::query", [](Use& use, auto& s) { use.request.query.add("api_key", s); }},
      {"api_key in Request::path",
       [](Use& use, auto& s) { use.request.path += "?api_key=" + canary::percent_encoded(s); }},
      {"api_key in StreamOptions::query", [](Use& use, auto& s) { use.stream.query.add("api_key", s); }},
      {"api_key in DownloadOptions::query", [](Use& use, auto& s) { use.download.query.add("api_key", s); }},
      {"a parameter whose name is percent-encoded",
       [](Use& use, auto& s) { use.request.path += "?%61pi%5Fkey=" + canary::percent_encoded(s); }},
  };
  for (const std::string name :
       {"access_token", "token", "apikey", "key", "auth", "password", "passwd", "pwd", "client_secret", "sig",
        "signature", "X-Amz-Signature", "X-Amz-Credential", "session_id", "sid", "jwt", "oauth_verifier"})
    of_calls.push_back({name + " in CallOptions::query", [=](Use& use, auto& s) { use.call.query.add(name, s); }});
  for (auto& place : of_calls) {
    place.repeats = Repeats::if_received_in_this_call;
    places.push_back(std::move(place));
  }
  return places;
}

/// Places that are no part of a request.
std::vector<Place> settings() {
  // Without tokens, which the client would request over its own transport.
  const auto put_proxy = [](Use& use, std::string url) {
    use.client.proxy = std::move(url);
    use.client.transport = nullptr;
    use.client.credentials = {};
  };
  const auto proxy = [](const std::string& user) { return "http://" + user + "@proxy.example.com:8080"; };
  return {
      {"password of ClientOptions::proxy",
       [=](Use& use, auto& s) { put_proxy(use, proxy("user:" + canary::percent_encoded(s))); }, Home::nowhere},
      {"password of ClientOptions::proxy, as it is", [=](Use& use, auto& s) { put_proxy(use, proxy("user:" + s)); },
       Home::nowhere, Repeats::always, "-._~!$&'()*+,;=:"},
      {"password of the environment's proxy",
       [=](Use& use, auto& s) {
         ::setenv("https_proxy", proxy("user:" + canary::percent_encoded(s)).c_str(), 1);
         put_proxy(use, noun::proxy_from_environment());
         ::unsetenv("https_proxy");
       },
       Home::nowhere},
      {"password of a proxy that is no URL",
       [=](Use& use, auto& s) { put_proxy(use, "http://user:" + s + "@proxy.example.com:80:80"); },
       Home::nowhere, Repeats::never, canary::legal_everywhere},
      {"userinfo of the base URL", [](Use& use, auto& s) { use.base_url = "https://user:" + s + "@api.example.com/"; },
       Home::nowhere, Repeats::never, canary::legal_everywhere},
      {"userinfo of a base URL that is no URL",
       [](Use& use, auto& s) { use.base_url = "https:/user:" + s + "@api.example.com"; }, Home::nowhere,
       Repeats::never},
      {"the query of the base URL", [](Use& use, auto& s) { use.base_url = "https://api.example.com/?key=" + s; },
       Home::nowhere, Repeats::never},
      {"userinfo of a trusted origin",
       [](Use& use, auto& s) { use.client.trusted_origins = {"https://user:" + s + "@mirror.example.com"}; },
       Home::nowhere, Repeats::never, canary::legal_everywhere},
      {"bookmark_key", [](Use& use, auto& s) { use.client.bookmark_key = s; }, Home::nowhere},
      {"pass phrase of Tls",
       [=](Use& use, auto& s) {
         put_proxy(use, "");
         use.client.tls.client_key_password = s;
       },
       Home::nowhere, Repeats::never},
      {"identity of the quota", [](Use& use, auto& s) { use.client.identity = s; }, Home::nowhere, Repeats::never},
      {"a text that is no bookmark", [](Use& use, auto& s) { use.list.resume = s; }, Home::nowhere, Repeats::never},
      {"a text that is no token", [](Use& use, auto& s) { use.token = s; }, Home::nowhere, Repeats::never},
  };
}

/// Bodies are the caller's data: noun does not show them by itself.
std::vector<Place> bodies() {
  static const noun_test::TemporaryFolder folder;
  return {
      {"a JSON body",
       [](Use& use, auto& s) {
         use.item = {{"password", s}};
       },
       Home::api, Repeats::never},
      {"a form",
       [](Use& use, auto& s) {
         use.body = noun::body::form({{"password", s}});
       },
       Home::api, Repeats::never},
      {"bytes", [](Use& use, auto& s) { use.body = noun::body::bytes(s); }, Home::api, Repeats::never},
      {"a part of a multipart body",
       [](Use& use, auto& s) {
         use.body = noun::body::multipart({{"password", s}});
       },
       Home::api, Repeats::never},
      {"a file",
       [](Use& use, auto& s) {
         const auto path = folder.path("secret");
         std::ofstream(path) << s;
         use.body = noun::body::file(path);
       },
       Home::api, Repeats::never},
      {"the body of a listing",
       [](Use& use, auto& s) {
         use.list.body = Json{{"password", s}}.dump();
       },
       Home::api, Repeats::never},
      {"the body of a Request", [](Use& use, auto& s) { use.request.body = s; }, Home::api, Repeats::never},
  };
}

/// Secrets of the server in its own responses.
std::vector<Place> responses() {
  std::vector<Place> places = {{"a cookie that the API sets", [](Use& use, auto& s) { use.cookie = "sid=" + s; },
                                Home::nowhere, Repeats::never}};
  for (const std::string name : {"X-Amz-Signature", "X-Amz-Security-Token", "sig", "token", "access_token"})
    places.push_back({name + " in links and redirects of the server",
                      [=](Use& use, auto& s) { use.link = name + "=" + canary::percent_encoded(s); }, Home::links,
                      Repeats::never});
  places.push_back({"secret_parameters in links and redirects of the server",
                    [](Use& use, auto& s) {
                      use.client.secret_parameters = "pin";
                      use.link = "pin=" + canary::percent_encoded(s);
                    },
                    Home::links, Repeats::never});
  return places;
}

std::vector<Place> all_places() {
  std::vector<Place> all;
  for (auto* const group : {&credentials, &oauth_places, &headers, &parameters, &settings, &bodies, &responses})
    for (auto& place : group()) all.push_back(std::move(place));
  return all;
}

// ---- The scenes.

/// What the server repeats, in the spellings that texts use.
struct Repeated {
  explicit Repeated(const std::string& secret)
      : plain(secret),
        percent(canary::percent_encoded(secret)),
        json(canary::json_escaped(secret)),
        all(fmt::format("{} {} {} {}", plain, percent, canary::percent_encoded(plain, "0123456789abcdef"), json)) {}

  std::string plain, percent, json, all;
};

/// The next request of a scene.
struct Moment {
  const Use& use;
  const Repeated& repeated;
  /// Of the requests of this call, from 0.
  std::size_t number;
};
using Reply = noun::Result<Response>;

struct Scene {
  std::string name;
  std::function<Reply(const Moment&)> reply;
  /// The verbs that it makes a difference to.
  std::set<std::string_view> verbs = {"get", "create", "list", "send", "download"};
};
const std::set<std::string_view> all_verbs = {"get", "create", "list", "send", "download", "stream", "finish"};

/// Fields that repeat the secret, wherever APIs have text.
Headers fields(const Moment& moment, const std::string& type) {
  const auto& [plain, percent, json, all] = moment.repeated;
  std::string quoted = "\"";
  for (const char c : plain) (c == '"' || c == '\\' ? quoted += '\\' : quoted) += c;
  quoted += '"';
  return {{"Content-Type", type},
          {"X-Request-Id", all},
          {"X-Partition", all},
          {"RateLimit-Policy", fmt::format("{0};q=100;w=60;pk=:{1}:, \"{2}\";q=100;w=60", quoted, "eA==", percent)},
          {"RateLimit", fmt::format("{0};r=50;t=30, \"{1}\";r=40;t=30", quoted, percent)},
          {"WWW-Authenticate", "Bearer realm=\"" + plain + "\", error_description=\"" + percent + "\""},
          {"Set-Cookie", moment.use.cookie + "; Path=/"},
          {"Set-Cookie", "echo=" + percent},
          {"Warning", "199 - \"" + plain + "\""},
          {"Server", plain},
          {"ETag", "\"" + percent + "\""}};
}

std::string text_body(const Moment& moment) { return "you sent " + moment.repeated.all; }

std::string json_body(const Moment& moment) {
  const auto all = Json(moment.repeated.all).dump();
  return fmt::format(R"({{"message": {0}, "error": {{"message": "{1}"}}, "errors": [{{"detail": {0}}}], "id": {0}}})",
                     all, moment.repeated.json);
}

std::string problem_body(const Moment& moment) {
  const auto all = Json(moment.repeated.all).dump();
  return fmt::format(
      R"({{"type": "https://example.com/?{1}", "title": {0}, "status": 400, "detail": "{2} {1}", "instance": "/{2}"}})",
      all, moment.repeated.percent, moment.repeated.json);
}

std::function<Reply(const Moment&)> status(int code, const std::string& type, Headers more = {}) {
  return [=](const Moment& moment) {
    auto all = fields(moment, type);
    for (const auto& field : more) all.push_back(field);
    const auto body = type == "text/plain"         ? text_body(moment)
                      : type == "application/json" ? json_body(moment)
                      : type == "text/html"        ? "<h1>" + text_body(moment) + "</h1>"
                                                   : problem_body(moment);
    return Response{.status = code, .headers = all, .body = body};
  };
}

/// A success whose body is `body(moment)`.
std::function<Reply(const Moment&)> success(std::function<std::string(const Moment&)> body, int code = 200) {
  return [=](const Moment& moment) {
    return Response{.status = code, .headers = fields(moment, "application/json"), .body = body(moment)};
  };
}

/// A redirect to `target(moment)`; what follows is a 403.
std::function<Reply(const Moment&)> redirect(int code, std::function<std::string(const Moment&)> target) {
  return [=](const Moment& moment) -> Reply {
    if (moment.number > 0) return status(403, "application/json")(moment);
    auto all = fields(moment, "text/plain");
    all.add("Location", target(moment));
    return Response{.status = code, .headers = all, .body = text_body(moment)};
  };
}

/// A page with a next link to `target(moment)`; what follows is a 404.
std::function<Reply(const Moment&)> page(std::function<std::string(const Moment&)> target) {
  return [=](const Moment& moment) -> Reply {
    if (moment.number > 0) return status(404, "application/problem+json")(moment);
    auto all = fields(moment, "application/json");
    all.add("Link", "<" + target(moment) + ">; rel=\"next\"");
    return Response{.status = 200, .headers = all, .body = R"([{"id": 1}, {"id": 2}])"};
  };
}

/// A stream with these events, and no end that is expected.
std::function<Reply(const Moment&)> stream(std::function<std::string(const Moment&)> events) {
  return [=](const Moment& moment) {
    return Response{.status = 200, .headers = fields(moment, "text/event-stream"), .body = events(moment)};
  };
}

/// An accepted operation with its monitor at `target(moment)`, which then responds so.
std::function<Reply(const Moment&)> operation(std::function<std::string(const Moment&)> target,
                                              std::function<Reply(const Moment&)> monitor) {
  return [=](const Moment& moment) -> Reply {
    if (moment.number > 0) return monitor(moment);
    auto all = fields(moment, "text/plain");
    all.add("Location", target(moment));
    return Response{.status = 202, .headers = all, .body = text_body(moment)};
  };
}

std::function<Reply(const Moment&)> fault(Errc code, Sent sent, bool with_response = false) {
  return [=](const Moment& moment) -> Reply {
    const auto what = "it broke at " + moment.repeated.all;
    if (!with_response) return Error(code, what, "look at " + moment.repeated.all, sent);
    return Error({.code = code,
                  .what = what,
                  .sent = sent,
                  .response = std::make_shared<Response>(
                      Response{.status = 200, .headers = fields(moment, "text/plain"), .body = text_body(moment)})});
  };
}

/// Addresses that a server may lead to; each repeats the secret and has the server's own.
std::vector<std::pair<std::string, std::function<std::string(const Moment&)>>> targets() {
  return {
      {"the same origin, in the path",
       [](auto& m) { return fmt::format("/v1/{}/x?{}", m.repeated.percent, m.use.link); }},
      {"the same origin, in the query",
       [](auto& m) {
         return fmt::format("{}/x?q={}&{}#{}", api_url, m.repeated.percent, m.use.link, m.repeated.percent);
       }},
      {"the same origin, as it is", [](auto& m) { return fmt::format("/v1/x?q={}&{}", m.repeated.plain, m.use.link); }},
      {"the same host in another case",
       [](auto& m) { return fmt::format("HTTPS://API.Example.com:443/v1/{}?{}", m.repeated.percent, m.use.link); }},
      {"another origin, in the path",
       [](auto& m) { return fmt::format("https://evil.example/{}?{}", m.repeated.percent, m.use.link); }},
      {"another origin, in the query",
       [](auto& m) { return fmt::format("https://evil.example/?q={}&{}", m.repeated.percent, m.use.link); }},
      {"another origin, in the host",
       [](auto& m) { return fmt::format("https://{}.evil.example/?{}", m.repeated.plain, m.use.link); }},
      {"another origin, in the host in another case",
       [](auto& m) { return fmt::format("https://C{}.evil.example/?{}", m.repeated.plain.substr(1), m.use.link); }},
      {"another origin, in the host, encoded",
       [](auto& m) { return fmt::format("https://{}.evil.example/?{}", m.repeated.percent, m.use.link); }},
      {"another origin, in the userinfo",
       [](auto& m) { return fmt::format("https://u:{}@evil.example/?{}", m.repeated.percent, m.use.link); }},
      {"the same host with userinfo",
       [](auto& m) { return fmt::format("https://{}@api.example.com/v1/x?{}", m.repeated.percent, m.use.link); }},
      {"plain http",
       [](auto& m) { return fmt::format("http://api.example.com/{}?{}", m.repeated.percent, m.use.link); }},
      {"another port",
       [](auto& m) { return fmt::format("https://api.example.com:8443/{}?{}", m.repeated.percent, m.use.link); }},
      {"no URL", [](auto& m) { return fmt::format("ht!tp:{}", m.repeated.all); }},
  };
}

std::vector<Scene> all_scenes() {
  const std::string text = "text/plain", json = "application/json", html = "text/html",
                    problem = "application/problem+json";
  std::vector<Scene> scenes = {
      {"400 text", status(400, text)},
      {"401 json", status(401, json)},
      {"403 text", status(403, text)},
      {"403 json", status(403, json), all_verbs},
      {"403 html", status(403, html)},
      {"403 problem", status(403, problem)},
      {"404 problem", status(404, problem)},
      {"409 json", status(409, json)},
      {"410 problem", status(410, problem)},
      {"412 html", status(412, html)},
      {"422 json", status(422, json)},
      {"429 json", status(429, json, {{"Retry-After", "100000"}})},
      {"429 problem, exhausted",
       status(429, problem, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "99999"}})},
      {"500 problem", status(500, problem)},
      {"500 text", status(500, text)},
      {"501 json", status(501, json)},
      {"503 json", status(503, json, {{"Retry-After", "100000"}})},
      {"407 text", status(407, text)},
      {"304", status(304, text)},
      {"401 once", [=](const Moment& moment) { return status(moment.number == 0 ? 401 : 403, json)(moment); },
       all_verbs},
      {"503 with the secret as Retry-After",
       [=](const Moment& moment) {
         return status(503, text, {{"Retry-After", moment.repeated.plain}})(moment);
       }},
      {"200 that is not JSON", success(text_body)},
      {"200 of another type", success(json_body)},
      {"200 with an item of another type", success([](auto& m) { return "[{\"id\": 1}, " + json_body(m) + "]"; })},
      {"200 with an escaped item", success([](auto& m) { return R"([{"id": ")" + m.repeated.json + R"("}])"; })},
      {"200 that is cut", success([](auto& m) { return R"({"id": ")" + m.repeated.json + " " + m.repeated.plain; })},
      {"200 that is nested too deep",
       success([](auto& m) { return std::string(300, '[') + '"' + m.repeated.json + '"' + std::string(300, ']'); })},
      {"200 without a body", success([](auto&) { return ""; })},
      {"207, which is not expected", success(json_body, 207)},
      {"a page of an unknown convention", success([](auto& m) {
         return fmt::format(R"({{"items": [{{"id": 1}}], "next": "{0}/x?{1}&q={2}", "has_more": true}})", api_url,
                            m.use.link, m.repeated.percent);
       })},
      {"equal pages",
       [](const Moment& moment) -> Reply {
         auto all = fields(moment, "application/json");
         all.add("Link", fmt::format("</v1/x?q={}&p={}>; rel=\"next\"", moment.repeated.percent, moment.number));
         return Response{.status = 200, .headers = all, .body = R"([{"id": 1}])"};
       }},
      {"redirects without end",
       [=](const Moment& moment) -> Reply {
         auto all = fields(moment, text);
         all.add("Location", fmt::format("/v1/{}/{}?{}", moment.repeated.percent, moment.number, moment.use.link));
         return Response{.status = 308, .headers = all, .body = text_body(moment)};
       }},
      {"a stream with an event of another type", stream([](auto& m) { return "data: " + json_body(m) + "\n\n"; }),
       {"stream"}},
      {"a stream with an event that is not JSON", stream([](auto& m) {
         return fmt::format("id: {0}\nevent: {0}\ndata: {1}\n\n", m.repeated.percent, text_body(m));
       }),
       {"stream"}},
      {"a stream that is cut", stream([](auto& m) { return "data: {\"id\": 1}\n\ndata: " + m.repeated.plain; }),
       {"stream"}},
      {"a stream with an error event",
       stream([](auto& m) { return "data: {\"id\": 1}\n\nevent: error\ndata: " + json_body(m) + "\n\n"; }),
       {"stream"}},
      {"an operation that fails", operation([](auto& m) { return "/v1/operations/1?q=" + m.repeated.percent; },
                                            status(422, json)), {"finish"}},
      {"an operation that the server forgot",
       operation([](auto& m) { return "/v1/operations/1?q=" + m.repeated.percent; }, status(404, problem)), {"finish"}},
      {"an operation whose result is of another type",
       operation([](auto& m) { return "/v1/operations/1?" + m.use.link; }, status(200, json)), {"finish"}},
      {"a name without an address", fault(Errc::resolve, Sent::no)},
      {"connection refused", fault(Errc::connect, Sent::no)},
      {"no TLS session", fault(Errc::tls, Sent::no)},
      {"a broken connection", fault(Errc::send, Sent::maybe), all_verbs},
      {"a timeout", fault(Errc::timeout, Sent::maybe)},
      {"a cut response", fault(Errc::truncated, Sent::maybe, true), all_verbs},
      {"no HTTP", fault(Errc::protocol, Sent::maybe)},
      {"a response that is too large", fault(Errc::too_large, Sent::answered, true)},
  };
  for (const auto& [name, target] : targets()) {
    scenes.push_back({"302 to " + name, redirect(302, target), {"get", "list", "download"}});
    scenes.push_back({"307 to " + name, redirect(307, target), {"create", "send"}});
    scenes.push_back({"next page at " + name, page(target), {"list"}});
    scenes.push_back({"a monitor at " + name, operation(target, status(202, text, {{"Retry-After", "3000"}})), {"finish"}});
  }
  return scenes;
}

// ---- The network.

/// The fields and the body.
std::string fields_of(const noun::Attempt& attempt) {
  std::string text;
  for (const auto& [name, value] : attempt.headers) text += fmt::format("{}: {}\n", name, value);
  text += attempt.body;
  if (attempt.source != nullptr) {
    char bytes[4096];
    const auto reader = attempt.source->open().value();
    for (std::size_t count; (count = reader->read(bytes, sizeof bytes).value()) > 0;) text.append(bytes, count);
  }
  return text;
}

/// All servers of the world: the API, the token endpoint, and any other.
class World final : public noun::Transport {
 public:
  World(const Place& place, const Secret& secret, const Scene& scene, const Use& use, Witness& witness)
      : place_(place), secret_(secret), scene_(scene), use_(use), witness_(witness) {}

  Reply send(const noun::Attempt& attempt, const noun::StopToken&) override {
    const auto origin = noun::wire::origin_of(attempt.url);
    const bool to_token = attempt.url.starts_with(token_url);
    const bool to_api = origin == noun::wire::origin_of(api_url);
    const bool is_home = to_token ? place_.home == Home::token_endpoint : to_api && place_.home == Home::api;
    const bool is_link = links_.contains(std::string(attempt.url));
    if (is_home || place_.home == Home::links)
      received = received || !canary::found(secret_, fmt::format("{}\n{}", attempt.url, fields_of(attempt))).empty();
    if (!is_home)
      witness_.see(to_token ? "a request to the token endpoint"
                   : to_api ? "a request to the API"
                            : "a foreign request",
                   is_link ? fields_of(attempt) : fmt::format("{}\n{}", attempt.url, fields_of(attempt)));
    if (to_token) return use_.tokens[std::min(token_requests_++, use_.tokens.size() - 1)];
    const bool repeats = place_.repeats == Repeats::always || (received && place_.repeats != Repeats::never);
    auto reply = to_api ? scene_.reply({use_, repeats ? secret_in_replies_ : nothing_, number++})
                        : Reply(Response{.status = 200, .body = "[]"});
    if (reply) keep_links(*reply, attempt.url);
    if (reply && attempt.sink != nullptr && reply->status < 300)
      if (const auto takes = attempt.sink->begin(*reply); takes && *takes) {
        const auto written = attempt.sink->write(reply->body);
        reply->body.clear();
        if (!written) return written.error();
      }
    return reply;
  }

  /// The requests of the current call to the API.
  std::size_t number = 0;
  /// Whether the secret was received in the current call where it belongs.
  bool received = false;

 private:
  void keep_links(const Response& response, std::string_view url) {
    const auto location = response.headers.get("Location").value_or("");
    auto link = response.headers.get("Link").value_or("<>");
    link = link.substr(1, link.find('>') - 1);
    for (const auto target : {location, link})
      links_.insert(noun::wire::resolve_written(url, target.substr(0, target.find('#'))));
  }

  const Place& place_;
  const Secret& secret_;
  const Scene& scene_;
  const Use& use_;
  Witness& witness_;
  const Repeated secret_in_replies_{secret_.text};
  const Repeated nothing_{"nothing"};
  std::size_t token_requests_ = 0;
  /// Where the server led to. It chose these URLs with all that is in them.
  std::set<std::string> links_;
};

/// Every verb, in one scene. Returns whether the secret reached the server where it belongs.
bool play(const Place& place, const Secret& secret, const Scene& scene, Witness& witness) {
  Use use;
  auto& options = use.client;
  options.credentials = noun::oauth2_client_credentials(oauth());
  options.dialect.partition_header = "X-Partition";
  options.dialect.stream.error_events = {"error"};
  options.retry = {.max_attempts = 2, .jitter = 0};
  options.quota.max_wait = 1h;
  options.limits.redirects = 3;
  use.finish.deadline = 30min;
  options.strict_statuses = scene.name.starts_with("207");
  options.clock = std::make_shared<noun::testing::ManualClock>();
  options.quota_ledger = noun::make_quota_ledger();
  options.observer = witness.observer();
  const auto world = std::make_shared<World>(place, secret, scene, use, witness);
  options.transport = world;
  place.put(use, secret.text);
  witness.begin(scene.name);
  auto api = options.transport ? noun::Client::create(use.base_url, options)
                               : resource_test::proxied_client(world, use.base_url, options);
  witness.see(api);
  if (!api) return false;
  if (use.copy) api = api->with(*use.copy);
  bool arrived = world->received;
  const auto starts = [&](const char* verb) {
    witness.begin(fmt::format("{}, {}", scene.name, verb));
    world->number = 0;
    arrived = std::exchange(world->received, false) || arrived;
    return scene.verbs.contains(verb);
  };

  if (starts("get")) witness.see(api->singleton<Row>("row").get(use.call));
  const auto rows = api->collection<Row>("rows");
  if (starts("create"))
    witness.see(use.body.empty() ? rows.create<Row>(use.item, use.call) : rows.create<Row>(use.body, use.call));
  if (starts("list")) {
    auto list = rows.list(use.list);
    for (const auto& row : list) {
      witness.see(row);
      // Before the listing has started, it is what the program passed.
      if (list.bookmark() != use.list.resume) witness.see("Listing::bookmark()", list.bookmark());
    }
  }
  if (starts("send")) witness.see(api->send(use.request, use.call));
  if (starts("download"))
    witness.see(api->download(
        use.file, [](std::string_view) {}, use.download));
  if (starts("stream")) {
    auto stream = api->stream<Row>({.path = "changes"}, use.stream);
    if (auto first = noun::future(noun::op::next_event(stream)).get(); !first) witness.see(first.error());
    for (const auto& row : stream) witness.see(row);
  }
  if (starts("finish")) {
    const auto finish = noun::op::finish<Row>(*api, noun::op::create<void>(rows, use.item, use.call), use.finish);
    const auto finished = noun::future(finish).get();
    witness.see(finished);
    if (!finished) witness.see("Error::poll_token()", finished.error().poll_token());
    witness.see(api->finish<Row>(use.token, use.finish));
    world->number = 0;
    // Of a response that is given, noun does not know the request.
    if (const auto started = rows.create<void>(use.item, use.call); place.repeats != Repeats::if_received_in_this_call) {
      if (const auto token = api->poll_token(started))
        witness.see("Client::poll_token()", *token);
      else
        witness.see(token);
    }
  }
  return arrived || world->received;
}

TEST(Canary, is_found_in_no_visible_place) {
  const auto places = all_places();
  const auto scenes = all_scenes();
  std::vector<canary::Row> rows;
  std::set<std::string_view> names;
  std::set<std::string_view> surfaces;
  for (std::size_t number = 0; number < places.size(); ++number) {
    const auto& place = places[number];
    const Secret secret(number, place.between);
    const Secret for_hosts(number, canary::legal_everywhere);
    Witness witness;
    bool arrived = false;
    for (const auto& scene : scenes) {
      const bool in_host = scene.name.find("in the host") != std::string::npos;
      arrived = play(place, in_host ? for_hosts : secret, scene, witness) || arrived;
    }
    EXPECT_EQ(arrived, place.home != Home::nowhere) << place.name;
    EXPECT_GE(witness.surfaces.size(), 10U) << place.name;
    EXPECT_TRUE(names.insert(place.name).second) << place.name << " is there twice";
    for (const auto& [surface, texts] : witness.surfaces) surfaces.insert(surface);
    canary::search(place.name, secret, witness.surfaces, rows);
  }
  EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
  EXPECT_GE(places.size(), 60U);
  EXPECT_GE(surfaces.size(), 25U);
  RecordProperty("places", static_cast<int>(places.size()));
  RecordProperty("rows", static_cast<int>(rows.size()));
  fmt::print("{} places, {} scenes, {} surfaces, {} rows\n", places.size(), scenes.size(), surfaces.size(),
             rows.size());
}

TEST(Canary, would_be_found_in_every_spelling) {
  const Secret secret(7, canary::awkward);
  const auto is_found = [&](const std::string& text) { return !canary::found(secret, text).empty(); };
  EXPECT_TRUE(is_found("a " + secret.text));
  EXPECT_TRUE(is_found("https://CAN007ARY.example.com"));
  EXPECT_TRUE(is_found(canary::percent_encoded(secret.text)));
  EXPECT_TRUE(is_found(canary::percent_encoded(canary::percent_encoded(secret.text))));
  EXPECT_TRUE(is_found(canary::json_escaped(secret.text)));
  EXPECT_TRUE(is_found("eGNhbjAwN2FyeQ==")) << "x and the mark";
  EXPECT_TRUE(is_found("eHhjYW4wMDdhcnk=")) << "xx and the mark";
  EXPECT_TRUE(is_found("Y2FuMDA3YXJ5eA==")) << "the mark and x";
  EXPECT_FALSE(is_found("can008ary Y2FuMDA4YXJ5"));
}

}  // namespace canary_test
}  // namespace journeys
