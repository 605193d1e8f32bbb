// Retry and quota settings, and an observer that prints the waits.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <noun/noun.hpp>

using namespace std::chrono_literals;

int main() {
  noun::Client api{
      std::getenv("NOUN_EXAMPLE_URL"),
      {
          .retry = {.max_attempts = 8, .initial_backoff = 100ms, .give_up_after = 1min},
          .quota = {.reserve = 5, .max_wait = 30s},  // the last five of each window are for interactive calls
          .timeouts = {.connect = 2s, .attempt = 10s},
          .observer =
              [](const noun::Event& event) {
                if (event.kind == noun::EventKind::holding || event.kind == noun::EventKind::retrying)
                  fmt::print("{} for {} ms: {}\n", event.kind, event.wait / 1ms, event.reason);
              },
      }};

  // Settings of one call: here, a deadline that includes waits and retries.
  const auto language = api.collection("languages")["isl"].get({
      .priority = noun::Priority::interactive,
      .deadline = 20s,
  });
  if (!language) return fmt::print(stderr, "{}\n", language.error().message()), 1;

  const auto quota = api.quota_snapshot();
  fmt::print("{} of {} requests left\n", quota.remaining.value_or(-1), quota.limit.value_or(-1));
}
