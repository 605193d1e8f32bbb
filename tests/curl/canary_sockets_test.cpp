// Secrets on real sockets: what proxies, other origins and servers that break receive, and what errors show of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <noun/noun.hpp>

#include "curl/certificates.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_server.hpp"
#include "journeys/canary.hpp"
#include "os/temporary_folder.hpp"

namespace noun_test { namespace canary_sockets_test {

using namespace std::chrono_literals;
using canary::Secret;
using canary::Witness;
using Peer = RawServer::Peer;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// Where a program put the secret.
struct Place {
  const char* name;
  std::function<void(noun::ClientOptions&, noun::CallOptions&, const std::string& secret)> put;
};

std::vector<Place> all_places() {
  return {
      {"bearer()", [](auto& client, auto&, auto& s) { client.credentials = noun::bearer(s); }},
      {"basic()", [](auto& client, auto&, auto& s) { client.credentials = noun::basic("user", s); }},
      {"Authorization of the client",
       [](auto& client, auto&, auto& s) { client.headers.add("Authorization", "Bearer " + s); }},
      {"Cookie of the client", [](auto& client, auto&, auto& s) { client.headers.add("Cookie", s); }},
      {"X-Api-Key of the client", [](auto& client, auto&, auto& s) { client.headers.add("X-Api-Key", s); }},
      {"X-Acme of the call", [](auto&, auto& call, auto& s) { call.headers.add("X-Acme", s); }},
      {"ClientOptions::query", [](auto& client, auto&, auto& s) { client.query.add("code", s); }},
      {"api_key of the call", [](auto&, auto& call, auto& s) { call.query.add("api_key", s); }},
      {"secret_parameters",
       [](auto& client, auto& call, auto& s) {
         client.secret_parameters = "pin";
         call.query.add("pin", s);
       }},
  };
}

constexpr const char* silence = "a server that sends nothing";

/// A client for the scene, which makes one attempt.
noun::ClientOptions options_for(Witness& witness, std::string_view scene = {}) {
  return {.retry = {.max_attempts = 1},
          .timeouts = {.attempt = scene == silence ? 100ms : 10s},
          .limits = {.head = 2048, .body = 2048},
          .observer = witness.observer(),
          .quota_ledger = noun::make_quota_ledger()};
}

/// Sends `respond(request)`, then closes.
RawServer::Script once(std::function<std::string(const std::string& request)> respond) {
  return [respond = std::move(respond)](Peer& peer) {
    if (const auto request = peer.request()) peer.send(respond(*request));
    peer.finish();
    peer.until_closed();
  };
}

std::string line_of(std::string text) {
  for (char& c : text)
    if (c == '\r' || c == '\n') c = ' ';
  return text;
}

/// How a server breaks: each repeats the whole request.
std::vector<std::pair<const char*, RawServer::Script>> faults() {
  const auto fields = [](const std::string& request) { return "X-Request-Id: " + line_of(request) + "\r\n"; };
  return {
      {"a status line that is none", once([](auto& request) { return "HTTP/1.1 " + line_of(request) + "\r\n\r\n"; })},
      {"no HTTP", once([](auto& request) { return request; })},
      {"a field without a name",
       once([](auto& request) { return "HTTP/1.1 200 OK\r\n: " + line_of(request) + "\r\n\r\n"; })},
      {"a line that is no field", once([](auto& request) { return "HTTP/1.1 200 OK\r\n" + request; })},
      {"a length that is none",
       once([](auto& request) { return "HTTP/1.1 200 OK\r\nContent-Length: " + line_of(request) + "\r\n\r\n"; })},
      {"two lengths", once([=](auto& request) {
         return "HTTP/1.1 200 OK\r\n" + fields(request) + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n";
       })},
      {"a head that is too large", once([=](auto& request) {
         return "HTTP/1.1 200 OK\r\n" + fields(request) + fields(std::string(3000, 'x')) + "\r\n";
       })},
      {"a body that is too large",
       once([=](auto& request) { return http_response(request + std::string(3000, 'x'), fields(request)); })},
      {"a body that is cut", once([=](auto& request) {
         return "HTTP/1.1 200 OK\r\n" + fields(request) + "Content-Length: 2000\r\n\r\n" + request;
       })},
      {"chunks that are none",
       once([](auto& request) { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + request; })},
      {"a coding that is none",
       once([](auto& request) { return http_response(request, "Content-Encoding: gzip\r\n"); })},
      {"a coding of that name",
       once([](auto& request) { return http_response("x", "Content-Encoding: " + line_of(request) + "\r\n"); })},
      {silence, [](Peer& peer) { peer.request(), peer.until_closed(); }},
      {"a reset", [](Peer& peer) { peer.request(), peer.reset(); }},
      {"403", once([=](auto& request) { return http_response(request, fields(request), "403 Forbidden"); })},
      {"a reason of its own", once([](auto& request) { return http_response("", "", "403 " + line_of(request)); })},
      {"200 that is no JSON", once([=](auto& request) { return http_response(request, fields(request)); })},
      {"a redirect to another origin", once([](auto& request) {
         const auto target = request.substr(request.find('/'), request.find(" HTTP") - request.find('/'));
         return http_response("", "Location: https://127.0.0.1:1" + target + "\r\n", "302 Found");
       })},
  };
}

TEST(CanarySockets, servers_that_break_reveal_nothing) {
  std::vector<canary::Row> rows;
  std::size_t number = 200;
  for (const auto& place : all_places()) {
    const Secret secret(number++, canary::awkward);
    Witness witness;
    bool arrived = false;
    const auto call = [&](const char* scene, const std::string& url) {
      witness.begin(scene);
      auto options = options_for(witness, scene);
      noun::CallOptions of_call;
      place.put(options, of_call, secret.text);
      options.credentials_over_http = true;
      const noun::Client api{url, options};
      const auto result = api.singleton("x").get(of_call);
      EXPECT_FALSE(result) << scene;
      witness.see(result);
    };
    for (const auto& [name, script] : faults()) {
      const RawServer server(script);
      call(name, server.url(""));
      arrived = arrived || !canary::found(secret, server.last_request()).empty();
    }
    call("connection refused", "http://127.0.0.1:1");
    call("a name without an address", "https://nowhere.invalid");
    const RawServer no_tls([](Peer& peer) { peer.some(), peer.send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
    call("a server without TLS", no_tls.url("", "https"));
    EXPECT_TRUE(arrived) << place.name;
    canary::search(place.name, secret, witness.surfaces, rows);
  }
  EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
  EXPECT_GE(rows.size(), 9U * 12U);
}

TEST(CanarySockets, a_server_that_is_not_verified_receives_nothing) {
  Certificates certificates;
  certificates.make("own");
  for (const auto& place : all_places()) {
    const Secret secret(300, canary::awkward);
    TlsServer server(certificates, "own");
    Witness witness;
    auto options = options_for(witness);
    noun::CallOptions of_call;
    place.put(options, of_call, secret.text);
    const auto result = noun::Client(server.url(), options).singleton("x").get(of_call);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), noun::Errc::tls) << result.error().message();
    witness.see(result);
    witness.see("what the server saw", server.stop());
    std::vector<canary::Row> rows;
    canary::search(place.name, secret, witness.surfaces, rows);
    EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
  }
}

TEST(CanarySockets, a_proxy_receives_its_own_password_and_nothing_else) {
  std::vector<canary::Row> rows;
  const auto refuse = [](const char* status) {
    return once([=](const std::string& request) {
      return http_response(request, "Proxy-Authenticate: Basic realm=\"" + line_of(request) + "\"\r\n", status);
    });
  };
  const std::vector<std::pair<const char*, RawServer::Script>> proxies = {
      {"407", refuse("407 Proxy Authentication Required")},
      {"403", refuse("403 Forbidden")},
      {"502", refuse("502 Bad Gateway")},
      {"a redirect", once([](auto& request) {
         return http_response(request, "Location: http://127.0.0.1:1/" + line_of(request) + "\r\n", "302 Found");
       })},
      {"no HTTP", once([](auto& request) { return request; })},
      {"a tunnel that ends", once([](auto&) { return "HTTP/1.1 200 OK\r\n\r\n"; })},
      {silence, [](Peer& peer) { peer.request(), peer.until_closed(); }},
  };
  const Secret password(400, canary::awkward);
  std::size_t number = 401;
  for (const auto& place : all_places()) {
    const Secret secret(number++, canary::awkward);
    Witness witness;
    for (const auto& [name, script] : proxies) {
      witness.begin(name);
      const RawServer proxy(script);
      auto options = options_for(witness);
      noun::CallOptions of_call;
      place.put(options, of_call, secret.text);
      options.proxy = fmt::format("http://user:{}@127.0.0.1:{}", canary::percent_encoded(password.text), proxy.port());
      const noun::Client api{"https://service.invalid", options};
      const auto result = api.singleton("x").get(of_call);
      EXPECT_FALSE(result) << name;
      witness.see(result);
      // A tunnel that was not opened has seen one head.
      for (const auto& request : proxy.requests()) {
        EXPECT_THAT(request, ::testing::StartsWith("CONNECT service.invalid:443 HTTP/1.1\r\n"));
        EXPECT_FALSE(canary::found(password, request).empty());
        if (canary::found(secret, request).empty()) continue;
        ADD_FAILURE() << place.name << ", " << name << ": " << request;
      }
    }
    canary::search(place.name, secret, witness.surfaces, rows);
    canary::search("the password of the proxy", password, witness.surfaces, rows);
  }
  EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
}

/// Opens a tunnel to a port, and keeps the request for it.
void tunnel(Peer& peer, std::uint16_t port, std::string& head) {
  head = peer.request().value_or("");
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      peer.send("HTTP/1.1 200 OK\r\n\r\n")) {
    pollfd ends[] = {{.fd = peer.descriptor(), .events = POLLIN, .revents = 0},
                     {.fd = server, .events = POLLIN, .revents = 0}};
    char bytes[4096];
    for (bool open = true; open && ::poll(ends, 2, -1) > 0;)
      for (const std::size_t from : {0U, 1U}) {
        if (ends[from].revents == 0) continue;
        const auto count = ::recv(ends[from].fd, bytes, sizeof bytes, 0);
        open = open && count > 0 &&
               ::send(ends[1 - from].fd, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
      }
  }
  ::close(server);
}

TEST(CanarySockets, a_server_behind_a_tunnel_does_not_receive_the_password_of_the_proxy) {
  Certificates certificates;
  certificates.make("own");
  const Secret password(450, canary::awkward);
  const Secret token(451, canary::awkward);
  TlsServer server(certificates, "own");
  const auto address = server.url();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  std::string head;
  const RawServer proxy([&](Peer& peer) { tunnel(peer, port, head); });
  const auto body = noun::Client(address, {.credentials = noun::bearer(token.text),
                                           .tls = {.ca_file = certificates.path("own.pem")},
                                           .proxy = fmt::format("http://user:{}@127.0.0.1:{}",
                                                                canary::percent_encoded(password.text), proxy.port())})
                        .send({.path = "x"});
  EXPECT_TRUE(body) << body;
  const auto seen = server.stop();
  EXPECT_FALSE(canary::found(token, seen).empty());
  EXPECT_EQ(canary::found(password, seen), "");
  EXPECT_EQ(canary::found(token, head), "");
}

TEST(CanarySockets, a_redirect_sends_no_referer_and_another_origin_no_secret) {
  const RawServer other(once([](auto&) { return http_response("[]"); }));
  for (const auto& place : all_places()) {
    const Secret secret(500, canary::awkward);
    const RawServer server([&](Peer& peer) {
      while (const auto request = peer.request()) {
        const bool is_first = request->starts_with("GET /x?") || request->starts_with("GET /x ");
        const auto target = is_first ? std::string("/y") : other.url("/z");
        peer.send(http_response("", "Set-Cookie: sid=1\r\nLocation: " + target + "\r\n", "302 Found"));
      }
    });
    Witness witness;
    auto options = options_for(witness);
    noun::CallOptions of_call;
    place.put(options, of_call, secret.text);
    const noun::Client api{server.url(""), options};
    EXPECT_FALSE(api.singleton("x").get(of_call));
    EXPECT_TRUE(
        api.download({.path = "x"}, [](std::string_view) {}, {.query = of_call.query, .headers = of_call.headers}));
    EXPECT_EQ(canary::found(secret, other.last_request()), "") << place.name;
    for (const auto& request : server.requests()) EXPECT_THAT(request, Not(HasSubstr("\r\nCookie: sid=1")));
    const auto all = server.requests();
    EXPECT_THAT(all, Each(Not(HasSubstr("\r\nReferer:"))));
    EXPECT_THAT(other.last_request(), Not(HasSubstr("\r\nReferer:")));
  }
  EXPECT_EQ(other.connections(), all_places().size());
}

/// Encrypts a private key.
void encrypt(const std::string& from, const std::string& to, std::string phrase) {
  std::FILE* file = std::fopen(from.c_str(), "r");
  EVP_PKEY* key = PEM_read_PrivateKey(file, nullptr, nullptr, nullptr);
  std::fclose(file);
  file = std::fopen(to.c_str(), "w");
  ASSERT_EQ(PEM_write_PKCS8PrivateKey(file, key, EVP_aes_256_cbc(), phrase.data(), static_cast<int>(phrase.size()),
                                      nullptr, nullptr),
            1);
  std::fclose(file);
  EVP_PKEY_free(key);
}

TEST(CanarySockets, the_private_key_and_its_pass_phrase_are_not_shown) {
  Certificates certificates;
  certificates.make("own");
  const Secret phrase(600, canary::awkward);
  const Secret content(601, canary::awkward);
  encrypt(certificates.path("own.key"), certificates.path("locked.key"), "another " + phrase.text);
  TemporaryFolder folder;
  folder.write("text", content.text + "\n");
  folder.write("pem", "-----BEGIN PRIVATE KEY-----\n" + content.text + "\n-----END PRIVATE KEY-----\n");
  TlsServer server(certificates, "own", {"-Verify", "1"});
  Witness witness;
  for (const auto& key : {certificates.path("locked.key"), folder.path("text"), folder.path("pem")})
    for (const auto& certificate : {certificates.path("own.pem"), folder.path("text"), folder.path("pem")})
      for (const auto& authority : {certificates.path("own.pem"), folder.path("pem")}) {
        auto options = options_for(witness);
        options.tls = {.ca_file = authority,
                       .client_certificate = certificate,
                       .client_key = key,
                       .client_key_password = phrase.text};
        const auto api = noun::Client::create(server.url(), options);
        witness.see(api);
        if (!api) continue;
        const auto result = api->singleton("x").get();
        EXPECT_FALSE(result);
        witness.see(result);
      }
  std::vector<canary::Row> rows;
  canary::search("the pass phrase", phrase, witness.surfaces, rows);
  canary::search("the file of the key", content, witness.surfaces, rows);
  EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
  EXPECT_GE(witness.surfaces.size(), 8U);
}

}  // namespace canary_sockets_test
}  // namespace noun_test
