// Signs each request with HMAC-SHA256 in the way of one API, as payment providers want it. For the APIs of AWS and for HTTP
// message signatures (RFC 9421) noun does it: <noun/signatures.hpp>.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>

std::string hmac_sha256(std::string_view key, std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest, &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

/// Is called before each attempt: a retry gets a new date and a new signature.
noun::Headers sign(const noun::CredentialsRequest& request) {
  const auto date = std::chrono::floor<std::chrono::milliseconds>(request.at).time_since_epoch().count();
  const auto path = request.url.find('/', request.url.find("//") + 2);  // everything after the host, with the query
  const auto text =
      fmt::format("{}\n{}\n{}\n{}", to_string(request.method), request.url.substr(path), date, request.body);
  return {{"X-Date", date}, {"Authorization", "HMAC-SHA256 " + hmac_sha256("the key of this example", text)}};
}

int main() {
  const noun::Client api{std::getenv("NOUN_EXAMPLE_URL"), {.credentials = sign}};
  const auto orders = api.collection("orders");

  const auto order = orders.create(noun::Json{{"item", "teapot"}}, {.query = {{"currency", "ISK"}}});
  if (!order) return fmt::print(stderr, "{}\n", order.error().message()), 1;
  fmt::print("created {}\n", order->dump());

  // The server responds 503 once, and refuses a signature that it has seen before.
  const auto read = orders[1].get();
  if (!read) return fmt::print(stderr, "{}\n", read.error().message()), 1;
  fmt::print("read {}\n", read->dump());

  // What is not signed with the key of this server is refused.
  const auto other = noun::Client{api.base_url(), {.credentials = noun::bearer("not a signature")}};
  const auto refused = other.collection("orders")[1].get();
  if (refused) return fmt::print(stderr, "the server took a request without a signature\n"), 1;
  fmt::print("{}\n", refused.error().message());
}
