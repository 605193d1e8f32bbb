// What an error says: what happened, whether the server may have acted, why noun stopped, and how to try it by hand.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <noun/noun.hpp>

void explain(const noun::Error& error) {
  fmt::print("{}\n  sent: {}, stopped because: {}, attempts: {}\n", error.message(), error.sent(),
             error.stopped_because(), error.attempts());
}

struct Country {
  std::string name;
  std::string capital;  // which the server does not send
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Country, name, capital)

int main() {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};

  const auto typo = api.collection("contries")["IS"].get();
  explain(typo.error());
  fmt::print("  by hand: {}\n", typo.error().request().curl);
  if (const auto& problem = typo.error().problem()) fmt::print("  the server: {}\n", problem->detail);

  explain(api.collection<Country>("countries")["IS"].get().error());  // not the JSON that Country needs
  explain(api.collection("countries")[""].get().error());             // refused before anything is sent

  noun::Client closed_port{"http://127.0.0.1:1", {.retry = {.max_attempts = 1}}};
  const auto unreachable = closed_port.collection("countries")["IS"].get();
  explain(unreachable.error());

  const bool as_expected = typo.error().code() == noun::Errc::not_found &&
                           unreachable.error().code() == noun::Errc::connect &&
                           unreachable.error().sent() == noun::Sent::no;
  return as_expected ? 0 : 1;
}
