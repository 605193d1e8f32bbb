// The program of addressing_guide.md.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>
#include <noun/testing.hpp>

struct Issue {
  int number;
  std::string title;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Issue, number, title)

int main() {
  const auto clock = std::make_shared<noun::testing::ManualClock>();
  const auto service = std::make_shared<noun::testing::SimulatedService>(clock);
  service->add("/v1/repos/fmtlib/fmt/issues", "7", Issue{7, "a bug"});
  service->add("/v1/files", "a/b?c", noun::Json{{"size", 12}});
  noun::Client api{"https://api.example.com/v1", {.transport = service, .clock = clock}};

  auto repo = api.collection("repos").item("fmtlib", "fmt");
  auto issues = repo.collection<Issue>("issues");
  auto issue = issues[7];
  auto me = api.singleton("user");
  fmt::print("{}\n{}\n{}\n{}\n", repo.path(), issues.path(), issue.path(), me.path());

  auto file = api.collection("files")["a/b?c"];
  fmt::print("{} has {} bytes\n", file.path(), file.get()->at("size").get<int>());

  auto without_id = issues[""].get();
  fmt::print("{}\n", without_id.error());

  const std::string chosen = "repos?all";  // for example from a configuration
  auto list = api.collection(noun::runtime(chosen)).list();
  for (auto& element : list)
    if (!element) fmt::print("{}\n", element.error());

  auto head = api.send({.method = noun::Method::head,
                        .path = "repos/fmtlib/fmt/issues/7",
                        .query = {{"fields", "number,title"}, {"deep", true}}});
  fmt::print("{}\n", head ? head->url : head.error().message());
}
