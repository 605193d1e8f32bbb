// Reads one member of a collection into a struct of your own.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Country {
  std::string alpha_2;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Country, alpha_2, name)

int main() {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};

  const auto country = api.collection<Country>("countries")["IS"].get();  // GET /countries/IS
  if (!country) return fmt::print(stderr, "{}\n", country.error().message()), 1;
  fmt::print("{} is {}\n", country->alpha_2, country->name);

  // The response is available on success and on failure.
  fmt::print("status {}, {} bytes\n", country.response()->status, country.response()->body.size());

  // Without a type of your own a member is a noun::Json.
  const auto currency = api.collection("currencies")["ISK"].get();
  if (!currency) return fmt::print(stderr, "{}\n", currency.error().message()), 1;
  fmt::print("{}\n", currency->at("name").get<std::string>());
}
