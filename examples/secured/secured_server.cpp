// The server of the examples about credentials: a collection that wants signatures, and one that wants tokens, with
// the token endpoint. Prints its address, and ends when its standard input does.
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include "atlas_server.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto life_of_tokens = std::chrono::seconds(2);

std::string signature_of(const atlas::ReceivedRequest& request) {
  const auto key = std::string("the key of this example");
  const auto text = fmt::format("{}\n{}\n{}\n{}", request.method, request.target, request.field("X-Date"), request.body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest, &size);
  std::string signature = "HMAC-SHA256 ";
  for (unsigned i = 0; i < size; ++i) signature += fmt::format("{:02x}", digest[i]);
  return signature;
}

std::string basic_credentials(std::string_view user_and_password) {
  std::string text(4 * ((user_and_password.size() + 2) / 3), '=');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(user_and_password.data()),
                  static_cast<int>(user_and_password.size()));
  return "Basic " + text;
}

atlas::Response json(int status, std::string text) { return {.status = status, .body = std::move(text)}; }

class SecuredServer {
 public:
  SecuredServer() : server_("127.0.0.1", 0, atlas::WallClock({})) {
    server_.serve([this](const auto& request) { return atlas::Reply{.response = respond(request)}; });
  }
  std::uint16_t port() const { return server_.port(); }

 private:
  atlas::Response respond(const atlas::ReceivedRequest& request) {
    if (request.target == "/token") return issue(request);
    if (request.target.starts_with("/reports/")) return report(request);
    if (request.target.starts_with("/orders")) return order(request);
    return json(404, "{}");
  }
  atlas::Response issue(const atlas::ReceivedRequest& request) {
    if (request.field("Authorization") != basic_credentials("example:the%20secret%20of%20this%20example") ||
        request.body.find("grant_type=client_credentials") == std::string::npos)
      return json(401, R"({"error": "invalid_client"})");
    const auto token = fmt::format("token-{}", tokens_.size() + 1);
    tokens_["Bearer " + token] = Clock::now() + life_of_tokens;
    return json(200, fmt::format(R"({{"access_token": "{}", "token_type": "Bearer", "expires_in": {}}})", token,
                                 life_of_tokens.count()));
  }
  atlas::Response report(const atlas::ReceivedRequest& request) const {
    const auto token = tokens_.find(std::string(request.field("Authorization")));
    if (token == tokens_.end() || token->second <= Clock::now()) return json(401, "{}");
    const auto number = request.target.substr(request.target.rfind('/') + 1);
    return json(200, fmt::format(R"({{"report": {}, "tokens": {}}})", number, tokens_.size()));
  }
  atlas::Response order(const atlas::ReceivedRequest& request) {
    const std::string signature(request.field("Authorization"));
    if (signature != signature_of(request) || !signatures_.insert(signature).second)
      return json(401, R"({"message": "the signature is wrong or was used before"})");
    if (request.method == "GET" && !std::exchange(has_failed_, true)) return json(503, "{}");
    return json(request.method == "GET" ? 200 : 201, R"({"id": 1, "item": "teapot"})");
  }

  std::map<std::string, Clock::time_point> tokens_;
  std::set<std::string> signatures_;
  bool has_failed_ = false;
  atlas::Server server_;
};

}  // namespace

int main() {
  const SecuredServer server;
  fmt::print("listening on http://127.0.0.1:{}\n", server.port());
  std::fflush(stdout);
  char ignored[64];
  while (::read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
  }
}
