// Ctrl-C stops a listing at once, also during a wait, and prints a bookmark to resume from.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main(int argc, char** argv) {
  // The signals are blocked before any thread starts, so only the watcher receives them. A signal handler may not
  // request the stop.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::stop_source interrupted;
  const std::jthread watcher([&](const std::stop_token& done) {
    const timespec moment{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (!done.stop_requested())
      if (sigtimedwait(&signals, nullptr, &moment) > 0) interrupted.request_stop();
  });

  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};
  auto languages = api.collection("languages")
                       .list({
                           .page_size = 100,
                           .resume = argc > 1 ? argv[1] : "",
                           .stop = interrupted.get_token(),
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
