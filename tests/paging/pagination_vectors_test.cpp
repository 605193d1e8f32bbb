// The pagination vectors: each response is paged with the preset of its API, and the next page is as expected.
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <noun/paging.hpp>

#include "paging/pager.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"
#include "wire/vectors.hpp"

namespace noun::paging_tests { namespace pagination_vectors_test {

using detail::PagePlace;
using detail::Pager;
using wire_test::json;
using wire_test::Vector;

/// Vectors from which noun differs, and why.
const std::map<std::string, std::string> differing = {
    {"pg-30", "an error (expired_cursor), not the end: a listing that ends there has lost items"},
};

Paging convention_called(const std::string& dialect) {
  static const std::map<std::string, Paging> conventions = {
      {"link-header+results", {.style = paging::LinkHeader{}}},
      {"x-next-page", paging::gitlab()},
      {"x-total-count", paging::total_count()},
      {"drf", paging::drf()},
      {"odata", paging::odata()},
      {"hal", paging::hal()},
      {"jsonapi", paging::json_api()},
      {"jira-startat", paging::start_at()},
      {"jira-token", paging::jira_token()},
      {"google", paging::google("things")},
      {"stripe", paging::stripe()},
      {"stripe-search", paging::stripe_search()},
      {"slack", paging::slack("channels")},
      {"notion", paging::notion()},
      {"elasticsearch", paging::elasticsearch()},
      {"kubernetes", paging::kubernetes()},
      {"heroku-range", paging::heroku()},
      {"postgrest-range", paging::postgrest()},
      {"hubspot", paging::hubspot()},
      {"asana", paging::asana()},
      {"twilio", paging::twilio("messages")},
      {"zendesk-cursor", paging::zendesk_cursor("tickets")},
      {"discord-keyset", paging::discord()},
      {"reddit", paging::reddit()},
      {"confluence", paging::confluence()},
      {"cloudflare", paging::cloudflare()},
      {"digitalocean", paging::digitalocean("droplets")},
      {"x", paging::x()},
      {"openai", paging::openai()},
      {"anthropic", paging::anthropic()},
      {"pagerduty", paging::pagerduty("incidents")},
      {"aws-token", paging::aws("logGroups")},
  };
  return conventions.at(dialect);
}

Response response_of(const json& data) {
  Response response{.status = data.at("status").get<int>(),
                  .body = data.at("body").dump(),
                  .url = data.at("request").at("url").get<std::string>()};
  for (const auto& field : data.value("headers", json::array()))
    response.headers.push_back({field.at(0).get<std::string>(), field.at(1).get<std::string>()});
  return response;
}

/// The query's parameters, decoded.
std::map<std::string, std::string> parameters_of(std::string_view url) {
  std::map<std::string, std::string> parameters;
  auto query = wire::split_url(url).query;
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const auto equals = pair.find('=');
    parameters[*wire::percent_decode(pair.substr(0, equals))] = *wire::percent_decode(pair.substr(equals + 1));
  }
  return parameters;
}

void expect_next(const paging::PageRequest& next, const json& request, const json& expected) {
  const auto requested = request.at("url").get<std::string>();
  if (expected.contains("url")) EXPECT_EQ(next.url, expected["url"].get<std::string>());
  auto parameters = parameters_of(requested);
  const auto set = expected.value("query", json::object());
  for (const auto& [name, value] : set.items()) parameters[name] = value;
  if (!expected.contains("url")) {
    EXPECT_EQ(parameters_of(next.url), parameters);
    EXPECT_EQ(wire::split_url(next.url).path, wire::split_url(requested).path);
  }
  auto body = request.value("body", json());
  const auto members = expected.value("body", json::object());
  for (const auto& [name, value] : members.items()) body[name] = value;
  EXPECT_EQ(next.body.empty() ? json() : json::parse(next.body), body);
}

class PaginationVector : public ::testing::TestWithParam<Vector> {};

TEST_P(PaginationVector, leads_to_the_expected_page) {
  const auto& data = GetParam().data;
  const auto& request = data.at("request");
  const auto& expected = data.at("expect");
  const auto convention = convention_called(data.at("dialect"));
  const auto response = response_of(data);
  if (response.status >= 400) {
    EXPECT_TRUE(differing.contains(GetParam().id()));
    EXPECT_EQ(std::count(convention.expired_statuses.begin(), convention.expired_statuses.end(), response.status), 1);
    return;
  }
  const auto found = wire::json_elements(response.body, convention.items);
  ASSERT_FALSE(found.error) << found.error->what;
  EXPECT_TRUE(!found.absent || convention.items_may_be_absent);
  EXPECT_EQ(found.elements.size(), expected.at("items").get<std::size_t>());

  const PagePlace first{.url = response.url, .range = request.value("headers", json::object()).value("Range", "")};
  const auto body = request.contains("body") ? request["body"].dump() : "";
  Pager pager(convention, {}, first, body, {*wire::origin_of(response.url)});
  const auto decision = pager.decide({.response = response,
                                      .items = found.elements.size(),
                                      .last_item = found.elements.empty() ? "" : found.elements.back()});
  ASSERT_FALSE(std::holds_alternative<Refuse>(decision.next)) << std::get<Refuse>(decision.next).what;
  const auto* next = std::get_if<PagePlace>(&decision.next);
  ASSERT_EQ(next == nullptr, expected.at("next").is_null());
  if (next != nullptr) expect_next(pager.request_for(*next), request, expected["next"]);
}

INSTANTIATE_TEST_SUITE_P(vectors, PaginationVector, ::testing::ValuesIn(wire_test::vectors("pagination.json")),
                         wire_test::id_of);

TEST(PaginationVectors, are_complete_and_include_those_that_differ) {
  const auto all = wire_test::vectors("pagination.json");
  EXPECT_EQ(all.size(), 40U);
  std::set<std::string> ids;
  for (const auto& vector : all) {
    EXPECT_TRUE(ids.insert(vector.id()).second) << vector.id();
    for (const auto& [key, value] : vector.data.at("expect").items())
      EXPECT_TRUE(key == "items" || key == "next") << key;
    const auto& next = vector.data.at("expect").at("next");
    for (const auto& [key, value] : next.items()) EXPECT_TRUE(key == "url" || key == "query" || key == "body") << key;
  }
  for (const auto& [id, reason] : differing) EXPECT_TRUE(ids.contains(id)) << id;
}

}  // namespace pagination_vectors_test
}  // namespace noun::paging_tests
