// Ctrl-C ends a long listing at once, also in the middle of a hold, and leaves a bookmark to go on from.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main(int argc, char** argv) {
  // Blocked before any thread begins, the signals reach nobody but the watcher, which may do what a handler may not.
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
      fmt::print("interrupted after {}; go on with {}\n", count, languages.bookmark());
      return 130;
    }
    if (!language) return fmt::print(stderr, "{}\n", language.error().message()), 1;
    ++count;
  }
  fmt::print("{} languages\n", count);
}
