// The program of retries_guide.md.
#include <chrono>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

using namespace std::chrono_literals;
using noun::Method;

void print_steps(const noun::Event& event) {
  if (event.kind == noun::EventKind::sent) fmt::print("  {} {}\n", event.method, event.url);
  if (event.kind == noun::EventKind::retrying) fmt::print("  {} s: {}\n", event.wait / 1s, event.reason);
}

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto script = std::make_shared<noun::testing::ScriptedTransport>(clock);
  script->expect(Method::get, "/tasks/7").reply(503, "", {{"Retry-After", 5}});
  script->expect(Method::get, "/tasks/7").fail(noun::Errc::truncated, noun::Sent::answered);
  script->expect(Method::get, "/tasks/7").reply(200, R"({"title": "water the plants"})");
  script->expect(Method::post, "/tasks").reply(429).times(2);
  script->expect(Method::post, "/tasks").reply(201, R"({"id": 8})");
  script->expect(Method::post, "/tasks").fail(noun::Errc::send, noun::Sent::maybe, "the connection was reset");
  script->expect(Method::post, "/tasks").fail(noun::Errc::send, noun::Sent::maybe, "the connection was reset");
  script->expect(Method::post, "/tasks").reply(201, R"({"id": 9})");
  script->expect(Method::get, "/tasks/7").reply(503, "", {{"Retry-After", 600}});

  noun::Client api{"https://api.example.com",
                   {.retry = {.jitter = 0}, .observer = print_steps, .transport = script, .clock = clock}};
  auto tasks = api.collection("tasks");

  fmt::print("a GET:\n");
  auto task = tasks[7].get();
  fmt::print("  {}\n", task->at("title").get<std::string>());

  fmt::print("a POST over the quota:\n");
  auto created = tasks.create(noun::Json{{"title", "feed the cat"}});
  fmt::print("  {}\n", created->dump());

  fmt::print("a POST with an unknown result:\n");
  auto unknown = tasks.create(noun::Json{{"title", "pay the rent"}});
  fmt::print("  {}\n", unknown.error().message());
  fmt::print("  sent: {}, stopped because: {}\n", unknown.error().sent(), unknown.error().stopped_because());

  fmt::print("a POST with a key:\n");
  auto safe = tasks.create(noun::Json{{"title", "pay the rent"}}, {.idempotency_key = noun::auto_key});
  fmt::print("  {}\n", safe->dump());

  fmt::print("a GET with a deadline:\n");
  auto late = tasks[7].get({.deadline = 1min});
  fmt::print("  {}\n", late.error());

  return script->complaint().empty() ? 0 : 1;
}
