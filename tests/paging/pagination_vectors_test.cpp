// The pagination vectors: each answer is paged with the convention of its service, and what comes next is as expected.
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <noun/paging_conventions.hpp>

#include "paging/paging.hpp"
#include "wire/json_scan.hpp"
#include "wire/percent.hpp"
#include "wire/url.hpp"
#include "wire/vectors.hpp"

namespace noun::paging_tests { namespace pagination_vectors_test {

using wire_test::json;
using wire_test::Vector;

/// What a vector expects and noun does otherwise, and why.
const std::map<std::string, std::string> otherwise = {
    {"pg-30", "no end but an error, expired_cursor: a listing that ends there has lost items"},
};

PagingConvention convention_called(const std::string& dialect) {
  static const std::map<std::string, PagingConvention> conventions = {
      {"link-header+results", {.style = PagingStyle::link_header}},
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

Response answer_of(const json& data) {
  Response answer{.status = data.at("status").get<int>(),
                  .body = data.at("body").dump(),
                  .url = data.at("request").at("url").get<std::string>()};
  for (const auto& field : data.value("headers", json::array()))
    answer.headers.push_back({field.at(0).get<std::string>(), field.at(1).get<std::string>()});
  return answer;
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

void expect_next(const PageRequest& next, const json& request, const json& expected) {
  const auto asked = request.at("url").get<std::string>();
  if (expected.contains("url")) EXPECT_EQ(next.url, expected["url"].get<std::string>());
  auto parameters = parameters_of(asked);
  const auto set = expected.value("query", json::object());
  for (const auto& [name, value] : set.items()) parameters[name] = value;
  if (!expected.contains("url")) {
    EXPECT_EQ(parameters_of(next.url), parameters);
    EXPECT_EQ(wire::split_url(next.url).path, wire::split_url(asked).path);
  }
  auto body = request.value("body", json());
  const auto members = expected.value("body", json::object());
  for (const auto& [name, value] : members.items()) body[name] = value;
  EXPECT_EQ(next.body.empty() ? json() : json::parse(next.body), body);
}

class PaginationVector : public testing::TestWithParam<Vector> {};

TEST_P(PaginationVector, leads_where_it_should) {
  const auto& data = GetParam().data;
  const auto& request = data.at("request");
  const auto& expected = data.at("expect");
  const auto convention = convention_called(data.at("dialect"));
  const auto answer = answer_of(data);
  if (answer.status >= 400) {
    EXPECT_TRUE(otherwise.contains(GetParam().id()));
    EXPECT_EQ(std::count(convention.expired_statuses.begin(), convention.expired_statuses.end(), answer.status), 1);
    return;
  }
  const auto found = wire::json_elements(answer.body, convention.items_pointer);
  ASSERT_FALSE(found.error) << found.error->what;
  EXPECT_TRUE(!found.absent || convention.items_may_be_absent);
  EXPECT_EQ(found.elements.size(), expected.at("items").get<std::size_t>());

  const PagePlace first{.url = answer.url, .range = request.value("headers", json::object()).value("Range", "")};
  const auto body = request.contains("body") ? request["body"].dump() : "";
  Pager pager(convention, {}, first, body, {*wire::origin_of(answer.url)});
  const auto decision = pager.decide({.response = answer,
                                      .items = found.elements.size(),
                                      .last_item = found.elements.empty() ? "" : found.elements.back()});
  ASSERT_FALSE(std::holds_alternative<Refuse>(decision.next)) << std::get<Refuse>(decision.next).what;
  const auto* next = std::get_if<NextPage>(&decision.next);
  ASSERT_EQ(next == nullptr, expected.at("next").is_null());
  if (next != nullptr) expect_next(pager.request_for(next->place), request, expected["next"]);
}

INSTANTIATE_TEST_SUITE_P(vectors, PaginationVector, testing::ValuesIn(wire_test::vectors("pagination.json")),
                         wire_test::id_of);

TEST(PaginationVectors, all_are_there_and_what_is_done_otherwise_is_among_them) {
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
  for (const auto& [id, reason] : otherwise) EXPECT_TRUE(ids.contains(id)) << id;
}

}  // namespace pagination_vectors_test
}  // namespace noun::paging_tests
