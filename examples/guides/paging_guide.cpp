// The program of paging_guide.md.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

struct Task {
  int id;
  bool done;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, done)

void show_keys_and_speed(const noun::Collection<Task>& tasks) {
  auto counted = tasks.list({.page_size = 100, .key = "/id"});
  for (const auto& task : counted) static_cast<void>(task);
  const auto tally = counted.tally();
  fmt::print("{} of {}, {} left out\n", tally.items, *tally.total, tally.duplicates);

  int ahead = 0;
  for (const auto& task : tasks.list({.page_size = 10, .prefetch = 8})) ahead += task ? 1 : 0;
  for (const auto& task : tasks.get_all(std::vector{7, 8, 9}, {.in_flight = 3})) ahead += task ? 1 : 0;
  fmt::print("{} and 3\n", ahead - 3);
}

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto service = std::make_shared<noun::testing::SimulatedService>(clock);
  for (int id = 1; id <= 250; ++id) service->add("/tasks", std::to_string(id), Task{id, id % 5 == 0});
  noun::Client api{"https://api.example.com", {.retry = {.max_attempts = 2}, .transport = service, .clock = clock}};
  auto tasks = api.collection<Task>("tasks");

  int done = 0;
  for (const auto& task : tasks.list({.page_size = 100})) {
    if (!task) return fmt::print(stderr, "{}\n", task.error().message()), 1;
    done += task->done ? 1 : 0;
  }
  fmt::print("{} are done, after {} requests\n", done, service->requests());

  // The server fails twice, at the third page.
  int failures = 0;
  using noun::testing::SimulatedService;
  service->on_request([&](const noun::Attempt& attempt, std::size_t) -> SimulatedService::Outcome {
    if (attempt.url.find("page=3") == std::string_view::npos || failures++ >= 2) return std::nullopt;
    return {{noun::Response{.status = 503}, SimulatedService::When::instead}};
  });

  std::string bookmark;
  {
    auto list = tasks.list({.page_size = 100});
    int count = 0;
    for (const auto& task : list) {
      if (!task) {
        fmt::print("after {}: {}\n", count, task.error().code());
        break;
      }
      ++count;
    }
    bookmark = list.bookmark();
  }
  auto rest = tasks.list({.page_size = 100, .resume = bookmark});
  int first = 0, last = 0;
  for (const auto& task : rest)
    if (task) last = task->id, first = first == 0 ? last : first;
  fmt::print("resumed with {} to {}\n", first, last);

  show_keys_and_speed(tasks);

  for (const auto& page : tasks.list({.page_size = 100}).pages()) {
    if (!page) return fmt::print(stderr, "{}\n", page.error().message()), 1;
    fmt::print("page {}: {} tasks\n", page->number, page->items.size());
  }

  noun::Dialect numbered;
  numbered.paging = {.style = noun::paging::PageNumber{.parameter = "page", .first = 1}, .size_parameter = "per_page"};
  noun::Client other{"https://api.example.com", {.dialect = numbered, .transport = service, .clock = clock}};
  int count = 0;
  for (const auto& task : other.collection<Task>("tasks").list({.page_size = 50, .max_items = 120}))
    count += task ? 1 : 0;
  fmt::print("{} by their page numbers\n", count);
}
