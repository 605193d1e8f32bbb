// Tests of clients with nginx: protocols, certificates, sockets, content codings, and connection reuse.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <noun/noun.hpp>

#include "curl/certificates.hpp"
#include "curl/content_decoder.hpp"
#include "encoders.hpp"
#include "integration/atlas_round.hpp"
#include "integration/nginx.hpp"
#include "os/temporary_folder.hpp"

namespace integration { namespace server_round_test {

using noun::Errc;
using noun::Json;
using noun::Sent;
using noun_test::Certificates;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A trusted authority, an intermediate one, an unknown one, and certificates that they signed. Created once.
const Certificates& certificates() {
  static const auto made = [] {
    auto all = std::make_unique<Certificates>();
    all->issue("root", "", {.subject = "DNS:root.test", .authority = true});
    all->issue("middle", "root", {.subject = "DNS:middle.test", .authority = true});
    all->issue("stranger", "", {.subject = "DNS:stranger.test", .authority = true});
    all->issue("good", "root", {});
    all->issue("deep", "middle", {});
    all->chain("whole", {"deep", "middle"});
    all->issue("expired", "root", {.from = "20200101000000Z", .until = "20201231000000Z"});
    all->issue("early", "root", {.from = "20900101000000Z", .until = "20901231000000Z"});
    all->issue("elsewhere", "root", {.subject = "DNS:elsewhere.test,DNS:*.127.0.0.1"});
    all->issue("self", "", {});
    all->issue("strange", "stranger", {});
    all->issue("person", "root", {.subject = "DNS:person.test"});
    return all;
  }();
  return *made;
}

std::string tls_with(const std::string& certificate, const std::string& key) {
  return "ssl_certificate " + certificates().path(certificate + ".pem") + "; ssl_certificate_key " +
         certificates().path(key + ".key") + ";";
}
std::string tls_with(const std::string& name) { return tls_with(name, name); }
noun::Tls trusting_root() { return {.ca_file = certificates().path("root.pem")}; }

std::string base_url(const Nginx& nginx, const std::string& scheme = "https") {
  return scheme + "://127.0.0.1:" + std::to_string(nginx.port());
}

/// Responds `{"n": 7}` at every path.
constexpr const char* seven = R"( location / { default_type application/json; return 200 '{"n": 7}'; } )";

/// Expects that this client receives it.
void expect_seven(const noun::Client& api) {
  const auto got = api.collection("things")[1].get();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ((*got)["n"], 7);
}

TEST(Server, that_is_not_trusted_is_a_tls_error_and_receives_no_request) {
  const std::pair<const char*, const char*> cases[] = {
      {"expired", "expired"},  {"early", "not yet valid"}, {"elsewhere", "subject name"},
      {"self", "self-signed"}, {"strange", "issuer"},      {"deep", "issuer"},
  };
  for (const auto& [certificate, words] : cases) {
    SCOPED_TRACE(certificate);
    Nginx nginx("server { listen @4 ssl; " + tls_with(certificate) + seven + "}");
    const noun::Client api{base_url(nginx), {.credentials = noun::bearer("canary"), .tls = trusting_root()}};
    const auto made = api.collection("things").create(Json{{"canary", true}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Errc::tls) << made.error().message();
    EXPECT_EQ(made.error().sent(), Sent::no);
    EXPECT_EQ(made.error().attempts(), 1);
    EXPECT_THAT(made.error().message(), AllOf(HasSubstr(words), Not(HasSubstr("canary"))));
    EXPECT_THAT(nginx.stop(), IsEmpty());
  }
}

TEST(Server, with_a_complete_chain_is_trusted) {
  Nginx nginx("server { listen @4 ssl; " + tls_with("whole", "deep") + seven + "}");
  expect_seven(noun::Client{base_url(nginx), {.tls = trusting_root()}});
}

TEST(ClientCertificate, is_sent_on_request) {
  const auto verifying = "server { listen @4 ssl; " + tls_with("good") +
                         " ssl_verify_client on; ssl_client_certificate " + certificates().path("root.pem") + ";" +
                         seven + "}";
  auto tls = trusting_root();
  {
    Nginx nginx(verifying);
    const auto refused = noun::Client{base_url(nginx), {.tls = tls}}.collection("things")[1].get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status(), 400) << refused.error().message();
    EXPECT_THAT(refused.error().message(), HasSubstr("certificate"));
  }
  tls.client_certificate = certificates().path("person.pem");
  tls.client_key = certificates().path("person.key");
  Nginx nginx(verifying);
  expect_seven(noun::Client{base_url(nginx), {.tls = tls}});
}

/// The configuration of nginx as a TLS proxy for the sample server.
std::string in_front_of(const atlas::Service& service, const std::string& listen) {
  return "server { listen @4 " + listen + "; " + tls_with("good") + " location / { proxy_pass " + service.base_url() +
         "; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto https; proxy_redirect off; } }";
}

/// The nginx option of a protocol, and its name in the log.
constexpr std::pair<const char*, const char*> protocols[] = {{"ssl", "HTTP/1.1"}, {"ssl http2", "HTTP/2.0"}};

TEST(Protocol, sends_every_verb_and_a_listing_over_one_connection) {
  for (const auto& [listen, spoken] : protocols) {
    SCOPED_TRACE(spoken);
    atlas::Service service;
    Nginx nginx(in_front_of(service, listen));
    const noun::Client api{base_url(nginx), {.tls = trusting_root()}};
    const auto languages = api.collection<Language>("languages");
    ASSERT_TRUE(languages.create({.alpha_3 = "qat", .name = "First"}));
    EXPECT_EQ(languages["qat"].replace({.alpha_3 = "qat", .name = "Second"}).value().name, "Second");
    EXPECT_EQ(languages["qat"].update(Json{{"name", "Third"}}).value().name, "Third");
    EXPECT_TRUE(languages["qat"].remove());
    EXPECT_EQ(languages["qat"].get().error().code(), Errc::not_found);
    std::size_t items = 0;
    for (const auto& script : api.collection("scripts").list({.page_size = 20})) items += script ? 1 : 0;
    EXPECT_EQ(items, service.stats().items.at("scripts"));
    const auto seen = nginx.stop();
    EXPECT_EQ(seen.size(), service.stats().requests);
    EXPECT_THAT(seen, Each(AllOf(Field(&Seen::protocol, spoken), Field(&Seen::connection, seen.at(0).connection))));
  }
}

TEST(Protocol, an_idle_connection_that_the_server_closed_is_replaced_and_each_request_is_sent_once) {
  for (const auto& [listen, spoken] : protocols) {
    SCOPED_TRACE(spoken);
    Nginx nginx("server { listen @4 " + std::string(listen) + "; " + tls_with("good") +
                R"( location / { default_type application/json; return 201 '{"n": 7}'; } })");
    const noun::Client api{base_url(nginx), {.tls = trusting_root()}};
    for (int round = 0; round < 3; ++round) {
      const auto made = api.collection("things").create(Json{{"round", round}});
      ASSERT_TRUE(made) << made.error().message();
      nginx.close_idle();
    }
    const auto seen = nginx.stop();
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_NE(seen[0].connection, seen[1].connection);
    EXPECT_NE(seen[1].connection, seen[2].connection);
  }
}

std::size_t connections_in(const std::vector<Seen>& all) {
  std::set<std::string> connections;
  for (const auto& seen : all) connections.insert(seen.connection);
  return connections.size();
}

TEST(Connections, are_shared_by_copies_and_by_clients_of_the_same_identity_only) {
  Nginx nginx("server { listen @4 ssl; " + tls_with("good") + seven + "}");
  const noun::ClientOptions mine{.tls = trusting_root(), .identity = "server-round"};
  const noun::Client first{base_url(nginx), mine};
  const noun::Client copy = first;
  const noun::Client second{base_url(nginx), mine};
  for (const auto& api : {first, copy, second, first}) expect_seven(api);
  const noun::Client other{base_url(nginx), {.tls = trusting_root(), .identity = "another"}};
  const noun::Client nameless{base_url(nginx), {.tls = trusting_root()}};
  for (const auto& api : {other, nameless, other, nameless}) expect_seven(api);
  const auto seen = nginx.stop();
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_EQ(connections_in(seen), 3U);
}

TEST(Codings, of_nginx_are_decoded) {
  const std::string text(3000, 'n');
  Nginx nginx(
      "server { listen @4; gzip on; gzip_min_length 1; gzip_types application/json; location / { default_type "
      "application/json; return 200 '[\"" +
      text + "\"]'; } }");
  const noun::Client api{base_url(nginx, "http")};
  const auto got = api.collection("things")[1].get();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ((*got)[0], text);
}

TEST(Codings, br_of_nginx_is_decoded) {
  const std::string module = "/usr/lib/nginx/modules/ngx_http_brotli_filter_module.so";
  if (!noun::has_brotli() || !std::filesystem::exists(module)) GTEST_SKIP() << "built without libbrotlidec, or no module";
  const std::string text(3000, 'n');
  Nginx nginx(
      "server { listen @4; brotli on; brotli_min_length 1; brotli_types application/json; location / { default_type "
      "application/json; add_header Accepted $http_accept_encoding; return 200 '[\"" +
          text + "\"]'; } }",
      module);
  const noun::Client api{base_url(nginx, "http")};
  const auto got = api.send({.path = "things/1"});
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(got->body, "[\"" + text + "\"]");
  EXPECT_EQ(got->headers.get("Accepted"), noun::decoded_codings());
  EXPECT_FALSE(got->headers.contains("Content-Length")) << "it is not encoded";
}

TEST(Codings, zstd_that_nginx_has_in_a_file_is_decoded) {
  if (!noun::has_zstd()) GTEST_SKIP() << "built without libzstd";
  Nginx nginx(
      "server { listen @4; location /things/ { alias @folder; default_type application/json; "
      "add_header Content-Encoding zstd; } }");
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",";
  text += "0]";
  std::ofstream(nginx.path("1")) << noun_test::zstd(text.substr(0, 1000)) << noun_test::zstd(text.substr(1000));
  const noun::Client api{base_url(nginx, "http")};
  const auto got = api.send({.path = "things/1"});
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_TRUE(got->body == text);
  EXPECT_FALSE(got->headers.contains("Content-Encoding"));
}

TEST(Codings, that_were_not_requested_are_a_protocol_error) {
  Nginx nginx(
      "server { listen @4; location / { default_type application/json; add_header Content-Encoding compress; return 200 "
      "'[1]'; } }");
  const noun::Client api{base_url(nginx, "http"), {.retry = {.max_attempts = 1}}};
  const auto got = api.collection("things")[1].get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Errc::protocol) << got.error().message();
}

TEST(Ipv6, works) {
  if (!has_ipv6()) GTEST_SKIP() << "the machine has no IPv6 loopback";
  Nginx nginx("server { listen @4; listen @6; " + std::string(seven) + "}");
  expect_seven(noun::Client{"http://[::1]:" + std::to_string(nginx.port6()), {.credentials = noun::bearer("token")}});
}

TEST(UnixSocket, reaches_the_server_for_any_host_name) {
  Nginx nginx("server { listen @4; listen unix:@foldersocket; " + std::string(seven) + "}");
  const noun::Client api{"http://service", {.credentials = noun::bearer("token"), .unix_socket = nginx.path("socket")}};
  for (int i = 0; i < 3; ++i) expect_seven(api);
  const auto seen = nginx.stop();
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_EQ(connections_in(seen), 1U);
}

TEST(UnixSocket, without_a_listener_is_a_connect_error) {
  const noun_test::TemporaryFolder folder;
  const noun::Client api{"http://service", {.retry = {.max_attempts = 1}, .unix_socket = folder.path("nothing")}};
  const auto got = api.collection("things")[1].get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Errc::connect) << got.error().message();
  EXPECT_EQ(got.error().sent(), Sent::no);
  EXPECT_EQ(got.error().what(),
            "cannot connect to the Unix socket " + folder.path("nothing") + ": No such file or directory");
  EXPECT_EQ(got.error().advice(), "check ClientOptions::unix_socket, and that a server listens there");
}

TEST(UnixSocket, with_conflicting_options_is_refused) {
  const std::pair<noun::ClientOptions, const char*> cases[] = {
      {{.unix_socket = std::string(108, 'a')}, "longer than 107 bytes"},
      {{.unix_socket = std::string("/a\0b", 4)}, "a NUL in it"},
      {{.proxy = "http://127.0.0.1:1", .unix_socket = "/a"}, "are both set"},
      {{.trusted_origins = {"http://other"}, .unix_socket = "/a"}, "cannot reach a trusted origin"},
      {{.transport = noun::libcurl_transport({}).value(), .unix_socket = "/a"}, "ignores ClientOptions::unix_socket"},
  };
  for (const auto& [options, because] : cases) {
    const auto client = noun::Client::create("http://service", options);
    ASSERT_FALSE(client) << because;
    EXPECT_EQ(client.error().code(), Errc::invalid_argument);
    EXPECT_THAT(client.error().message(), HasSubstr(because));
  }
}

/// A tinyproxy on a free port.
class ForwardProxy {
 public:
  explicit ForwardProxy(const std::string& more = "") {
    // Another process may take the port meanwhile.
    for (int tries = 4; tries > 0 && !start(more); --tries) continue;
    if (!process_) throw std::runtime_error("tinyproxy does not start");
  }
  std::string url(const std::string& user = "") const {
    return "http://" + user + "127.0.0.1:" + std::to_string(port_);
  }

 private:
  bool start(const std::string& more) {
    port_ = free_port();
    folder_.write("tinyproxy.conf", "Port " + std::to_string(port_) +
                                        "\nListen 127.0.0.1\nTimeout 20\nMaxClients 20\n"
                                        "DisableViaHeader Yes\nLogLevel Info\n" +
                                        more);
    process_ = std::make_unique<ChildProgram>(
        std::vector<std::string>{"stdbuf", "-oL", "tinyproxy", "-d", "-c", folder_.path("tinyproxy.conf")});
    try {
      process_->wait_for_output("Accepting connections");
    } catch (const std::runtime_error&) {
      process_.reset();
    }
    return process_ != nullptr;
  }

  noun_test::TemporaryFolder folder_;
  std::uint16_t port_ = 0;
  std::unique_ptr<ChildProgram> process_;
};

TEST(Proxy, forwards_http_and_https) {
  const ForwardProxy proxy;
  atlas::Service service;
  Nginx nginx(in_front_of(service, "ssl http2"));
  const noun::Client plain{service.base_url(), {.proxy = proxy.url()}};
  EXPECT_EQ(plain.collection<Language>("languages")["deu"].get().value().name, "German");
  const noun::Client tunnelled{base_url(nginx), {.tls = trusting_root(), .proxy = proxy.url()}};
  const auto got = tunnelled.collection<Language>("languages")["deu"].get();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(service.stats().requests, 2U);
}

TEST(Proxy, receives_its_credentials_and_rejects_wrong_ones) {
  const ForwardProxy proxy("BasicAuth user pass-w0rd\n");
  atlas::Service service;
  Nginx nginx(in_front_of(service, "ssl"));
  for (const auto& base : {service.base_url(), base_url(nginx)}) {
    const noun::Client good{base, {.tls = trusting_root(), .proxy = proxy.url("user:pass-w0rd@")}};
    const auto got = good.collection<Language>("languages")["deu"].get();
    EXPECT_TRUE(got) << got.error().message();
    for (const auto* user : {"", "user:wrong-canary@"}) {
      const noun::Client bad{base, {.retry = {.max_attempts = 1}, .tls = trusting_root(), .proxy = proxy.url(user)}};
      const auto refused = bad.collection<Language>("languages")["deu"].get();
      ASSERT_FALSE(refused);
      EXPECT_THAT(refused.error().message(), Not(HasSubstr("canary")));
      // For plain HTTP with wrong credentials this proxy responds 401, as the server itself might.
      const bool is_proxy_error = base == base_url(nginx) || std::string_view(user).empty();
      EXPECT_THAT(refused.error().message(),
                  HasSubstr(is_proxy_error ? "check the user and password in ClientOptions::proxy" : "401"))
          << base;
    }
  }
  EXPECT_EQ(service.stats().requests, 2U);
}

}  // namespace server_round_test
}  // namespace integration
