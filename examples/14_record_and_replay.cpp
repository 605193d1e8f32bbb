// Records what a program does with a server, once, and tests the program with the recording: without the server.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

struct Country {
  std::string alpha_2;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Country, alpha_2, name)

// The program: it takes a client.
noun::Result<std::string> longest_name(const noun::Client& api) {
  std::string longest;
  for (const auto& country : api.collection<Country>("countries").list({.page_size = 100})) {
    if (!country) return country.error();
    if (country->name.size() > longest.size()) longest = country->name;
  }
  return longest;
}

int main() {
  const std::string url = std::getenv("NOUN_EXAMPLE_URL");

  // Once, with the server. Look through the file before you share it: what noun knows as a secret is hidden in it.
  const noun::Client api{url, {.transport = noun::testing::record(nullptr, "countries.har")}};
  const auto live = longest_name(api);
  if (!live) return fmt::print(stderr, "{}\n", live.error().message()), 1;

  // In a test, each time: no socket, and waits pass on the clock of the recording.
  const auto tape = noun::testing::replay("countries.har");
  const noun::Client replayed{url, {.transport = tape, .clock = tape->clock()}};
  const auto again = longest_name(replayed);
  if (!again) return fmt::print(stderr, "{}\n", again.error().message()), 1;
  fmt::print("{}, by {} recorded requests\n", *again, tape->requests().size());
  if (*again != *live || !tape->complaint().empty()) return 1;

  // A request that was not recorded is an error, which shows the nearest one.
  auto other = replayed.collection<Country>("countries").list({.page_size = 50});
  const auto& refused = *other.begin();
  if (refused) return 1;
  fmt::print("{}\n", refused.error().what());
}
