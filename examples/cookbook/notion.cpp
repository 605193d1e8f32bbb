// The pages of a data source that are not done. @source https://developers.notion.com/reference/query-a-data-source
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Task {
  std::string name, status;
};
void from_json(const noun::Json& page, Task& task) {
  const auto& properties = page.at("properties");
  for (const auto& part : properties.at("Name").at("title")) task.name += part.at("plain_text").get<std::string>();
  const auto& status = properties.at("Status").at("status");  // null if nobody has set it
  task.status = status.is_null() ? "none" : status.at("name").get<std::string>();
}

int main(int argc, char** argv) try {
  if (argc != 2) return fmt::print(stderr, "usage: notion DATA_SOURCE\n"), 2;
  const char* url = std::getenv("NOTION_BASE_URL");
  const noun::Client api{url ? url : "https://api.notion.com",
                         {.credentials = noun::bearer(std::getenv("NOTION_TOKEN")),
                          .dialect = noun::dialects::notion(),
                          .headers = {{"Notion-Version", "2025-09-03"}}}};
  const noun::Json open = {{"property", "Status"}, {"status", {{"does_not_equal", "Done"}}}};
  const noun::Json by_time = {{"timestamp", "last_edited_time"}, {"direction", "descending"}};
  const auto tasks = api.collection("v1/data_sources").item(argv[1]).collection<Task>("query");

  // With a body the list is a POST; each page's next_cursor goes into the body of the next request.
  const noun::Json body = {{"filter", open}, {"sorts", noun::Json::array({by_time})}, {"page_size", 100}};
  for (const auto& task : tasks.list({.body = body})) fmt::print("{}: {}\n", task.value().status, task.value().name);
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
