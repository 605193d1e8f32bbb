// The program of quota_guide.md.
#include <chrono>
#include <cstdio>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

using namespace std::chrono_literals;

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto service = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.limit = 60, .period = 1h});
  for (int id = 1; id <= 10'000; ++id) service->add("/tasks", std::to_string(id), noun::Json{{"id", id}});

  const auto print_holds = [](const noun::Event& event) {
    if (event.kind == noun::EventKind::holding && event.wait > 1s)
      fmt::print("  holding until {:%H:%M}: {}\n", event.until, event.reason);
  };
  noun::Client api{"https://api.example.com", {.observer = print_holds, .transport = service, .clock = clock}};

  fmt::print("100 pages at 60 an hour:\n");
  int count = 0;
  for (auto& task : api.collection("tasks").list({.page_size = 100})) count += task ? 1 : 0;
  fmt::print("  {} tasks, {} requests, {} rejected\n", count, service->requests(), service->rejected());

  const auto quota = api.quota_snapshot();
  fmt::print("  {} of {} left, for {} min\n", *quota.remaining, *quota.limit, *quota.resets_in / 1min);

  fmt::print("a user waits:\n");
  noun::Client page{"https://api.example.com",
                    {.quota = {.max_wait = 2s}, .observer = print_holds, .transport = service, .clock = clock}};
  noun::Result<noun::Json> task = noun::Json();
  for (int id = 1; task && id <= 60; ++id) task = page.collection("tasks")[id].get();
  fmt::print("  {}\n", task ? "all of them" : task.error().message());

  fmt::print("two kinds of work:\n");
  noun::Client shop{"https://shop.example.com",
                    {.quota = {.reserve = 20, .max_wait = 0s}, .transport = service, .clock = clock}};
  clock->advance(1h);
  int bulk = 0;
  auto orders = shop.collection("tasks");
  while (orders[1].get({.priority = noun::Priority::bulk})) ++bulk;
  const auto urgent = orders[1].get({.priority = noun::Priority::interactive});
  fmt::print("  {} in bulk, and then an interactive one: {}\n", bulk, urgent);
}
