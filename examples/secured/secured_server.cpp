// The server of the examples about credentials: a collection that wants signatures, and one that wants tokens, with
// the token endpoint. Prints its address, and ends when its standard input does.
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto life_of_tokens = std::chrono::seconds(2);

std::string signature_of(const httplib::Request& request) {
  const auto key = std::string("the key of this example");
  const auto text = fmt::format("{}\n{}\n{}\n{}", request.method, request.target, request.get_header_value("X-Date"),
                                request.body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest, &size);
  std::string signature = "HMAC-SHA256 ";
  for (unsigned i = 0; i < size; ++i) signature += fmt::format("{:02x}", digest[i]);
  return signature;
}

void respond(httplib::Response& response, int status, const std::string& json) {
  response.status = status;
  response.set_content(json, "application/json");
}

class SecuredServer {
 public:
  SecuredServer() {
    server_.Post("/token", [this](const auto& request, auto& response) { issue(request, response); });
    server_.Get("/reports/(\\d+)", [this](const auto& request, auto& response) { report(request, response); });
    const auto serve = [this](const auto& request, auto& response) { order(request, response); };
    server_.Post("/orders", serve);
    server_.Get("/orders/1", serve);
  }
  int bind() { return server_.bind_to_any_port("127.0.0.1"); }
  void run() { server_.listen_after_bind(); }
  void stop() { server_.stop(); }

 private:
  void issue(const httplib::Request& request, httplib::Response& response) {
    const auto expected = httplib::make_basic_authentication_header("example", "the%20secret%20of%20this%20example");
    if (request.get_header_value("Authorization") != expected.second ||
        request.get_param_value("grant_type") != "client_credentials")
      return respond(response, 401, R"({"error": "invalid_client"})");
    const std::lock_guard lock(mutex_);
    const auto token = fmt::format("token-{}", tokens_.size() + 1);
    tokens_["Bearer " + token] = Clock::now() + life_of_tokens;
    respond(response, 200, fmt::format(R"({{"access_token": "{}", "token_type": "Bearer", "expires_in": {}}})", token,
                                       life_of_tokens.count()));
  }
  void report(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    const auto token = tokens_.find(request.get_header_value("Authorization"));
    if (token == tokens_.end() || token->second <= Clock::now()) return respond(response, 401, "{}");
    respond(response, 200,
            fmt::format(R"({{"report": {}, "tokens": {}}})", request.matches[1].str(), tokens_.size()));
  }
  void order(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    const auto signature = request.get_header_value("Authorization");
    if (signature != signature_of(request) || !signatures_.insert(signature).second)
      return respond(response, 401, R"({"message": "the signature is wrong or was used before"})");
    if (request.method == "GET" && !std::exchange(has_failed_, true)) return respond(response, 503, "{}");
    respond(response, request.method == "GET" ? 200 : 201, R"({"id": 1, "item": "teapot"})");
  }

  httplib::Server server_;
  std::mutex mutex_;
  std::map<std::string, Clock::time_point> tokens_;
  std::set<std::string> signatures_;
  bool has_failed_ = false;
};

}  // namespace

int main() {
  SecuredServer server;
  const int port = server.bind();
  if (port <= 0) return 1;
  std::thread runs([&] { server.run(); });
  fmt::print("listening on http://127.0.0.1:{}\n", port);
  std::fflush(stdout);
  char ignored[64];
  while (::read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
  }
  server.stop();
  runs.join();
}
