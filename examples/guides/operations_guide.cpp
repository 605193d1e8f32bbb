// The program of operations_guide.md.
#include <chrono>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

using namespace std::chrono_literals;

struct Report {
  std::string id;
  int pages = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report, id, pages)

void print_steps(const noun::Event& event) {
  if (event.kind == noun::EventKind::sent) fmt::print("  {} {}\n", event.method, event.url);
  if (event.kind == noun::EventKind::polling) fmt::print("  not finished: next poll in {} s\n", event.wait / 1s);
}

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto server = std::make_shared<noun::testing::SimulatedService>(clock);
  server->run_operations("/reports", {.polls = 2, .retry_after = 5s});
  noun::Client api{"https://api.example.com", {.observer = print_steps, .transport = server, .clock = clock}};
  auto reports = api.collection<Report>("reports");
  const noun::Json spec{{"id", "2026-11"}, {"pages", 12}};

  fmt::print("an operation:\n");
  auto report = api.finish<Report>(reports.create<noun::Json>(spec), {.deadline = 10min});
  fmt::print("  {} pages\n", report->pages);

  fmt::print("a deadline:\n");
  const noun::Json larger{{"id", "2026"}, {"pages", 144}};
  auto late = api.finish<Report>(reports.create<noun::Json>(larger), {.deadline = 8s});
  fmt::print("  {}\n", late.error());

  fmt::print("elsewhere:\n");
  const auto token = late.error().poll_token();
  auto rest = api.finish<Report>(token);
  fmt::print("  {} pages\n", rest->pages);

  fmt::print("an operation that fails:\n");
  const noun::Dialect azure{.polling = noun::polling::azure()};
  const auto cloud =
      std::make_shared<noun::testing::SimulatedService>(clock, noun::testing::ServiceOptions{.dialect = azure});
  cloud->run_operations("/disks", {.polls = 0, .fails = true});
  noun::Client resources{"https://cloud.example.com", {.dialect = azure, .transport = cloud, .clock = clock}};
  auto disks = resources.collection("disks");
  auto disk = resources.finish(disks.create(noun::Json{{"size", 64}}));
  if (disk.error().code() == noun::Errc::operation_failed) fmt::print("  {}\n", disk.error().message());
}
