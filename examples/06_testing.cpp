// Tests a program that uses noun: without a socket, and an hour of waiting takes a millisecond.
#include <chrono>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

using namespace std::chrono_literals;

struct Task {
  int id;
  std::string title;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, title)

// The code under test takes a client; the test chooses its transport.
noun::Result<int> count_tasks(const noun::Client& api) {
  int count = 0;
  for (const auto& task : api.collection<Task>("tasks").list({.page_size = 100})) {
    if (!task) return task.error();
    ++count;
  }
  return count;
}

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();

  // A server in memory, with a quota of 10 requests an hour: 25 pages take two hours of virtual time.
  const auto service = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.limit = 10, .period = 1h});
  for (int id = 1; id <= 2500; ++id) service->add("/tasks", std::to_string(id), Task{id, "a task"});
  noun::Client api{"https://api.example.com", {.transport = service, .clock = clock}};
  const bool all = count_tasks(api).value_or(0) == 2500;
  fmt::print("{} requests, {} rejected, {} min of waiting\n", service->requests(), service->rejected(),
             clock->waited() / 1min);

  // A script of requests and responses: an outage of two responses, then success.
  const auto script = std::make_shared<noun::testing::ScriptedTransport>();
  script->expect(noun::Method::get, "/tasks/7").reply(503, "", {{"Retry-After", 120}}).times(2);
  script->expect(noun::Method::get, "/tasks/7").reply(200, R"({"id": 7, "title": "water the plants"})");
  noun::Client scripted{"https://api.example.com", {.transport = script, .clock = clock}};
  const auto task = scripted.collection<Task>("tasks")[7].get();
  fmt::print("{} after {} attempts\n", task ? task->title : task.error().message(), script->requests().size());

  return all && service->rejected() == 0 && task && script->complaint().empty() ? 0 : 1;
}
