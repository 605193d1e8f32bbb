// Completes the overdue tasks of a plan in Planner. @source https://learn.microsoft.com/en-us/graph/api/plannertask-update
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Task {
  std::string id, title, etag, due = "never";
  int percent = 0;
};
void from_json(const noun::Json& json, Task& task) {
  noun::read_member(json, "id", task.id);
  noun::read_member(json, "title", task.title);
  noun::read_member(json, "@odata.etag", task.etag);
  noun::read_member(json, "percentComplete", task.percent);
  if (const auto& due = json.at("dueDateTime"); !due.is_null()) due.get_to(task.due);
}

int main(int argc, char** argv) try {
  if (argc != 3 || !std::regex_match(argv[2], std::regex(R"(\d{4}-\d\d-\d\d)")))
    return fmt::print(stderr, "usage: odata PLAN TODAY, for example 2026-11-30\n"), 2;
  const char* url = std::getenv("GRAPH_URL");
  const noun::Client api{url ? url : "https://graph.microsoft.com/v1.0",
                         {.credentials = noun::bearer(std::getenv("GRAPH_TOKEN")),
                          .dialect = {.paging = noun::paging::odata(), .weak_if_match = true}}};
  const auto tasks = api.collection<Task>("planner/tasks");
  for (const auto& each : api.collection("planner/plans").item(argv[1]).collection<Task>("tasks").list())
    for (auto task = each.value(); task.percent < 100 && task.due < argv[2]; task = tasks[task.id].get().value()) {
      const auto done = tasks[task.id].update<void>({{"percentComplete", 100}}, {.if_match = task.etag});
      if (!done && done.error().code() == noun::Errc::conflict) continue;  // somebody has changed it: look again
      if (!done) return fmt::print(stderr, "{}\n", done.error().message()), 1;
      fmt::print("completed: {}\n", task.title);
      break;
    }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
