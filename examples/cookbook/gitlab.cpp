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
  std::string status, ref, web_url;
};
NOUN_DESCRIBE(Pipeline, status, ref, web_url)

int main() try {
  const char* url = std::getenv("CI_API_V4_URL");
  const noun::Client api{
      url ? url : "https://gitlab.com/api/v4",
      {.credentials = noun::header("PRIVATE-TOKEN", std::getenv("GITLAB_TOKEN")), .dialect = noun::dialects::gitlab()}};
  const auto all = api.collection<Project>("projects");
  std::vector<std::string> names;
  std::vector<noun::Operation<Pipeline>> reads;
  const noun::Query keyset = {{"membership", true}, {"pagination", "keyset"}, {"order_by", "id"}, {"simple", true}};
  for (const auto& project : all.list({.query = keyset, .page_size = 100})) {
    names.push_back(project.value().path_with_namespace);
    reads.push_back(noun::op::get(all[project->id].singleton<Pipeline>("pipelines/latest")));
  }
  auto name = names.begin();
  for (const auto& pipeline : api.run_all(reads, {.in_flight = 8})) {  // in the order of the projects
    const bool none = !pipeline && pipeline.error().code() == noun::Errc::not_found;
    fmt::print("{}: {}\n", *name++, none ? "no pipeline" : pipeline.value().status + " on " + pipeline->ref);
  }
} catch (const noun::Exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
