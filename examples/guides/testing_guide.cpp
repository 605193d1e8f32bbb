// The tests of testing_guide.md.
#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

using namespace std::chrono_literals;

struct Task {
  int id;
  std::string title;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, title)

noun::Result<int> count_tasks(const noun::Client& api) {
  int count = 0;
  for (const auto& task : api.collection<Task>("tasks").list({.page_size = 100})) {
    if (!task) return task.error();
    ++count;
  }
  return count;
}

TEST(CountTasks, CountsAllOfThemUnderAQuota) {
  auto clock = std::make_shared<noun::testing::ManualClock>();
  auto service = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.limit = 10, .period = 1h});
  for (int id = 1; id <= 2500; ++id) service->add("/tasks", std::to_string(id), Task{id, "a task"});
  noun::Client api{"https://api.example.com", {.transport = service, .clock = clock}};

  auto count = count_tasks(api);

  ASSERT_TRUE(count) << count.error().message();
  EXPECT_EQ(*count, 2500);
  EXPECT_EQ(service->rejected(), 0u);
  EXPECT_GE(clock->waited(), 1h);
}

TEST(CountTasks, SurvivesAnOutage) {
  auto clock = std::make_shared<noun::testing::ManualClock>();
  auto script = std::make_shared<noun::testing::ScriptedTransport>(clock);
  script->expect(noun::Method::get, "/tasks?per_page=100").reply(503, "", {{"Retry-After", 120}}).times(2);
  script->expect(noun::Method::get, "/tasks?per_page=100").reply(200, R"([{"id": 7, "title": "water the plants"}])");
  noun::Client api{"https://api.example.com", {.transport = script, .clock = clock}};

  auto count = count_tasks(api);

  ASSERT_TRUE(count) << count.error().message();
  EXPECT_EQ(*count, 1);
  EXPECT_EQ(clock->waited(), 240s);
  EXPECT_EQ(script->complaint(), "");
}

TEST(FollowTasks, LosesNoChangeToABrokenConnection) {
  auto clock = std::make_shared<noun::testing::ManualClock>();
  auto service = std::make_shared<noun::testing::SimulatedService>(clock);
  service->run_feed("/tasks/changes", {.ends = true, .breaks_after = 100});
  for (int id = 1; id <= 20; ++id) service->publish("/tasks/changes", Task{id, "a task"});
  noun::Client api{"https://api.example.com", {.transport = service, .clock = clock}};

  int last = 0;
  auto changes = api.stream<Task>({.path = "tasks/changes"}, {.reconnect = true});
  for (const auto& change : changes) {
    ASSERT_TRUE(change) << change.error().message();
    EXPECT_EQ(change->value.id, ++last);
  }
  EXPECT_EQ(last, 20);
}

TEST(CountTasks, DoesNotTakeAPartForTheWhole) {
  auto clock = std::make_shared<noun::testing::ManualClock>();
  auto service = std::make_shared<noun::testing::SimulatedService>(clock);
  for (int id = 1; id <= 250; ++id) service->add("/tasks", std::to_string(id), Task{id, "a task"});
  using noun::testing::SimulatedService;
  service->on_request([](const noun::Attempt& attempt, std::size_t) -> SimulatedService::Outcome {
    if (attempt.url.find("page=3") == std::string_view::npos) return std::nullopt;
    return {{noun::Error(noun::Errc::send, "connection reset", noun::Sent::maybe), SimulatedService::When::instead}};
  });
  noun::Client api{"https://api.example.com", {.transport = service, .clock = clock}};

  auto count = count_tasks(api);

  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), noun::Errc::send);
  EXPECT_EQ(count.error().attempts(), 5);
}

TEST(CountTasks, DoesAgainWhatWasRecorded) {
  auto clock = std::make_shared<noun::testing::ManualClock>();
  auto service = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.limit = 10, .period = 1h});
  for (int id = 1; id <= 2500; ++id) service->add("/tasks", std::to_string(id), Task{id, "a task"});

  auto recorder = noun::testing::record(service, "tasks.har", {.clock = clock});
  noun::Client live{"https://api.example.com", {.transport = recorder, .clock = clock}};
  ASSERT_TRUE(count_tasks(live));

  auto tape = noun::testing::replay("tasks.har");
  noun::Client api{"https://api.example.com", {.transport = tape, .clock = tape->clock()}};

  auto count = count_tasks(api);

  ASSERT_TRUE(count) << count.error().message();
  EXPECT_EQ(*count, 2500);
  EXPECT_GE(tape->clock()->waited(), 1h);
  EXPECT_EQ(tape->complaint(), "");
}
