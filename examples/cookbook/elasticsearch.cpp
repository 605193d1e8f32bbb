// The errors in the log of the last hour. @source https://www.elastic.co/docs/reference/elasticsearch/rest-apis/paginate-search-results
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

std::string pit_of(const noun::Response& page) { return noun::Json::parse(page.body).at("pit_id"); }

int main(int argc, char** argv) try {
  const char *url = std::getenv("ELASTICSEARCH_URL"), *key = std::getenv("ELASTIC_API_KEY");
  if (argc != 2 || !key) return fmt::print(stderr, "usage: ELASTIC_API_KEY=… elasticsearch INDEX\n"), 2;
  auto paging = noun::paging::elasticsearch();
  using Next = std::optional<noun::paging::PageRequest>;  // after the last hit, in the point in time of this page
  paging.style = noun::paging::PageStrategy([](const auto& request, const auto& page) -> noun::Result<Next> {
    if (page.items == 0) return Next();
    auto body = noun::Json::parse(request.body);
    body["search_after"] = noun::Json::parse(page.last_item).at("sort");
    body["pit"]["id"] = pit_of(page.response);
    return Next({.url = request.url, .body = body.dump()});
  });
  const auto credentials = noun::header("Authorization", fmt::format("ApiKey {}", key));
  const noun::Client api{url ? url : "https://localhost:9200",
                         {.credentials = credentials, .dialect = {.paging = paging}}};
  const auto opened =
      api.root().as_collection()[argv[1]].collection("_pit").create(noun::no_body, {.query = {{"keep_alive", "1m"}}});
  noun::Json body = noun::Json::parse(R"({"size": 1000, "sort": [{"@timestamp": "asc"}], "query": {"bool": {"filter":
      [{"term": {"log.level": "error"}}, {"range": {"@timestamp": {"gte": "now-1h"}}}]}}})");
  body["pit"] = {{"id", opened.value().at("id")}, {"keep_alive", "1m"}};
  auto hits = api.collection("_search").list({.body = body});
  for (const auto& hit : hits) {
    const auto& source = hit.value().at("_source");
    fmt::print("{} {}\n", source.value("@timestamp", ""), source.value("message", ""));
  }
  api.singleton("_pit").remove(noun::Json{{"id", pit_of(*hits.response())}}).value();
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
