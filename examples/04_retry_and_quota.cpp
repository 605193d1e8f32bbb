// Your own settings for faults and for the service's quota, and what the observer tells about both.
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

  // One call may have settings of its own: here, a deadline for everything, waits and retries included.
  const auto language = api.collection("languages")["isl"].get({
      .priority = noun::Priority::interactive,
      .deadline = api.now().steady + 20s,
  });
  if (!language) return fmt::print(stderr, "{}\n", language.error().message()), 1;

  const auto quota = api.quota();
  fmt::print("{} of {} requests left\n", quota.remaining.value_or(-1), quota.limit.value_or(-1));
}
