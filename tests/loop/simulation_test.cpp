// The simulated driver: many calls at once in virtual time, against a server with windows.
#include "loop/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "loop/call_bench.hpp"

namespace noun_test { namespace simulation_test {

using noun::Duration;
using noun::testing::ServiceOptions;
using noun::testing::ServiceReset;
using noun::testing::SimulatedService;

// Workers that take targets from one list until it is empty.
class Workforce {
 public:
  Workforce(CallBench& bench, std::deque<std::string> targets, Duration latency)
      : bench_(bench),
        simulation_(bench.driver_context, *bench.clock, [latency](std::uint64_t) { return latency; }),
        targets_(std::move(targets)) {}

  void run(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) take_next();
    simulation_.run();
  }

  std::map<std::string, int> completed;
  std::vector<noun::Error> errors;

 private:
  void take_next() {
    if (targets_.empty()) return;
    const auto target = targets_.front();
    targets_.pop_front();
    auto request = bench_.request;
    request.url = "https://h.example" + target;
    ++started_;
    auto job = std::make_unique<noun::CallJob>(bench_.call_context, std::move(request), started_, started_);
    simulation_.start(std::move(job), [this, target](noun::Done done) {
      if (done.error)
        errors.push_back(*done.error);
      else
        ++completed[target];
      take_next();
    });
  }

  CallBench& bench_;
  noun::Simulation simulation_;
  std::deque<std::string> targets_;
  std::uint64_t started_ = 0;
};

std::deque<std::string> numbered(int count) {
  std::deque<std::string> targets;
  for (int i = 1; i <= count; ++i) targets.push_back("/numbers/" + std::to_string(i));
  return targets;
}

std::shared_ptr<SimulatedService> serve(CallBench& bench, int items, const ServiceOptions& options) {
  const auto service = std::make_shared<SimulatedService>(bench.clock, options);
  for (int i = 1; i <= items; ++i) service->add("/numbers", std::to_string(i), i);
  bench.driver_context.transport = service;
  return service;
}

using Cell = std::tuple<std::size_t, ServiceReset, Duration>;
class SimulatedWorkers : public ::testing::TestWithParam<Cell> {};

TEST_P(SimulatedWorkers, fetch_every_item_exactly_once_and_nothing_is_rejected) {
  const auto [workers, reset, offset] = GetParam();
  constexpr int items = 400;
  CallBench bench;
  const auto service = serve(bench, items, {.limit = 60, .latency = 0s, .clock_offset = offset, .reset = reset});
  const auto start = bench.clock->now().steady;
  Workforce workforce(bench, numbered(items), 40ms);
  workforce.run(workers);
  EXPECT_TRUE(workforce.errors.empty());
  EXPECT_EQ(workforce.completed.size(), static_cast<std::size_t>(items));
  for (const auto& [target, count] : workforce.completed) EXPECT_EQ(count, 1) << target;
  EXPECT_EQ(service->rejected(), 0U);
  EXPECT_EQ(service->requests(), static_cast<std::size_t>(items));
  // 400 requests at 60 a minute need six window resets.
  const auto took = bench.clock->now().steady - start;
  EXPECT_GE(took, 6min);
  EXPECT_LE(took, 6min + 30s);
}

INSTANTIATE_TEST_SUITE_P(cells, SimulatedWorkers,
                         ::testing::Combine(::testing::Values(1U, 4U, 16U),
                                            ::testing::Values(ServiceReset::epoch, ServiceReset::delta),
                                            ::testing::Values(Duration(0s), Duration(-1h), Duration(1h + 137ms))));

TEST(Simulation, without_a_limit_runs_as_many_calls_at_once_as_there_are_workers) {
  CallBench bench;
  serve(bench, 64, {.latency = 0s});
  const auto start = bench.clock->now().steady;
  Workforce workforce(bench, numbered(64), 1s);
  workforce.run(8);
  EXPECT_EQ(workforce.completed.size(), 64U);
  // The first request is sent alone; the rest follow eight at a time.
  EXPECT_EQ(bench.clock->now().steady - start, 9s);
}

TEST(Simulation, ends_a_call_with_its_error_and_continues_with_the_next) {
  const auto script = std::make_shared<noun::testing::ScriptedTransport>();
  script->expect(noun::Method::get, "/numbers/1").reply(404);
  script->expect(noun::Method::get, "/numbers/2").reply(200);
  CallBench bench(script);
  Workforce workforce(bench, numbered(2), 1ms);
  workforce.run(1);
  ASSERT_EQ(workforce.errors.size(), 1U);
  EXPECT_EQ(workforce.errors.front().code(), noun::Errc::not_found);
  EXPECT_EQ(workforce.completed["/numbers/2"], 1);
}

TEST(Simulation, reports_each_step_to_the_observer) {
  const auto script = std::make_shared<noun::testing::ScriptedTransport>();
  script->expect(noun::Method::get, "/numbers/1").reply(200);
  CallBench bench(script);
  bench.call_context.observed = true;
  std::vector<std::pair<noun::EventKind, noun::Duration>> seen;
  bench.driver_context.observer = [&](const noun::Event& event) { seen.emplace_back(event.kind, event.elapsed); };
  Workforce workforce(bench, numbered(1), 30ms);
  workforce.run(1);
  EXPECT_THAT(seen, ::testing::ElementsAre(std::pair(noun::EventKind::sent, Duration(0s)),
                                           std::pair(noun::EventKind::attempt_ended, Duration(30ms)),
                                           std::pair(noun::EventKind::ended, Duration(30ms))));
}

TEST(Simulation, without_work_ends_at_once) {
  CallBench bench;
  noun::Simulation simulation(bench.driver_context, *bench.clock, [](std::uint64_t) { return 1s; });
  const auto start = bench.clock->now().steady;
  simulation.run();
  EXPECT_EQ(bench.clock->now().steady, start);
}

}  // namespace simulation_test
}  // namespace noun_test
