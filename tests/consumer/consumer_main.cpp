// Uses noun as it is installed: its headers, what is compiled, and what that is linked with.
#include <cstdio>
#include <cstring>

#include <noun/noun.hpp>

int main() {
  std::printf("noun %s\n", noun::version());
  if (std::strcmp(noun::version(), NOUN_VERSION) != 0) return 1;

  // Nobody serves HTTP on the port for discarding.
  noun::Client api{"http://127.0.0.1:9", {.retry = {.max_attempts = 1}}};
  const auto thing = api.collection("things").item(1).get();
  if (thing) return 1;
  std::printf("%s\n", thing.error().message().c_str());
  return thing.error().code() == noun::Errc::connect && thing.error().sent() == noun::Sent::no ? 0 : 1;
}
