// The program of shared_quota_guide.md. Three processes in turn are three ledgers here.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>
#include <unistd.h>

namespace {

/// Sends requests until there are `most`, or until the quota is used up. Returns what it did.
std::string run_process(const std::string& directory, const std::shared_ptr<noun::Transport>& server, int most) {
  const auto print = [](const noun::Event& event) { fmt::print("  {}\n", event.note); };
  noun::Client api{"https://api.example.com",
                   {.quota = {.when_exhausted = noun::WhenExhausted::fail},
                    .identity = "ci-bot",
                    .transport = server,
                    .quota_ledger = noun::file_ledger(directory, {.observer = print}).value()}};
  auto task = api.collection("tasks")[1];
  int served = 0;
  noun::Result<noun::Json> result = noun::Json();
  while (served < most && (result = task.get())) ++served;
  return fmt::format("{} requests, {}", served, result ? "and more are left" : to_string(result.error().code()));
}

void show(const std::string& directory) {
  const auto store = noun::file_store(directory).value();
  for (const auto& [key, quota] : noun::read_shared_quotas(*store).value()) {
    if (!quota) fmt::print("{}: {}\n", key, quota.error().message());
    else if (!quota->remaining || !quota->limit) fmt::print("{}: not known\n", key);
    else fmt::print("{}: {} of {} left, {} processes\n", key, *quota->remaining, *quota->limit, quota->holders.size());
  }
}

}  // namespace

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto server = std::make_shared<noun::testing::SimulatedService>(
      clock, noun::testing::ServiceOptions{.limit = 60, .period = std::chrono::hours(1)});
  server->add("/tasks", "1", noun::Json{{"id", 1}});
  const auto directory = (std::filesystem::temp_directory_path() / fmt::format("noun-guide-{}", ::getpid())).string();

  for (const int most : {40, 100, 100}) {
    fmt::print("a process:\n");
    fmt::print("  {}\n", run_process(directory, server, most));
  }
  fmt::print("the server: {} requests, {} rejected\n", server->requests(), server->rejected());
  show(directory);
  std::filesystem::remove_all(directory);
}
