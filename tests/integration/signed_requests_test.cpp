// What is signed is what a server receives: it computes the signatures from the bytes on the wire.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <noun/noun.hpp>

#include "curl/raw_server.hpp"
#include "wire/ascii.hpp"
#include "wire/base64url.hpp"
#include "wire/digest.hpp"
#include "wire/message_signature.hpp"
#include "wire/sigv4.hpp"

namespace integration { namespace signed_requests_test {

namespace wire = noun::wire;
using noun::Method;
using noun_test::RawServer;

constexpr auto* secret = "the secret";

/// A request as it was received.
struct Received {
  explicit Received(std::string_view raw) {
    const auto end = raw.find("\r\n\r\n");
    body = raw.substr(end + 4);
    auto head = raw.substr(0, end);
    auto line = wire::take_element(head, "\r\n");
    method = wire::take_element(line, " ");
    target = wire::take_element(line, " ");
    while (!head.empty()) {
      auto field = wire::take_element(head, "\r\n");
      const auto name = wire::take_element(field, ":");
      fields.add(name, wire::trimmed(field));
    }
  }
  std::string field(std::string_view name) const { return std::string(fields.get(name).value_or("none")); }
  std::string url() const { return "http://" + field("Host") + target; }

  std::string method;
  std::string target;
  noun::Headers fields;
  std::string body;
};

std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const auto from = text.find(before) + before.size();
  return std::string(text.substr(from, text.find(after, from) - from));
}

std::string aws_authorization(const Received& received) {
  const auto names = ";" + between(received.field("Authorization"), "SignedHeaders=", ",") + ";";
  noun::Headers covered;
  for (const auto& [name, value] : received.fields)
    if (name != "Host" && names.find(";" + wire::lowered(name) + ";") != std::string::npos) covered.add(name, value);
  const auto hash = wire::hexadecimal(wire::sha256(received.body));
  return wire::sigv4_authorization({received.method, received.url(), covered, hash},
                                   {"AKIDEXAMPLE", secret, "us-east-1", "execute-api"}, received.field("X-Amz-Date"));
}

std::string http_signature(const Received& received, const std::vector<std::string_view>& names) {
  std::vector<wire::SignatureComponent> components;
  for (const auto name : names) components.push_back(wire::parse_component(name).value());
  const auto input = received.field("Signature-Input").substr(std::string_view("sig1=").size());
  const auto base = wire::signature_base(components, input, {received.method, received.url(), received.fields});
  return "sig1=:" + wire::base64_encode(wire::hmac_sha256(secret, base.text)) + ":";
}

/// The requests that a client with these credentials sends: at once, and in the background.
std::vector<Received> received_of(const noun::Credentials& credentials) {
  RawServer server([](RawServer::Peer& peer) {
    while (const auto request = peer.request()) {
      const std::string_view response = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";
      peer.send(response.substr(0, response.size() - (request->starts_with("HEAD") ? 1 : 0)));
    }
  });
  for (const std::string host : {"LocalHost", "127.1"}) {
    const noun::Client api("http://" + host + ":" + std::to_string(server.port()), {.credentials = credentials});
    const auto things = api.collection("a/b:c");
    EXPECT_TRUE(things.item("\u00e4 /%").get({.query = {{"b", "1 +"}, {"a", "\u65e5&="}, {"b", ""}}}));
    EXPECT_TRUE(things.create(noun::Json{{"a", "b"}}, {.headers = {{"X-A", " x   y "}}}));
    EXPECT_TRUE(api.send({.method = Method::head, .path = "x?empty&q=%7e"}));
    EXPECT_TRUE(api.send({.method = Method::put, .path = "", .body = "text"}));
    const std::vector operations = {noun::op::get(things.item("c"), {.query = {{"q", "*"}}})};
    for (const auto& got : api.run_all(operations)) EXPECT_TRUE(got);
  }
  std::vector<Received> all;
  for (const auto& raw : server.requests()) all.emplace_back(raw);
  EXPECT_EQ(all.size(), 10U);
  return all;
}

TEST(SignedRequests, have_the_aws_signature_of_what_is_received) {
  const noun::AwsSigv4 options{
      .access_key = "AKIDEXAMPLE", .secret_key = secret, .region = "us-east-1", .service = "execute-api"};
  for (const auto& received : received_of(noun::aws_sigv4(options)))
    EXPECT_EQ(received.field("Authorization"), aws_authorization(received)) << received.method << " " << received.url();
}

TEST(SignedRequests, have_the_message_signature_of_what_is_received) {
  const noun::HttpSignature options{.key = secret,
                                    .algorithm = noun::SignatureAlgorithm::hmac_sha256,
                                    .components = {"@method", "@target-uri", "@request-target", "accept",
                                                   "content-digest", "content-length", "date"}};
  for (const auto& received : received_of(noun::http_signature(options))) {
    std::vector<std::string_view> names{"@method", "@target-uri", "@request-target", "accept"};
    if (!received.body.empty()) names.insert(names.end(), {"content-digest", "content-length"});
    names.push_back("date");
    EXPECT_EQ(received.field("Signature"), http_signature(received, names)) << received.method << " " << received.url();
  }
}

}  // namespace signed_requests_test
}  // namespace integration
