// The issues that a JQL query finds. @source https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Issue {
  std::string key, status, summary, assignee = "nobody";
};
void from_json(const noun::Json& json, Issue& issue) {
  const auto& fields = json.at("fields");
  json.at("key").get_to(issue.key);
  fields.at("status").at("name").get_to(issue.status);
  fields.at("summary").get_to(issue.summary);
  if (const auto& user = fields.at("assignee"); !user.is_null()) user.at("displayName").get_to(issue.assignee);
}

int main(int argc, char** argv) try {
  if (argc != 2) return fmt::print(stderr, "usage: jira JQL\n"), 2;
  auto dialect = noun::dialects::jira();
  dialect.paging = noun::paging::jira_token();
  const noun::Client api{
      std::getenv("JIRA_URL"),  // https://SITE.atlassian.net
      {.credentials = noun::basic(std::getenv("JIRA_EMAIL"), std::getenv("JIRA_API_TOKEN")), .dialect = dialect}};
  const noun::Query query = {{"jql", argv[1]}, {"fields", "summary,status,assignee"}};
  for (const auto& each : api.collection<Issue>("rest/api/3/search/jql").list({.query = query, .page_size = 100})) {
    const auto& issue = each.value();
    fmt::print("{} {}: {} ({})\n", issue.key, issue.status, issue.summary, issue.assignee);
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
