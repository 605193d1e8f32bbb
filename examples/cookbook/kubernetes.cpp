// Waits until no pod of a namespace is pending, and names those that were. @source https://kubernetes.io/docs/reference/using-api/api-concepts/
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

noun::Query since(const noun::Json& object) {
  return {{"resourceVersion", object.at("metadata").at("resourceVersion").get<std::string>()}};
}
std::string name_of(const noun::Json& pod) { return pod.at("metadata").at("name"); }

int main(int argc, char** argv) try {
  if (argc != 2) return fmt::print(stderr, "usage: kubernetes NAMESPACE\n"), 2;
  const char* url = std::getenv("KUBERNETES_MASTER");  // without it, that of `kubectl proxy`
  const noun::Client api{url ? url : "http://localhost:8001", {.dialect = {.paging = noun::paging::kubernetes()}}};
  const auto pods = api.collection("api/v1/namespaces").item(argv[1]).collection("pods");
  const noun::Query selector = {{"fieldSelector", "status.phase=Pending"}};
  const auto after = [](auto event) { return since(noun::Json::parse(event).at("object")); };
  const noun::StreamOptions options = {
      .query = selector, .format = noun::StreamFormat::json_lines, .reconnect = true, .resume_with = after};
  for (std::set<std::string> pending;; pending.clear()) {  // again if the server no longer has the changes: 410
    auto list = pods.list({.query = selector, .page_size = 500});
    for (const auto& pod : list) pending.insert(name_of(pod.value()));
    if (pending.empty()) return 0;
    const auto now = since(noun::Json::parse(list.response()->body));
    for (const auto& event : api.stream({.path = pods.path() + "?watch=1", .query = now}, options)) {
      if (!event && event.error().status() == 410) break;
      const auto& pod = event.value().value.at("object");
      if (pod.value("code", 0) == 410) break;  // the event ERROR; DELETED is what the selector no longer matches
      if (event->value.at("type") == "ADDED") pending.insert(name_of(pod));
      if (event->value.at("type") == "DELETED" && pending.erase(name_of(pod)) == 1) fmt::print("{}\n", name_of(pod));
      if (pending.empty()) return 0;
    }
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
