// Ctrl-C stops a listing at once, also during a wait, and prints a bookmark to resume from.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main(int argc, char** argv) {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};
  auto languages = api.collection("languages")
                       .list({
                           .page_size = 100,
                           .resume = argc > 1 ? argv[1] : "",
                           .stop = noun::stop_on_signals(),
                       });
  int count = 0;
  for (const auto& language : languages) {
    if (!language && language.error().code() == noun::Errc::cancelled) {
      fmt::print("interrupted after {}; resume with {}\n", count, languages.bookmark());
      return 130;
    }
    if (!language) return fmt::print(stderr, "{}\n", language.error().message()), 1;
    ++count;
  }
  fmt::print("{} languages\n", count);
}
