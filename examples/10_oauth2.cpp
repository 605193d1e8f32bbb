// Uses tokens of an OAuth 2.0 token endpoint (client credentials). noun fetches and replaces them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main() {
  const std::string server = std::getenv("NOUN_EXAMPLE_URL");
  const auto credentials = [&](std::string secret) {
    return noun::oauth2_client_credentials({.token_url = server + "/token",  // https, except to this machine
                                            .client_id = "example",
                                            .client_secret = std::move(secret),
                                            .scope = "reports:read"});
  };
  const noun::Client api{server, {.credentials = credentials("the secret of this example")}};

  // Each token lives two seconds: noun replaces it after one.
  for (int number = 1; number <= 4; ++number) {
    const auto report = api.collection("reports")[number].get();
    if (!report) return fmt::print(stderr, "{}\n", report.error().message()), 1;
    fmt::print("{}\n", report->dump());
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
  }

  // The error says whether the token endpoint failed or the API.
  const noun::Client stranger{server, {.credentials = credentials("a guess")}};
  const auto refused = stranger.collection("reports")[1].get();
  if (refused) return fmt::print(stderr, "the server took a wrong secret\n"), 1;
  fmt::print("{}\n", refused.error().message());
}
