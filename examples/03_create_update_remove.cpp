// Creates, reads, replaces, updates and removes an item: POST, GET, PUT, PATCH, DELETE.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Language {
  std::string alpha_3;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

int main() try {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};
  const auto languages = api.collection<Language>("languages");

  // With an idempotency key a create is repeated if its response is lost; without one it never is.
  const auto made = languages.create({.alpha_3 = "qtx", .name = "Test"}, {.idempotency_key = noun::auto_key}).value();
  fmt::print("created  {}\n", made.name);

  const auto language = languages["qtx"];
  const auto read = language.get();
  fmt::print("read     {}\n", read.value().name);

  // Only if the item has not changed since.
  const auto etag = std::string(read.response()->headers.get("ETag").value_or(""));
  fmt::print("replaced {}\n", language.replace({.alpha_3 = "qtx", .name = "Second"}, {.if_match = etag}).value().name);

  fmt::print("updated  {}\n", language.update(noun::Json{{"name", "Third"}}).value().name);

  language.remove().value();
  fmt::print("removed: {}\n", language.get().error().code());
} catch (const noun::Exception& exception) {
  // value() throws the error.
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
