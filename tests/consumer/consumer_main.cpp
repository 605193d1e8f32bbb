// Uses the installed noun: its headers, its library, and the libraries that it links.
#include <cstdio>
#include <cstring>

#include <noun/noun.hpp>

int main() {
  std::printf("noun %s\n", noun::version());
  if (std::strcmp(noun::version(), NOUN_VERSION) != 0) return 1;

  // No server listens on the discard port.
  noun::Client api{"http://127.0.0.1:9", {.retry = {.max_attempts = 1}}};
  const auto thing = api.collection("things").item(1).get();
  if (thing) return 1;
  std::printf("%s\n", thing.error().message().c_str());
  return thing.error().code() == noun::Errc::connect && thing.error().sent() == noun::Sent::no ? 0 : 1;
}
