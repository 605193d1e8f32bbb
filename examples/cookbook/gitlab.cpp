// The state of the latest pipeline of each of my projects. @source https://docs.gitlab.com/api/rest/#keyset-based-pagination
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Project {
  int id = 0;
  std::string path_with_namespace;
};
NOUN_DESCRIBE(Project, id, path_with_namespace)
struct Pipeline {
  std::string status, ref;
};
NOUN_DESCRIBE(Pipeline, status, ref)

int main() try {
  const char* url = std::getenv("CI_API_V4_URL");
  const noun::Client api{
      url ? url : "https://gitlab.com/api/v4",
      {.credentials = noun::header("PRIVATE-TOKEN", std::getenv("GITLAB_TOKEN")), .dialect = noun::dialects::gitlab()}};
  const auto all = api.collection<Project>("projects");
  std::vector<std::string> names;
  std::vector<noun::Operation<std::vector<Pipeline>>> reads;
  const noun::Query keyset = {{"membership", true}, {"pagination", "keyset"}, {"order_by", "id"}, {"simple", true}};
  for (const auto& project : all.list({.query = keyset, .page_size = 100})) {
    names.push_back(project.value().path_with_namespace);
    reads.push_back(
        noun::op::get(all[project->id].singleton<std::vector<Pipeline>>("pipelines"), {.query = {{"per_page", 1}}}));
  }
  for (auto name = names.begin(); const auto& latest : api.run_all(reads, {.in_flight = 8})) {    // in their order
    const bool none = latest ? latest->empty() : latest.error().code() == noun::Errc::forbidden;  // CI/CD is off
    fmt::print("{}: {}\n", *name++, none ? "no pipeline" : latest.value()[0].status + " on " + latest.value()[0].ref);
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
