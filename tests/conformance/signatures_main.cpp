// Random requests that noun signs. tests/conformance/signatures compares them with npm's aws4 and http-message-signatures.
//
//   signatures COUNT SEED KEYS   prints each request as it was sent, and what signed it, as a line of JSON. KEYS is
//                                tests/data/message_signature_keys.json
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

namespace {

using namespace std::literals;
using noun::Json;
using noun::Method;
using noun::SignatureAlgorithm;

/// Keeps the last request.
class KeepingTransport final : public noun::Transport {
 public:
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken&) override {
    Json headers = Json::array();
    for (const auto& [name, value] : attempt.headers) headers.push_back(Json::array({name, value}));
    last = {{"method", to_string(attempt.method)}, {"url", attempt.url}, {"headers", headers}, {"body", attempt.body}};
    return noun::Response{.status = 200, .body = "1"};
  }
  Json last;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> of) {
    return *(of.begin() + below(of.size()));
  }
  std::string text(std::size_t most) {
    std::string out;
    for (auto left = below(most + 1); left > 0; --left)
      out +=
          pick({"a"sv,  "B"sv,  "7"sv, "-"sv, "."sv, "_"sv, " "sv, "/"sv, "%"sv,      "+"sv,      "&"sv,         "="sv,
                "\""sv, "\\"sv, "?"sv, ":"sv, ","sv, ";"sv, "@"sv, "#"sv, "\u00e4"sv, "\u65e5"sv, "\U0001F600"sv});
    return out;
  }
  std::string word() { return "w" + std::to_string(below(1000)); }
  std::string value() {
    std::string out = word();
    for (auto left = below(4); left > 0; --left) out.append(pick({" "sv, "  "sv, ", "sv, "=\""sv})).append(word());
    return out;
  }
  noun::Request request(bool has_repeated_names) {
    noun::Request request{.method = pick({Method::get, Method::head, Method::post, Method::put, Method::delete_})};
    for (auto segments = below(4); segments > 0; --segments) {
      request.path +=
          request.path.empty() ? "s" : pick({"/s"sv, "/%20"sv, "/%C3%A4"sv, "/%2F"sv, "/a%3Ab"sv, "/~-._"sv});
      request.path += word();
    }
    if (!request.path.empty() && one_in(5)) request.path += '/';
    for (auto parameters = below(5); parameters > 0; --parameters)
      request.query.add((has_repeated_names && one_in(3) ? "p" : text(3) + "p" + std::to_string(parameters)), text(6));
    for (auto fields = below(4); fields > 0; --fields)
      request.headers.add(pick({"X-A"sv, "X-B"sv, "Content-Language"sv, "X-Amz-Meta-C"sv}), value());
    if (request.method == Method::post || request.method == Method::put) {
      request.headers.set("Content-Type", "text/plain");
      request.body = text(40);
    }
    return request;
  }
  std::string_view base_url() {
    return pick({"https://api.example.com"sv, "https://API.example.com:8443/v1"sv, "http://localhost/b"sv});
  }

 private:
  std::mt19937_64 random_;
};

/// The clients of one run.
class Signed {
 public:
  Json send(Generator& random, const noun::Request& request, noun::Credentials credentials) {
    transport_->last = nullptr;
    const auto clock = std::make_shared<noun::testing::ManualClock>(
        noun::WallTime(std::chrono::seconds(1'700'000'000 + random.below(100'000'000))));
    const noun::Client api(random.base_url(), {.credentials = std::move(credentials),
                                               .transport = transport_,
                                               .clock = clock,
                                               .quota_ledger = noun::make_quota_ledger()});
    const auto sent = api.send(request);
    if (!sent) fmt::print(stderr, "{}\n", sent.error().message());
    return transport_->last;
  }

 private:
  std::shared_ptr<KeepingTransport> transport_ = std::make_shared<KeepingTransport>();
};

Json aws_case(Generator& random, Signed& clients) {
  const std::string_view service = random.pick({"s3"sv, "execute-api"sv, "es"sv});
  const noun::AwsSigv4 options{.access_key = "AKID" + random.word(),
                               .secret_key = random.text(20) + "s",
                               .session_token = random.one_in(2) ? "" : random.word(),
                               .region = random.pick({"us-east-1"sv, "eu-central-1"sv}),
                               .service = service};
  auto line = clients.send(random, random.request(service != "s3"), noun::aws_sigv4(options));
  line["aws"] = {{"access_key", options.access_key.str()},
                 {"secret_key", options.secret_key.str()},
                 {"region", options.region.str()},
                 {"service", service},
                 {"token", options.session_token.str()}};
  return line;
}

Json http_case(Generator& random, Signed& clients, const Json& keys) {
  constexpr std::pair<SignatureAlgorithm, std::string_view> algorithms[] = {
      {SignatureAlgorithm::rsa_v1_5_sha256, "rsa-v1_5-sha256"},
      {SignatureAlgorithm::rsa_pss_sha512, "rsa-pss-sha512"},
      {SignatureAlgorithm::ecdsa_p256_sha256, "ecdsa-p256-sha256"},
      {SignatureAlgorithm::ed25519, "ed25519"},
      {SignatureAlgorithm::hmac_sha256, "hmac-sha256"}};
  const auto which = random.below(std::size(algorithms));
  const auto& key = keys.at(which);
  const auto request = random.request(false);
  const bool has_field = request.headers.contains("X-A");
  const noun::HttpSignature options{
      .key = key.value("private", key.value("secret", "")),
      .algorithm = algorithms[which].first,
      .key_id = key.at("id").get<std::string>(),
      .components = random.pick<noun::TextList>({{"@method", "@target-uri", "content-digest"},
                                                 {"@authority", "@scheme", "@path", "@query", "date"},
                                                 {"@method", "content-digest", has_field ? "x-a" : "accept"},
                                                 {"@query", has_field ? "x-a;bs" : "accept;bs"}}),
      .with_nonce = random.one_in(2),
      .with_algorithm = true};
  auto line = clients.send(random, request, noun::http_signature(options));
  line["http"] = {{"key", key}, {"algorithm", algorithms[which].second}};
  return line;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return fmt::print(stderr, "usage: signatures COUNT SEED KEYS\n"), 2;
  Generator random(std::stoull(arguments[2]));
  std::ifstream in(arguments[3]);
  const auto keys = Json::parse(in);
  Signed clients;
  for (auto left = std::stoul(arguments[1]); left > 0; --left)
    fmt::print("{}\n", (left % 2 == 0 ? aws_case(random, clients) : http_case(random, clients, keys)).dump());
}
