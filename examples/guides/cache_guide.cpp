// The program of cache_guide.md.
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

using namespace std::chrono_literals;

void print_steps(const noun::Event& event) {
  if (event.kind == noun::EventKind::attempt_ended) fmt::print("  the server responds {}\n", event.status);
  if (event.kind == noun::EventKind::cached) fmt::print("  the stored response is {}\n", event.cache);
}

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto server = std::make_shared<noun::testing::ScriptedTransport>(clock);
  const noun::Headers first = {{"ETag", "\"v1\""}, {"Cache-Control", "max-age=60"}};
  const noun::Headers second = {{"ETag", "\"v2\""}, {"Cache-Control", "max-age=60"}};
  server->expect(noun::Method::get, "/tasks/7").reply(200, R"({"title": "water the plants"})", first);
  server->expect(noun::Method::get, "/tasks/7").with_header("If-None-Match", "\"v1\"").reply(304, "", first);
  server->expect(noun::Method::get, "/tasks/7").with_header("If-None-Match", "\"v1\"").reply(304, "", first);
  server->expect(noun::Method::patch, "/tasks/7").reply(200, R"({"title": "done"})", second);
  server->expect(noun::Method::get, "/tasks/7").reply(200, R"({"title": "done"})", second);

  const auto cache = noun::memory_cache();
  noun::Client api{"https://api.example.com",
                   {.observer = print_steps, .transport = server, .clock = clock, .cache = cache}};
  auto task = api.collection("tasks")[7];
  fmt::print("the first time:\n");
  fmt::print("  {}\n", task.get().value().dump());
  fmt::print("again:\n");
  auto again = task.get();
  fmt::print("  {}, {}\n", again.value().dump(), again.response()->cache);

  noun::Client patient{"https://api.example.com", {.observer = print_steps,
                                                   .transport = server,
                                                   .clock = clock,
                                                   .cache = cache,
                                                   .cache_mode = noun::CacheMode::rfc9111}};
  auto same = patient.collection("tasks")[7];
  fmt::print("within a minute:\n");
  fmt::print("  {}\n", same.get().value().dump());
  clock->advance(61s);
  fmt::print("after a minute:\n");
  fmt::print("  {}\n", same.get().value().dump());
  fmt::print("after a change:\n");
  same.update({{"title", "done"}}).value();
  fmt::print("  {}\n", same.get().value().dump());
  return server->complaint().empty() ? 0 : 1;
}
