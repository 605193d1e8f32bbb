// The open issues of a repository with their labels. @source https://docs.github.com/en/rest/issues/issues
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/sqlite_cache.hpp>  // of noun::sqlite

struct Issue {
  int number = 0;
  std::string title;
  std::vector<noun::Json> labels;
  std::optional<noun::Json> pull_request;  // GitHub lists these among the issues
};
NOUN_DESCRIBE(Issue, number, title, labels, pull_request)

int main(int argc, char** argv) try {
  if (argc != 3) return fmt::print(stderr, "usage: github OWNER REPOSITORY\n"), 2;
  const char* url = std::getenv("GITHUB_API_URL");
  const noun::Client api{
      url ? url : "https://api.github.com",
      {.credentials = noun::bearer(std::getenv("GITHUB_TOKEN")),
       .dialect = noun::dialects::github(),
       .headers = {{"X-GitHub-Api-Version", "2022-11-28"}},
       .cache = noun::sqlite_cache("github.db").value()}};  // pages that have not changed cost no quota
  const auto issues = api.collection("repos").item(argv[1], argv[2]).collection<Issue>("issues");
  for (const auto& issue : issues.list({.query = {{"state", "open"}}, .page_size = 100})) {
    if (issue.value().pull_request) continue;
    fmt::print("#{} {}", issue->number, issue->title);
    for (const auto& label : issue->labels) fmt::print(" [{}]", label.at("name").get<std::string>());
    fmt::print("\n");
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
